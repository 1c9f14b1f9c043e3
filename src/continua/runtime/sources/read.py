"""The exact reader: all rows of a source, in order of time, and what is bad among them."""

from __future__ import annotations

import time
from collections.abc import Hashable
from dataclasses import dataclass

from continua.errors import ContinuaError, counted
from continua.model.element import SourceRow
from continua.runtime.sources.columns import places_of
from continua.runtime.sources.conversion import Conversion
from continua.runtime.sources.keyed import has_versions, overlapping
from continua.runtime.sources.record import Problem, Record, row_text, shorten
from continua.runtime.sources.source import Source


@dataclass(frozen=True)
class Rejected:
    """A bad row that was passed over: where it stands, what is wrong, and its text, cut short."""

    place: str
    reason: str
    text: str


@dataclass(frozen=True)
class ReadRows:
    """What was read of a source: rows sorted by (start, φ), and bad ones in their order."""

    rows: tuple[SourceRow, ...]
    rejected: tuple[Rejected, ...]


def read(source: Source) -> ReadRows:
    """Reads a source completely; the ON ERROR policy says what a bad row means."""
    relation, columns = source.relation, source.columns()
    places = None if columns is None else places_of(relation, columns, source.name)
    conversion = Conversion(relation, source.convert, time.time_ns() // 1000)
    found: list[SourceRow] = []
    rejected: list[Rejected] = []
    keyed, records = has_versions(relation), dict[Hashable, Record | Problem]()
    for phi, given in source.records():
        record = _of_width(given, len(columns or relation.columns))
        if isinstance(record, Problem):
            row: SourceRow | Problem = record
        else:
            row = conversion.row(record if places is None else record.only(places), phi)
        if isinstance(row, SourceRow):
            found.append(row)
            if keyed:
                records[phi] = given
            continue
        rejected.append(_rejected(source, row))
    # Records come in the order of φ, and sorting keeps it among equal times.
    found.sort(key=lambda row: row.start)
    if keyed:
        wrong = dict(overlapping(relation, found))
        rejected += [_rejected(source, _problem(records[phi], why)) for phi, why in wrong.items()]
        found = [row for row in found if row.phi not in wrong]
    return ReadRows(tuple(found), tuple(rejected))


def _rejected(source: Source, row: Problem) -> Rejected:
    """A row that is passed over, if that is the policy."""
    if source.relation.on_error == "FAIL":
        raise ContinuaError(
            "BAD_ROW",
            f"{row.place.in_words}: {row.reason}",
            source.relation.source.span,
            hint="ON ERROR DROP or KEEP passes over such rows",
        )
    return Rejected(str(row.place), row.reason, shorten(row.text))


def _problem(record: Record | Problem, reason: str) -> Problem:
    text = record.text
    if text is None and isinstance(record, Record):
        text = row_text(record.values)
    return Problem(reason, record.place, text or "")


def _of_width(record: Record | Problem, width: int) -> Record | Problem:
    """A record of so many values, or what is wrong with it."""
    if isinstance(record, Problem) or len(record.values) == width:
        return record
    wrong = f"{counted(len(record.values), 'value')} instead of the {width} declared"
    return Problem(wrong, record.place, record.text or row_text(record.values))


def read_exactly(source: Source) -> ReadRows:
    """Reads what Spark has left to the exact reader; raises if nothing but Spark can read it."""
    if (error := source.unreadable()) is not None:
        raise error
    return read(source)
