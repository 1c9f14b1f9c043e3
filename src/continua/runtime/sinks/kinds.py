"""The kinds of sinks there are: those of Continua, and those that other packages give."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from continua.errors import ContinuaError, Span, did_you_mean, nearest
from continua.runtime.option import UnknownOption, WrongOption, values_of
from continua.runtime.packages import given_class, given_names
from continua.runtime.sinks.csv_sink import CsvSink
from continua.runtime.sinks.file_sink import FileSink
from continua.runtime.sinks.json_sink import JsonSink
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
    given: type[Sink] | None = given_class(GROUP, name, Sink, "format", span)
    if given is None:
        raise no_format(name, (*FORMATS, *given_names(GROUP)), span)
    return given


def check_sink(
    kind: str, options: Given, delivery: str | None, kind_span: Span, span: Span
) -> None:
    """Refuses what is known to be wrong when a sink is declared."""
    found = kind_of_sink(kind, kind_span)
    _values(kind, found, options, span)
    if delivery is not None and delivery not in found.DELIVERIES:
        message = f"a sink of {kind} does not take {delivery}"
        hint = f"it takes {', '.join(found.DELIVERIES)}"
        raise ContinuaError("WRONG_ARGUMENTS", message, span, hint=hint)


def make_sink(kind: str, name: str, options: Given = (), span: Span | None = None) -> Sink:
    """The sink of a query, as it was declared."""
    found = kind_of_sink(kind, span)
    values = _values(kind, found, options, span)
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
    return kind("the output", _values(format_, kind, given), one_file=True)


def no_format(name: str, known: Iterable[str], span: Span | None = None) -> ContinuaError:
    listed = list(known)
    hint = did_you_mean(name, listed, f"the formats are {', '.join(listed)}")
    return ContinuaError("WRONG_ARGUMENTS", f"there is no format {name}", span, hint=hint)


def _values(
    kind: str, found: type[Sink], given: Given, span: Span | None = None
) -> dict[str, object]:
    """The value of every option of a kind."""
    try:
        return values_of(found.OPTIONS, given)
    except UnknownOption as error:
        names = [option.name for option in found.OPTIONS]
        match, listed = nearest(str(error), names), ", ".join(names) or "none"
        hint = (f"did you mean {match}? " if match else "") + f"its options are {listed}"
        message = f"a sink of {kind} has no option {error}"
        raise ContinuaError("WRONG_ARGUMENTS", message, span, hint=hint) from None
    except WrongOption as error:
        raise ContinuaError("WRONG_ARGUMENTS", str(error), span) from None
