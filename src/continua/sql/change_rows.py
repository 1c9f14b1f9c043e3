"""Changes of the rows that a session holds: INSERT … VALUES, UPDATE and DELETE, AT a time.

A table of literal rows gets a history by them: every row has its validity, as if the table were
declared with VALID FROM … TO …. What changes at t is what is valid then, until its next change.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise

from sqlglot import exp

from continua.errors import ContinuaError, Span, counted, did_you_mean
from continua.logical.expr.cast import ValueProblem, accept
from continua.logical.expr.nodes import TRUE, Expression
from continua.model.catalog import Relation
from continua.model.element import Values
from continua.model.instant import Time
from continua.model.schema import INTEGER_TIME, TIMESTAMP_TIME, Column
from continua.sql import statements as s
from continua.sql.bind_expression import ExpressionBinder
from continua.sql.catalog import Catalog
from continua.sql.check_tree import check_tree
from continua.sql.clauses import Moment
from continua.sql.held_rows import HeldRows
from continua.sql.places import span_of, unsupported
from continua.sql.scope import Scope, ScopeColumn
from continua.sql.tokens import Name

START, END = "valid_from", "valid_to"
"""The columns for the validity that a static table gets with its first change at a time."""


def with_rows(relation: Relation, statement: s.InsertRows) -> Relation:
    """A relation of literal rows with more of them."""
    _check_held(relation, statement.target.span, "INSERT INTO … VALUES")
    if statement.at is None:
        rows = _widened(relation, statement)
        _check_rows(relation, rows, statement.span)
        changed = HeldRows(relation).added(rows)
    else:
        relation = _with_history(relation, statement.at)
        _check_rows(relation, statement.rows, statement.span, relation.schema.columns)
        table = HeldRows(relation)
        at = table.time_of(statement.at)
        changed = table.added(table.valid_from(row, at) for row in statement.rows)
    _check_keys(changed, statement.span)
    return changed


def updated(relation: Relation, statement: s.Update) -> Relation:
    """A table of literal rows, those that fulfil a condition with other values from a time on."""
    relation, at = _changeable(relation, statement.target, statement.at, "UPDATE")
    table = HeldRows(relation)
    binder = _binder(relation, statement.query)
    expressions = [binder.bind(node) for node in statement.query.tree.expressions]
    positions = [_assigned(relation, name) for name in statement.columns]
    if len(set(positions)) < len(positions):
        raise ContinuaError("DUPLICATE_NAME", "a column is set twice", statement.span)

    def changed(values: Values) -> Values:
        found = list(values)
        for i, expression in zip(positions, expressions, strict=True):
            column = relation.columns[i]
            try:
                found[i] = accept(expression.evaluate(values), column.type)
            except ValueProblem as problem:
                message = f"column {column.name}: {problem}"
                raise ContinuaError("TYPE_MISMATCH", message, expression.span) from None
        return tuple(found)

    result = table.changed(_condition(relation, statement.query), table.time_of(at), changed)
    _check_keys(result, statement.span)
    return result


def deleted(relation: Relation, statement: s.Delete) -> Relation:
    """A table of literal rows, without those that fulfil a condition from a time on."""
    relation, at = _changeable(relation, statement.target, statement.at, "DELETE")
    table = HeldRows(relation)
    return table.changed(_condition(relation, statement.query), table.time_of(at), None)


def _check_held(relation: Relation, span: Span, what: str) -> None:
    if relation.source.function != "rows":
        message = f"{relation.name} reads {relation.source.function}(…); "
        message += "rows cannot be inserted" if "INSERT" in what else "its rows cannot be changed"
        hint = "INSERT INTO … VALUES fills a stream or table without a source of its own"
        if "INSERT" not in what:
            hint = "CREATE TABLE … CHANGES reads changes from a source"
        raise ContinuaError("WRONG_ARGUMENTS", message, span, hint=hint)


def _changeable(
    relation: Relation, target: Name, at: Moment | None, what: str
) -> tuple[Relation, Moment]:
    """The table with a history, to be changed at a time."""
    if not relation.is_table:
        message = f"{relation.name} is a stream: its tuples come and go by their window"
        raise ContinuaError("UNSUPPORTED", message, target.span)
    _check_held(relation, target.span, what)
    if at is None:
        message = f"{what} needs a time from which on it holds"
        hint = f"{what} … AT t; a table that is always the same is declared anew, CREATE OR REPLACE"
        raise ContinuaError("SYNTAX", message, target.span, hint=hint)
    relation = _with_history(relation, at)
    if relation.end is None:
        message = f"the rows of {relation.name} have no end"
        hint = f"declare it: VALID FROM {relation.start} TO …"
        raise ContinuaError("TIME_ATTRIBUTE", message, target.span, hint=hint)
    return relation, at


def _with_history(relation: Relation, at: Moment) -> Relation:
    """The table with columns for the validity of its rows, which so far are valid always."""
    if not relation.is_table:
        message = f"{relation.name} is a stream: its tuples bring their own time"
        raise ContinuaError("UNSUPPORTED", message, at.span)
    if relation.changes is not None:
        message = f"{relation.name} is made of a log of changes"
        hint = f"INSERT INTO {relation.name} VALUES adds to its log"
        raise ContinuaError("UNSUPPORTED", message, at.span, hint=hint)
    if relation.time is not None:
        return relation
    for column in relation.columns:
        if column.name.lower() in (START, END):
            message = f"{relation.name} has a column {column.name}, and would get one"
            hint = "declare it with VALID FROM … TO …, or call the column otherwise"
            raise ContinuaError("DUPLICATE_NAME", message, at.span, hint=hint)
    time = INTEGER_TIME if isinstance(at.value, int) else TIMESTAMP_TIME
    rows = [(*row, None, None) for row in HeldRows(relation).rows]
    return replace(
        relation,
        columns=(*relation.columns, Column(START, time.type), Column(END, time.type)),
        source=replace(relation.source, args=tuple(rows)),
        time=time,
        start=START,
        end=END,
    )


def _widened(relation: Relation, statement: s.InsertRows) -> tuple[Values, ...]:
    """The rows of all columns: those of a table may leave out their validity, and hold always."""
    if not relation.is_table or relation.changes is not None or relation.time is None:
        return statement.rows
    places = [column in relation.time_columns for column in relation.columns]
    rows = []
    for row in statement.rows:
        if len(row) != len(relation.schema):
            rows.append(row)
            continue
        values = iter(row)
        rows.append(tuple(None if timed else next(values) for timed in places))
    return tuple(rows)


def _check_rows(
    relation: Relation,
    rows: Iterable[Values],
    span: Span,
    columns: tuple[Column, ...] | None = None,
) -> None:
    columns = relation.columns if columns is None else columns
    for number, row in enumerate(rows, 1):
        if len(row) != len(columns):
            values, wanted = counted(len(row), "value"), counted(len(columns), "column")
            message = f"row {number} has {values} for {wanted}"
            raise ContinuaError("COLUMN_COUNT", message, span)
        for value, column in zip(row, columns, strict=True):
            try:
                accept(value, column.type)
            except ValueProblem as problem:
                message = f"row {number}, column {column.name}: {problem}"
                raise ContinuaError("TYPE_MISMATCH", message, span) from None


def _check_keys(relation: Relation, span: Span) -> None:
    """Raises if two rows of one key are valid together, or if one has none."""
    if not relation.primary_key or relation.changes is not None:
        return
    table = HeldRows(relation)
    versions: dict[Values, list[tuple[Time, Time]]] = {}
    for _, values in table.typed():
        if values is None:
            continue
        key = table.key(values)
        if None in key:
            raise ContinuaError("BAD_ROW", "a row has NULL in its key", span)
        versions.setdefault(key, []).append(table.bounds(values))
    for key, found in versions.items():
        found.sort()
        for (_, end), (start, _) in pairwise(found):
            if start < end:
                shown = ", ".join(map(str, key))
                message = f"{relation.name} has a row of the key {shown} already"
                raise ContinuaError("BAD_ROW", message, span, hint="UPDATE … AT t changes it")


def _binder(relation: Relation, query: s.Query) -> ExpressionBinder:
    """Binds expressions over a row of all columns; validity has to be named to be seen."""
    source = query.span.source
    check_tree(query.tree, source)
    inner = next((n for n in query.tree.walk() if n is not query.tree and _is_query(n)), None)
    if inner is not None:
        raise unsupported("a subquery in UPDATE or DELETE", span_of(inner, source))
    columns = [
        ScopeColumn(relation.name, c.name, c.type, i, hidden=c in relation.time_columns)
        for i, c in enumerate(relation.columns)
    ]
    return ExpressionBinder(Catalog(), source, Scope(tuple(columns)))


def _is_query(node: exp.Expr) -> bool:
    return isinstance(node, (exp.Query, exp.Exists))


def _condition(relation: Relation, query: s.Query) -> Expression:
    where = query.tree.args.get("where")
    return TRUE if where is None else _binder(relation, query).condition(where.this)


def _assigned(relation: Relation, name: Name) -> int:
    """Where the column stands that is to be set."""
    for i, column in enumerate(relation.columns):
        if column.name.lower() == name.text.lower() and column not in relation.time_columns:
            return i
    names = relation.schema.names
    hint = did_you_mean(name.text, names, f"there are {', '.join(names)}")
    message = f"there is no column {name.text} to set"
    raise ContinuaError("UNKNOWN_COLUMN", message, name.span, hint=hint)
