"""Declarations: from CREATE statements to entries of the catalog."""

from __future__ import annotations

from dataclasses import replace

from continua.errors import ContinuaError, did_you_mean
from continua.logical.granulated import Granulated
from continua.model.catalog import Relation
from continua.model.change import Changes
from continua.model.schema import INTEGER_TIME, TIMESTAMP_TIME, Column, TimeDomain
from continua.model.types import STRING
from continua.sql import statements as s
from continua.sql.batches import simultaneity
from continua.sql.binder import Binder
from continua.sql.catalog import Catalog, Derived, Sink
from continua.sql.clauses import Duration
from continua.sql.tokens import Name


def declare_stream(statement: s.CreateStream) -> Relation:
    columns = _columns(statement.columns)
    time = TIMESTAMP_TIME
    options = statement.options
    if statement.ordered_by is not None:
        time = _time_domain(columns, statement.ordered_by)
        if statement.until is not None:
            _check_end(columns, time, statement.ordered_by, statement.until)
    if options.default_window is not None and statement.until is not None:
        message = "tuples with their own validity have no default window"
        hint = "leave out DEFAULT WINDOW, or UNTIL"
        raise ContinuaError("WRONG_WINDOW", message, options.default_window.span, hint=hint)
    if options.granule is not None:
        time = TimeDomain(time.type, options.granule.positive(time))
    relation = Relation(
        statement.name.text,
        columns,
        statement.source,
        is_stream=True,
        time=time,
        start=_text(statement.ordered_by),
        end=_text(statement.until),
        on_error=options.on_error,
        slack=_units(options.slack, time) or 0,
        late=options.late,
        idle_after=_units(options.idle_after, TIMESTAMP_TIME),
        unbounded_default=options.default_window is not None,
    )
    if options.batching is None:
        return relation
    return replace(relation, simultaneity=simultaneity(relation, options.batching))


def declare_table(statement: s.CreateTable) -> Relation:
    columns = _columns(statement.columns)
    options, history = statement.options, statement.history
    key = tuple(_key_column(columns, name, history) for name in statement.primary_key)
    relation = Relation(
        statement.name.text,
        columns,
        statement.source,
        is_stream=False,
        time=None,
        on_error=options.on_error,
        primary_key=key,
    )
    match history:
        case s.Versions(valid_from, valid_to):
            time = _time_domain(columns, valid_from)
            if valid_to is not None:
                _check_end(columns, time, valid_from, valid_to)
            return replace(relation, time=time, start=valid_from.text, end=_text(valid_to))
        case s.Log(ordered_by, operation):
            time = _time_domain(columns, ordered_by)
            if operation is not None:
                _check_operation(columns, operation, ordered_by)
            if not key:
                message = "a table that is made of changes needs a PRIMARY KEY"
                hint = f"name the columns that tell its rows apart: ({columns[0].name} …, PRIMARY "
                hint += f"KEY ({columns[0].name}))"
                raise ContinuaError("SYNTAX", message, statement.name.span, hint=hint)
            return replace(
                relation,
                is_stream=True,
                time=time,
                start=ordered_by.text,
                slack=_units(options.slack, time) or 0,
                late=options.late,
                idle_after=_units(options.idle_after, TIMESTAMP_TIME),
                changes=Changes(_text(operation)),
            )
    return relation


def _key_column(columns: tuple[Column, ...], name: Name, history: s.Versions | s.Log | None) -> str:
    """A column of the primary key, which says which row, and not when or how it changes."""
    column = _find(columns, name, "UNKNOWN_COLUMN", f"the key's {name.text}")
    taken: list[Name | None] = []
    if isinstance(history, s.Versions):
        taken = [history.valid_from, history.valid_to]
    elif history is not None:
        taken = [history.ordered_by, history.operation]
    if column.name.lower() in (other.text.lower() for other in taken if other is not None):
        message = f"{column.name} tells when or how a row changes, and is no part of its key"
        raise ContinuaError("TIME_ATTRIBUTE", message, name.span)
    return column.name


def _check_operation(columns: tuple[Column, ...], name: Name, ordered_by: Name) -> None:
    column = _find(columns, name, "UNKNOWN_COLUMN", f"the operation {name.text}")
    if column.type != STRING or column.name.lower() == ordered_by.text.lower():
        message = f"the operation is a STRING, and {column.name} is {column.type}"
        raise ContinuaError("TYPE_MISMATCH", message, name.span)


def declare_derived(catalog: Catalog, statement: s.CreateStreamAs, unbounded: bool) -> Derived:
    """A derived stream; `unbounded` is whether streams without a window are by default."""
    query = statement.query
    binder = Binder(catalog, query.span.source, query.tree, unbounded)
    plan = binder.bind_subplan(query.tree)
    if statement.granule is not None:
        if plan.time is None:
            message = "a granule needs a time, and this query reads tables only"
            raise ContinuaError("TIME_ATTRIBUTE", message, statement.granule.span)
        plan = Granulated(plan, statement.granule.positive(plan.time))
    return Derived(statement.name.text, plan, frozenset(binder.used), query.span.text)


def declare_sink(statement: s.CreateSink) -> Sink:
    return Sink(
        statement.name.text,
        statement.format.text.lower(),
        statement.options,
        statement.delivery,
        statement.span,
    )


def _columns(definitions: tuple[s.ColumnDefinition, ...]) -> tuple[Column, ...]:
    seen: set[str] = set()
    for definition in definitions:
        if definition.name.text.lower() in seen:
            message = f"there are two columns named {definition.name.text}"
            raise ContinuaError("DUPLICATE_NAME", message, definition.name.span)
        seen.add(definition.name.text.lower())
    return tuple(Column(d.name.text, d.type) for d in definitions)


def _find(
    columns: tuple[Column, ...], name: Name, code: str = "TIME_ATTRIBUTE", what: str = ""
) -> Column:
    for column in columns:
        if column.name.lower() == name.text.lower():
            return column
    names = [column.name for column in columns]
    raise ContinuaError(
        code,
        f"{what or f'the time attribute {name.text}'} is not among the columns",
        name.span,
        hint=did_you_mean(name.text, names, f"the columns are {', '.join(names)}"),
    )


def _time_domain(columns: tuple[Column, ...], name: Name) -> TimeDomain:
    column = _find(columns, name)
    if not column.type.temporal:
        raise ContinuaError(
            "TIME_ATTRIBUTE",
            f"a time attribute is TIMESTAMP or an integer, and {column.name} is {column.type}",
            name.span,
        )
    domain = INTEGER_TIME if column.type.integral else TIMESTAMP_TIME
    return TimeDomain(column.type, domain.granule)


def _check_end(columns: tuple[Column, ...], time: TimeDomain, start: Name, name: Name) -> None:
    column = _find(columns, name)
    if column == _find(columns, start):
        message = "validity starts and ends with two attributes, not with one"
        raise ContinuaError("TIME_ATTRIBUTE", message, name.span)
    if not column.type.temporal or column.type.integral != time.integral:
        message = f"the end of validity is {time.type} like its start, and {column} is not"
        raise ContinuaError("TIME_ATTRIBUTE", message, name.span)


def _text(name: Name | None) -> str | None:
    return name.text if name else None


def _units(duration: Duration | None, time: TimeDomain) -> int | None:
    if duration is None:
        return None
    units = duration.units(time)
    if units < 0:
        raise ContinuaError("WRONG_WINDOW", "a length of time cannot be negative", duration.span)
    return units
