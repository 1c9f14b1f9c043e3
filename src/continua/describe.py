"""What SHOW and DESCRIBE say of the things a session knows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from continua.model.catalog import Relation
from continua.model.element import Values
from continua.model.schema import Column
from continua.model.types import STRING
from continua.runtime.live.continuous import Continuous
from continua.runtime.result import Result
from continua.sql.bind_table import relation_plan
from continua.sql.catalog import Catalog, Derived, Entry, Group, Sink, kind_of


def listed(
    what: str, catalog: Catalog, queries: Iterable[Continuous], settings: Mapping[str, str]
) -> Result:
    """All things of a kind: FUNCTIONS, SETTINGS, QUERIES, STREAMS, TABLES, GROUPS or SINKS."""
    if what == "FUNCTIONS":
        return texts(("name", "kind"), catalog.function_names())
    if what == "SETTINGS":
        return texts(("name", "value"), sorted(settings.items()))
    if what == "QUERIES":
        rows = [(query.name, query.delivery.lower()) for query in queries]
        return texts(("name", "delivery"), sorted(rows))
    kind = what.lower().removesuffix("s")
    entries = [e for e in catalog.entries.values() if kind_of(e) == kind]
    rows = [(e.name, _summary(e)) for e in sorted(entries, key=lambda e: e.name.lower())]
    return texts(("name", "definition"), rows)


def described(entry: Entry) -> Result:
    """What a stream or table is, and its columns; the options of a sink, the streams of a group."""
    if isinstance(entry, Group):
        return texts(("name", "role"), [(stream, "stream") for stream in entry.streams])
    if isinstance(entry, Sink):
        options = [(key, str(value), "option") for key, value in entry.options]
        return texts(("name", "value", "role"), [("format", entry.format, ""), *options])
    if isinstance(entry, Derived):
        columns = [(c.name, str(c.type), "column") for c in entry.plan.schema]
        return texts(("name", "type", "role"), [(entry.name, entry.plan.gives, "kind"), *columns])
    rows = [(c.name, str(c.type), _role(entry, c)) for c in entry.columns]
    if entry.simultaneity is not None:
        names = [entry.schema.names[i] for i in entry.simultaneity.by]
        batches = "TUPLE" if entry.simultaneity.each else "BATCH"
        rows.append((f"{batches}{' BY ' * bool(names)}{', '.join(names)}", "", "simultaneity"))
    kind = relation_plan(entry).gives
    return texts(("name", "type", "role"), [(entry.name, kind, "kind"), *rows])


def _role(relation: Relation, column: Column) -> str:
    if column in relation.time_columns:
        return "time attribute" if relation.is_stream else "validity"
    if (
        relation.changes is not None
        and column.name.lower() == (relation.changes.operation or "").lower()
    ):
        return "operation"
    keyed = column.name.lower() in map(str.lower, relation.primary_key)
    return "primary key" if keyed else "column"


def texts(names: Sequence[str], rows: Sequence[Values]) -> Result:
    """A table of texts."""
    return Result.of([Column(name, STRING) for name in names], rows)


def _summary(entry: Entry) -> str:
    if isinstance(entry, Sink):
        path = next((str(value) for key, value in entry.options if key.lower() == "path"), "")
        return f"{entry.format} {path}".strip()
    if isinstance(entry, Derived | Group):
        return entry.text
    call = entry.source
    source = f"USING {call.args[0]}" if call.is_format else call.function
    return f"{relation_plan(entry).schema} from {source}"
