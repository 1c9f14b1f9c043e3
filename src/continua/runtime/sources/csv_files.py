"""`csv('glob', header => true, delimiter => ',')`: files of comma-separated values in UTF-8."""

from __future__ import annotations

from collections.abc import Iterator
from io import TextIOWrapper
from typing import NamedTuple, TextIO

from continua.errors import ContinuaError, counted
from continua.logical.expr.cast import from_text
from continua.model.catalog import Relation
from continua.model.types import STRING, Type
from continua.runtime.formats.form import DELIMITER, HEADER, delimiter_of, truth_of
from continua.runtime.sources.arguments import named, wrong_arguments
from continua.runtime.sources.columns import locate
from continua.runtime.sources.compressed import open_bytes
from continua.runtime.sources.csv_rows import Row, rows_of
from continua.runtime.sources.files import File, patterns_of, read_files
from continua.runtime.sources.record import Place, Position, Problem, Reader, Record

SUFFIXES = (".csv",)


class Options(NamedTuple):
    header: bool
    delimiter: str


def options_of(relation: Relation) -> Options:
    found = named(relation, ("header", "delimiter"))
    header, delimiter = found.get("header", True), found.get("delimiter", ",")
    truth, mark = truth_of(header), delimiter_of(delimiter)
    if truth is None:
        raise wrong_arguments(relation.source, f"header is {HEADER}, not {header!r}")
    if mark is None:
        raise wrong_arguments(relation.source, f"delimiter is {DELIMITER}, not {delimiter!r}")
    return Options(truth, mark)


def _check(relation: Relation) -> None:
    patterns_of(relation, SUFFIXES)
    options_of(relation)


def _records(relation: Relation) -> Iterator[Position]:
    return read_files(relation, SUFFIXES, _read)


def _read(relation: Relation, file: File) -> Iterator[Record | Problem]:
    options = options_of(relation)
    with open_text(relation, file.path) as stream:
        rows = rows_of(stream, options.delimiter)
        positions = list(range(len(relation.columns)))
        width, whose = len(positions), "declared"
        if options.header:
            header = header_of(rows)
            if header is None:
                return
            positions = locate(relation, _names(relation, file, header), file.name)
            width, whose = len(header.fields), "in the header"
        texts = [column.type == STRING for column in relation.columns]
        for row in rows:
            if row.blank and width > 1:
                continue
            place = Place(file.name, row.line, "line")
            problem = row.problem
            if problem is None and len(row.fields) != width:
                problem = f"{counted(len(row.fields), 'field')} instead of the {width} {whose}"
            if problem is not None:
                yield Problem(problem, place, row.text)
            else:
                fields = (row.fields[position] for position in positions)
                # Only a text can be empty; of other types, nothing in quotes is nothing.
                values = (
                    f if is_text else f or None for f, is_text in zip(fields, texts, strict=True)
                )
                yield Record(tuple(values), place, row.text)


def open_text(relation: Relation, path: str) -> TextIO:
    """A file as text. Bytes that are not UTF-8 must not stop it: they become surrogates, which are
    refused per row."""
    raw = open_bytes(relation, path)
    return TextIOWrapper(raw, encoding="utf-8-sig", errors="surrogateescape", newline="")


def header_of(rows: Iterator[Row]) -> Row | None:
    """The first line that is not blank."""
    return next((row for row in rows if not row.blank), None)


def names_of(header: Row) -> list[str]:
    return [(name or "").strip() for name in header.fields]


def _names(relation: Relation, file: File, header: Row) -> list[str]:
    """The names in a header. Without one no row has a meaning: no policy passes it over."""
    if header.problem is None:
        return names_of(header)
    message = f"{file.name}, line {header.line}: {header.problem}"
    raise ContinuaError("BAD_ROW", message, relation.source.span)


def _convert(value: object, type_: Type) -> object:
    assert isinstance(value, str), value
    return from_text(value, type_)


READER = Reader(_check, _records, _convert)
