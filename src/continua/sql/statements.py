"""Statements, as parsed: what the text says, before names are looked up."""

from __future__ import annotations

from dataclasses import dataclass, field

from sqlglot import exp

from continua.errors import Span
from continua.model.catalog import SourceCall
from continua.model.types import Type
from continua.sql.clauses import Duration, Moment, Range
from continua.sql.query_parser import parse_query, same_tree
from continua.sql.tokens import Cursor, Name


@dataclass(frozen=True)
class Statement:
    """A statement and its place; the place is no part of equality."""

    span: Span = field(compare=False, repr=False, kw_only=True)


@dataclass(frozen=True)
class ColumnDefinition:
    name: Name
    type: Type


@dataclass(frozen=True, eq=False)
class Query(Statement):
    """A query: sqlglot's tree, with the stream clauses in it (see `query_parser`)."""

    tree: exp.Expr

    @classmethod
    def parse(cls, cursor: Cursor) -> Query:
        """The rest of the tokens as a query."""
        start = cursor.position
        tree = parse_query(cursor)
        return cls(tree, span=cursor.since(start))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Query) and same_tree(self.tree, other.tree)

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True)
class Snapshot(Statement):
    """SNAPSHOT OF query [AT time]; without a time it is that of the progress."""

    query: Query
    at: Moment | None


@dataclass(frozen=True)
class Batching:
    """SIMULTANEITY TIME | TUPLE [BY a, …] | BATCH BY a, …"""

    kind: str
    by: tuple[Name, ...]
    span: Span = field(compare=False, repr=False, kw_only=True)


@dataclass(frozen=True)
class StreamOptions:
    """What may follow ORDERED BY; some of it may end the declaration of a table."""

    granule: Duration | None = None
    slack: Duration | None = None
    late: str = "DROP"
    on_error: str = "FAIL"
    idle_after: Duration | None = None
    default_window: Range | None = None
    batching: Batching | None = None


@dataclass(frozen=True)
class CreateStream(Statement):
    name: Name
    columns: tuple[ColumnDefinition, ...]
    source: SourceCall
    ordered_by: Name | None
    until: Name | None
    options: StreamOptions
    replace: bool = False


@dataclass(frozen=True)
class CreateStreamAs(Statement):
    name: Name
    query: Query
    granule: Duration | None = None
    replace: bool = False


@dataclass(frozen=True)
class Versions:
    """VALID FROM a [TO b]: the rows of a table bring their validity."""

    valid_from: Name
    valid_to: Name | None


@dataclass(frozen=True)
class Log:
    """CHANGES ORDERED BY t [OPERATION op]: the rows of a table's source are changes of it."""

    ordered_by: Name
    operation: Name | None


@dataclass(frozen=True)
class CreateTable(Statement):
    """A table; what is in its primary key is among its columns."""

    name: Name
    columns: tuple[ColumnDefinition, ...]
    primary_key: tuple[Name, ...]
    source: SourceCall
    history: Versions | Log | None
    options: StreamOptions
    replace: bool = False


@dataclass(frozen=True)
class CreateSink(Statement):
    name: Name
    format: Name
    options: tuple[tuple[str, object], ...]
    delivery: str | None
    """None if the sink takes what suits a query."""
    replace: bool = False


@dataclass(frozen=True)
class InsertQuery(Statement):
    target: Name
    query: Query


@dataclass(frozen=True)
class InsertRows(Statement):
    target: Name
    rows: tuple[tuple[object, ...], ...]
    at: Moment | None = None


@dataclass(frozen=True)
class Update(Statement):
    """UPDATE r SET a = e, … [WHERE c] [AT t]; the query is SELECT e, … [WHERE c]."""

    target: Name
    columns: tuple[Name, ...]
    query: Query
    at: Moment | None


@dataclass(frozen=True)
class Delete(Statement):
    """DELETE FROM r [WHERE c] [AT t]; the query is SELECT TRUE [WHERE c]."""

    target: Name
    query: Query
    at: Moment | None


@dataclass(frozen=True)
class CreateGroup(Statement):
    """CREATE GROUP g OF s1, s2 SIMULTANEITY …: streams whose batches are numbered together."""

    name: Name
    streams: tuple[Name, ...]
    batching: Batching
    replace: bool = False


@dataclass(frozen=True)
class SpreadInto(Statement):
    """SPREAD [ALL] s1, s2 [ON a, …] INTO o1, o2."""

    anew: bool
    streams: tuple[Name, ...]
    on: tuple[Name, ...]
    outputs: tuple[Name, ...]


@dataclass(frozen=True)
class Show(Statement):
    what: str


@dataclass(frozen=True)
class Describe(Statement):
    name: Name


@dataclass(frozen=True)
class Drop(Statement):
    kind: str
    name: Name
    if_exists: bool


@dataclass(frozen=True)
class Set(Statement):
    key: Name
    value: object


@dataclass(frozen=True)
class Explain(Statement):
    stage: str
    query: Query
