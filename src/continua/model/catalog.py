"""What a session knows by name: streams, tables, derived streams' sources, and their policies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from continua.errors import Span
from continua.model.change import Changes
from continua.model.schema import Column, Schema, TimeDomain

USING: Final = "USING"
"""The function of `USING format OPTIONS (…)`; those that may follow SOURCE are in small letters."""


@dataclass(frozen=True)
class SourceCall:
    """`SOURCE f(args)`: the function's name, its positional and its named arguments."""

    function: str
    args: tuple[object, ...] = ()
    options: tuple[tuple[str, object], ...] = ()
    span: Span | None = field(default=None, compare=False, repr=False)

    @property
    def is_format(self) -> bool:
        """Whether it is `USING format`, which Spark alone reads."""
        return self.function == USING


@dataclass(frozen=True)
class Simultaneity:
    """Which tuples of one time are in one batch (Jain §4.2), where not all of them are.

    each: every tuple is a batch by itself; else tuples of equal values are one. by: the positions
    in the schema of the columns that order the batches.
    """

    each: bool
    by: tuple[int, ...]


@dataclass(frozen=True)
class Relation:
    """A declared stream or table: where its rows come from and how they are valid in time.

    A stream has a time attribute `start` (None: stamped on arrival) and, if its tuples bring
    their own validity (TODS remark 2.7), `end`. A table is static, versioned by a pair of columns,
    or made of a log of changes, which is read as a stream is. The attributes that carry time are
    not part of the tuple.
    """

    name: str
    columns: tuple[Column, ...]
    source: SourceCall
    is_stream: bool
    time: TimeDomain | None
    start: str | None = None
    end: str | None = None
    on_error: str = "FAIL"
    # How a live run treats rows out of order; history is sorted first.
    slack: int = 0
    late: str = "DROP"
    idle_after: int | None = None
    # Whether references without a window are unbounded below operators that relate tuples; where
    # they are, the plan has the window.
    unbounded_default: bool = False
    # The plan of a reference says it by the batches that it makes.
    simultaneity: Simultaneity | None = None
    # Of a table: the columns of which no two rows that are valid together have the same values.
    primary_key: tuple[str, ...] = ()
    # Of a table that is made of a log of changes; then `is_stream` says so of the log.
    changes: Changes | None = None

    @property
    def is_table(self) -> bool:
        """Whether it is a table to those who use its name."""
        return not self.is_stream or self.changes is not None

    def positions(self, names: Sequence[str]) -> tuple[int, ...]:
        """Where columns stand among the declared ones."""
        known = [column.name.lower() for column in self.columns]
        return tuple(known.index(name.lower()) for name in names)

    @property
    def digested(self) -> tuple[object, ...]:
        """What bears on the meaning of a scan; the policies for rows that are late, missing or
        bad may change while the query stays what it is."""
        declared = (self.name.lower(), self.columns, self.source, self.is_stream)
        keyed = (self.primary_key, self.changes) if self.primary_key else ()
        return (*declared, self.time, self.start, self.end, *keyed)

    @property
    def key(self) -> str:
        """The name by which it is known: names differ in more than the case of their letters."""
        return self.name.lower()

    @cached_property
    def time_columns(self) -> tuple[Column, ...]:
        names = {name.lower() for name in (self.start, self.end) if name}
        return tuple(c for c in self.columns if c.name.lower() in names)

    @cached_property
    def schema(self) -> Schema:
        """The tuple: every column but those that carry time."""
        return Schema(tuple(c for c in self.columns if c not in self.time_columns))
