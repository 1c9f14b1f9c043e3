"""The kinds of sinks there are: those of Continua, and those that other packages give."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib.metadata import EntryPoint, entry_points
from typing import Final

from continua.errors import ContinuaError, Span, did_you_mean
from continua.runtime.sinks.csv_sink import CsvSink
from continua.runtime.sinks.file_sink import FileSink
from continua.runtime.sinks.json_sink import JsonSink
from continua.runtime.sinks.option import values_of
from continua.runtime.sinks.parquet_sink import ParquetSink
from continua.runtime.sinks.sink import Sink
from continua.runtime.sinks.table_sink import TableSink

GROUP: Final = "continua.sinks"
"""The entry points by which packages give sinks: the name of a kind, and its class."""

FORMATS: Final[dict[str, type[FileSink]]] = {
    "table": TableSink,
    "csv": CsvSink,
    "json": JsonSink,
    "parquet": ParquetSink,
}
"""The kinds that write files, which are also formats of the command line."""

Given = Iterable[tuple[str, object]]
"""Options as the user gives them."""

Maker = Callable[[str], Sink]
"""Makes the sink of a query, by its name."""


def kind_of_sink(name: str, span: Span | None = None) -> type[Sink]:
    """The class of a kind."""
    if name in FORMATS:
        return FORMATS[name]
    given = {entry.name: entry for entry in entry_points(group=GROUP)}
    if name not in given:
        raise no_format(name, (*FORMATS, *given), span)
    return _loaded(given[name], span)


def check_sink(
    kind: str, options: Given, delivery: str | None, kind_span: Span, span: Span
) -> None:
    """Refuses what is known to be wrong when a sink is declared."""
    found = kind_of_sink(kind, kind_span)
    values_of(kind, found.OPTIONS, options, span)
    if delivery is not None and delivery not in found.DELIVERIES:
        message = f"a sink of {kind} does not take {delivery}"
        hint = f"it takes {', '.join(found.DELIVERIES)}"
        raise ContinuaError("WRONG_ARGUMENTS", message, span, hint=hint)


def make_sink(kind: str, name: str, options: Given = (), span: Span | None = None) -> Sink:
    """The sink of a query, as it was declared."""
    found = kind_of_sink(kind, span)
    values = values_of(kind, found.OPTIONS, options, span)
    for option in found.OPTIONS:
        if option.required and values[option.name] is None:
            hint = f"CREATE SINK {name} USING {kind} OPTIONS ({option.name} '…')"
            message = f"the sink {name} has no {option.name}"
            raise ContinuaError("CANNOT_WRITE", message, span, hint=hint)
    return found(name, values, span)


def delivery_to(kind: str, asked: str | None, usual: str) -> str:
    """What a sink is given: what it asks for, or the usual, or what its kind takes instead."""
    takes = kind_of_sink(kind).DELIVERIES
    return asked or (usual if usual in takes else takes[0])


def file_sink(format_: str, path: str | None = None) -> FileSink:
    """Writes one file in a format, whatever it is called, or gives its text."""
    kind = FORMATS[format_]
    given = () if path is None else (("path", path),)
    return kind("the output", values_of(format_, kind.OPTIONS, given), one_file=True)


def no_format(name: str, known: Iterable[str], span: Span | None = None) -> ContinuaError:
    listed = list(known)
    hint = did_you_mean(name, listed, f"the formats are {', '.join(listed)}")
    return ContinuaError("WRONG_ARGUMENTS", f"there is no format {name}", span, hint=hint)


def _loaded(entry: EntryPoint, span: Span | None) -> type[Sink]:
    """The class that a package gives, which is a sink."""
    try:
        found = entry.load()
    except Exception as error:
        message = f"the format {entry.name} cannot be loaded: {type(error).__name__}: {error}"
        raise ContinuaError("WRONG_ARGUMENTS", message, span) from None
    if not (isinstance(found, type) and issubclass(found, Sink)):
        message = f"{entry.value}, which the format {entry.name} is to be, is no sink"
        raise ContinuaError("WRONG_ARGUMENTS", message, span, hint="a class made from Sink")
    return found
