"""The way in: all rows of a declared stream or table, whatever its source, in order of time."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from continua.errors import ContinuaError, did_you_mean
from continua.logical.expr.cast import accept
from continua.model.catalog import USING, Relation
from continua.model.element import SourceRow
from continua.runtime.sources import csv_files, generators, json_files, parquet_files, rows
from continua.runtime.sources.conversion import Conversion
from continua.runtime.sources.record import Position, Problem, Reader, shorten


@dataclass(frozen=True)
class Rejected:
    """A bad row that was passed over: where it stands, what is wrong, and its text, cut short."""

    place: str
    reason: str
    text: str


@dataclass(frozen=True)
class Delivery:
    """What a source gave: rows sorted by (start, φ), and the bad ones in their order."""

    rows: tuple[SourceRow, ...]
    rejected: tuple[Rejected, ...]


def _declare_format(relation: Relation) -> None:
    """Only Spark knows its formats and their options, so any may be declared."""


def _read_format(relation: Relation) -> Iterator[Position]:
    raise ContinuaError(
        "UNSUPPORTED",
        f"{relation.name}: USING {relation.source.args[0]} is read by Spark alone",
        relation.source.span,
        hint="Session(engine='spark'); the reference reads what SOURCE names",
    )


_READERS: Final[dict[str, Reader]] = {
    "csv": csv_files.READER,
    "json": json_files.READER,
    "parquet": parquet_files.READER,
    "rows": rows.READER,
    **dict.fromkeys(generators.NAMES, generators.READER),
    USING: Reader(_declare_format, _read_format, accept),
}

FUNCTIONS: Final = tuple(name for name in _READERS if name != USING)
"""The functions that may follow SOURCE."""


def check(relation: Relation) -> None:
    """Refuse what is known to be wrong when the relation is declared; touches no file."""
    _reader(relation).check(relation)


def read(relation: Relation, reader: Reader | None = None) -> Delivery:
    """Read the relation completely; its ON ERROR policy says what a bad row means."""
    reader = reader or _reader(relation)
    reader.check(relation)
    conversion = Conversion(relation, reader.convert, time.time_ns() // 1000)
    found: list[SourceRow] = []
    rejected: list[Rejected] = []
    for phi, record in reader.records(relation):
        row = record if isinstance(record, Problem) else conversion.row(record, phi)
        if isinstance(row, SourceRow):
            found.append(row)
            continue
        if relation.on_error == "FAIL":
            raise ContinuaError(
                "BAD_ROW",
                f"{row.place.spoken}: {row.reason}",
                relation.source.span,
                hint="ON ERROR DROP or KEEP passes over such rows",
            )
        rejected.append(Rejected(str(row.place), row.reason, shorten(row.text)))
    # The readers give rows in the order of φ, and sorting keeps it among equal times.
    found.sort(key=lambda row: row.start)
    return Delivery(tuple(found), tuple(rejected))


def _reader(relation: Relation) -> Reader:
    call = relation.source
    reader = _READERS.get(call.function)
    if reader is None:
        message = f"no source function {call.function}"
        hint = did_you_mean(call.function, FUNCTIONS, f"the sources are {', '.join(FUNCTIONS)}")
        raise ContinuaError("UNKNOWN_FUNCTION", message, call.span, hint=hint)
    return reader
