"""The kinds of sources there are: those of Continua, and those that other packages give."""

from __future__ import annotations

from typing import Final

from continua.errors import ContinuaError, did_you_mean
from continua.model.catalog import USING, Relation, SourceCall
from continua.runtime.packages import given_class, given_names
from continua.runtime.sources.columns import places_of
from continua.runtime.sources.csv_source import CsvSource
from continua.runtime.sources.format_source import FormatSource
from continua.runtime.sources.frame_source import FRAME, FrameSource
from continua.runtime.sources.generated_source import AuctionsSource, NexmarkSource
from continua.runtime.sources.json_source import JsonSource
from continua.runtime.sources.parquet_source import ParquetSource
from continua.runtime.sources.rows_source import RowsSource
from continua.runtime.sources.source import Source

GROUP: Final = "continua.sources"
"""The entry points by which packages give sources: the name of a kind, and its class."""

_CALLED: Final[dict[str, type[Source]]] = {
    "csv": CsvSource,
    "json": JsonSource,
    "parquet": ParquetSource,
    "rows": RowsSource,
    "auctions": AuctionsSource,
    "nexmark": NexmarkSource,
}

_KINDS: Final[dict[str, type[Source]]] = {**_CALLED, USING: FormatSource, FRAME: FrameSource}

FUNCTIONS: Final = tuple(_CALLED)
"""The functions that may follow SOURCE, beside those that packages give."""


def source_of(relation: Relation) -> Source:
    """The source of a relation; raises if it is known to be wrong as it was declared.

    No file is touched.
    """
    source = _kind(relation.source)(relation)
    source.check()
    if (columns := source.columns()) is not None:
        places_of(relation, columns, source.name)
    return source


def _kind(call: SourceCall) -> type[Source]:
    if call.function in _KINDS:
        return _KINDS[call.function]
    given: type[Source] | None = given_class(GROUP, call.function, Source, "source", call.span)
    if given is None:
        known = (*FUNCTIONS, *given_names(GROUP))
        message = f"no source function {call.function}"
        hint = did_you_mean(call.function, known, f"the sources are {', '.join(known)}")
        raise ContinuaError("UNKNOWN_FUNCTION", message, call.span, hint=hint)
    return given
