"""Statements to text, such that parsing the text gives the same statement."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date, datetime
from decimal import Decimal

from sqlglot import exp

from continua.model.catalog import SourceCall
from continua.sql import statements as s
from continua.sql.clauses import Clause, During, Hop, MatchCondition, Moment, Session, Streamer
from continua.sql.query_parser import CLAUSES, clause_names, is_inserted, unused_prefix
from continua.sql.tokens import DIALECT


def print_statement(statement: s.Statement) -> str:
    return _PRINTERS[type(statement)](statement)


def _query(statement: s.Query) -> str:
    return print_tree(statement.tree)


def print_tree(tree: exp.Expr) -> str:
    """A query with its stream clauses.

    sqlglot's generator knows nothing of the clauses: each FROM item that carries some is printed
    apart and put in place of a stand-in.
    """
    copy = tree.copy()
    pieces = _Pieces(unused_prefix("_piece", _texts(copy)))
    while True:
        carriers = [node for node in copy.walk(bfs=False) if _printed_apart(node)]
        if not carriers:
            return pieces.expanded(copy.sql(DIALECT))
        # The last one carries no other inside it.
        node, clauses = carriers[-1], carriers[-1].meta.get(CLAUSES) or []
        alias = _take_alias(node)
        # In (a JOIN b), the join hangs on a; it comes after a's clauses.
        joins = None if isinstance(node, exp.Select) else node.args.get("joins")
        if joins:
            node.set("joins", None)
        text = pieces.expanded(node.sql(DIALECT))
        bare = isinstance(node, exp.Values) and not isinstance(node.parent, exp.Subquery)
        text = f"({text})" if bare else text
        for clause in clauses:
            if isinstance(clause, MatchCondition) and alias is not None:
                text, alias = f"{text} AS {alias.sql(DIALECT)}", None
            text = _with_clause(text, clause)
        target: exp.Expr = node
        later: list[Clause] | None = None
        if clauses and isinstance(clauses[0], Streamer):
            # The whole `(SELECT * FROM (query) name)` stands for the streamer.
            target = node.find_ancestor(exp.Subquery) or copy
            alias, later = _take_alias(target), target.meta.get(CLAUSES)
        elif clauses and isinstance(clauses[0], During):
            # As does `SELECT * FROM (query) name` for a query with a range of time.
            target = node.find_ancestor(exp.Select) or copy
        name = pieces.add(text)
        stand_in = exp.Table(this=exp.Identifier(this=name, quoted=False))
        stand_in.set("alias", alias)
        stand_in.set("joins", joins)
        stand_in.meta[CLAUSES] = later
        if target is copy:
            copy = stand_in
        elif isinstance(target.parent, (exp.Any, exp.All)):
            target.replace(exp.Subquery(this=stand_in))  # of a name, it prints something else
        else:
            target.replace(stand_in)


def _printed_apart(node: exp.Expr) -> bool:
    """What the generator would not print as it is.

    FROM items with clauses; VALUES, whose brackets it leaves out; and inner queries with a WITH of
    their own, which it moves to the top.
    """
    if isinstance(node, exp.Values):
        return node.parent is not None
    inner = node.parent is not None and bool(node.args.get("with_"))
    return inner or bool(node.meta.get(CLAUSES))


def _take_alias(node: exp.Expr) -> exp.TableAlias | None:
    """The alias the user wrote, taken off the node."""
    alias = node.args.get("alias")
    node.set("alias", None)
    written = isinstance(alias, exp.TableAlias) and not is_inserted(alias.this)
    return alias if written else None


def _texts(tree: exp.Expr) -> list[str]:
    """The names and strings of a tree and its clauses."""
    nodes = tree.find_all(exp.Identifier, exp.Literal, exp.Anonymous)
    return [*(node.name for node in nodes), *(name.text for name in clause_names(tree))]


class _Pieces:
    """Texts that are printed already, and the names that stand for them."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._texts: list[str] = []

    def add(self, text: str) -> str:
        """The name that stands for a text."""
        self._texts.append(text)
        return self._name(len(self._texts) - 1)

    def expanded(self, text: str) -> str:
        for number in reversed(range(len(self._texts))):
            text = text.replace(self._name(number), self._texts[number])
        return text

    def _name(self, number: int) -> str:
        return f"{self._prefix}_{number}_"


def _with_clause(text: str, clause: Clause) -> str:
    if isinstance(clause, (Hop, Session, Streamer)):
        return clause.wrap(text)
    if isinstance(clause, During):
        since, until = (print_literal(moment.value) for moment in (clause.since, clause.until))
        return f"{text} DURING [{since}, {until})"
    return f"{text} {clause}"


def print_literal(value: object) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, str):
        return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
    if isinstance(value, tuple):
        return f"({', '.join(map(print_literal, value))})"
    if isinstance(value, datetime):
        return f"TIMESTAMP '{value}'"
    if isinstance(value, date):
        return f"DATE '{value}'"
    if isinstance(value, float):
        text = repr(value)
        return text if "e" in text else f"{text}e0"
    if isinstance(value, Decimal):
        text = f"{value:f}"
        return text if "." in text else f"{text}."
    return str(value)


def _create(what: str, name: object, replace: bool) -> str:
    return f"CREATE {'OR REPLACE ' * replace}{what} {name}"


def _columns(columns: tuple[s.ColumnDefinition, ...]) -> str:
    return f"({', '.join(f'{column.name} {column.type}' for column in columns)})"


def _source(source: SourceCall) -> str:
    if source.is_format:
        return f" USING {source.args[0]}{_options(source.options)}"
    if source == SourceCall("rows"):
        return ""
    args = [print_literal(arg) for arg in source.args]
    args += [f"{key} => {print_literal(value)}" for key, value in source.options]
    return f" SOURCE {source.function}({', '.join(args)})"


def _options(options: tuple[tuple[str, object], ...]) -> str:
    if not options:
        return ""
    inside = ", ".join(f"{print_literal(key)} {print_literal(value)}" for key, value in options)
    return f" OPTIONS ({inside})"


def _create_stream(c: s.CreateStream) -> str:
    text = _create("STREAM", c.name, c.replace) + f" {_columns(c.columns)}{_source(c.source)}"
    if c.ordered_by:
        text += f" ORDERED BY {c.ordered_by}" + (f" UNTIL {c.until}" if c.until else "")
    text += f" GRANULE {c.options.granule}" if c.options.granule else ""
    text += " DEFAULT WINDOW UNBOUNDED" if c.options.default_window else ""
    text += f" {_batching(c.options.batching)}" if c.options.batching else ""
    return text + _read_options(c.options)


def _read_options(o: s.StreamOptions) -> str:
    default = s.StreamOptions()
    text = f" SLACK {o.slack}" if o.slack else ""
    text += f" IDLE AFTER {o.idle_after}" if o.idle_after else ""
    text += f" LATE {o.late}" if o.late != default.late else ""
    return text + (f" ON ERROR {o.on_error}" if o.on_error != default.on_error else "")


def _create_stream_as(c: s.CreateStreamAs) -> str:
    granule = f" GRANULE {c.granule}" if c.granule else ""
    return f"{_create('STREAM', c.name, c.replace)}{granule} AS {_query(c.query)}"


def _create_table(c: s.CreateTable) -> str:
    columns = _columns(c.columns)
    if c.primary_key:
        columns = f"{columns[:-1]}, PRIMARY KEY ({', '.join(map(str, c.primary_key))}))"
    text = f"{_create('TABLE', c.name, c.replace)} {columns}{_source(c.source)}"
    match c.history:
        case s.Versions(valid_from, valid_to):
            text += f" VALID FROM {valid_from}" + (f" TO {valid_to}" if valid_to else "")
        case s.Log(ordered_by, operation):
            says = f" OPERATION {operation}" if operation else ""
            text += f" CHANGES ORDERED BY {ordered_by}{says}"
    return text + _read_options(c.options)


def _create_sink(c: s.CreateSink) -> str:
    text = f"{_create('SINK', c.name, c.replace)} USING {c.format}{_options(c.options)}"
    return text if c.delivery is None else f"{text} AS {c.delivery}"


def _batching(c: s.Batching) -> str:
    return f"SIMULTANEITY {c.kind}{f' BY {_names(c.by)}' if c.by else ''}"


def _create_group(c: s.CreateGroup) -> str:
    return f"{_create('GROUP', c.name, c.replace)} OF {_names(c.streams)} {_batching(c.batching)}"


def _snapshot(c: s.Snapshot) -> str:
    return f"SNAPSHOT OF {_query(c.query)}{_at(c.at)}"


def _spread(c: s.SpreadInto) -> str:
    on = f" ON {_names(c.on)}" if c.on else ""
    return f"SPREAD {'ALL ' * c.anew}{_names(c.streams)}{on} INTO {_names(c.outputs)}"


def _names(names: Iterable[object]) -> str:
    return ", ".join(map(str, names))


def _update(c: s.Update) -> str:
    values = (print_tree(value) for value in c.query.tree.expressions)
    pairs = zip(c.columns, values, strict=True)
    assigned = ", ".join(f"{column} = {value}" for column, value in pairs)
    return f"UPDATE {c.target} SET {assigned}{_where(c.query)}{_at(c.at)}"


def _where(query: s.Query) -> str:
    where = query.tree.args.get("where")
    return f" WHERE {print_tree(where.this)}" if where else ""


def _at(at: Moment | None) -> str:
    return f" AT {print_literal(at.value)}" if at else ""


_PRINTERS: dict[type[s.Statement], Callable[..., str]] = {
    s.Query: _query,
    s.CreateStream: _create_stream,
    s.CreateStreamAs: _create_stream_as,
    s.CreateTable: _create_table,
    s.CreateSink: _create_sink,
    s.CreateGroup: _create_group,
    s.InsertQuery: lambda c: f"INSERT INTO {c.target} {_query(c.query)}",
    s.InsertRows: lambda c: (
        f"INSERT INTO {c.target} VALUES {', '.join(map(print_literal, c.rows))}{_at(c.at)}"
    ),
    s.Update: _update,
    s.Delete: lambda c: f"DELETE FROM {c.target}{_where(c.query)}{_at(c.at)}",
    s.SpreadInto: _spread,
    s.Snapshot: _snapshot,
    s.Show: lambda c: f"SHOW {c.what}",
    s.Describe: lambda c: f"DESCRIBE {c.name}",
    s.Drop: lambda c: f"DROP {c.kind} {'IF EXISTS ' * c.if_exists}{c.name}",
    s.Set: lambda c: f"SET {c.key} = {print_literal(c.value)}",
    s.Explain: lambda c: f"EXPLAIN {c.stage} {_query(c.query)}",
}
