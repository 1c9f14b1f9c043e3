"""`csv('glob', header => true, delimiter => ',')`: files of comma-separated values in UTF-8."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from typing import NamedTuple, TextIO

from continua.errors import ContinuaError
from continua.logical.expr.cast import from_text
from continua.model.catalog import Relation
from continua.model.types import Type
from continua.runtime.sources.arguments import named, wrong_arguments
from continua.runtime.sources.columns import locate
from continua.runtime.sources.files import File, patterns_of, read_files
from continua.runtime.sources.record import Place, Position, Problem, Reader, Record, is_text

SUFFIXES = (".csv",)


class Options(NamedTuple):
    header: bool
    delimiter: str


class Row(NamedTuple):
    """A row of the file: its first line, its text, and its fields or why it has none."""

    line: int
    text: str
    fields: list[str]
    problem: str | None = None


def options_of(relation: Relation) -> Options:
    found = named(relation, ("header", "delimiter"))
    header, delimiter = found.get("header", True), found.get("delimiter", ",")
    if not isinstance(header, bool):
        raise wrong_arguments(relation.source, f"header is TRUE or FALSE, not {header!r}")
    if delimiter == r"\t":
        delimiter = "\t"
    if not isinstance(delimiter, str) or len(delimiter) != 1 or delimiter in '"\r\n':
        raise wrong_arguments(relation.source, f"delimiter is one character, not {delimiter!r}")
    return Options(header, delimiter)


def _check(relation: Relation) -> None:
    patterns_of(relation, SUFFIXES)
    options_of(relation)


def _records(relation: Relation) -> Iterator[Position]:
    return read_files(relation, SUFFIXES, _read)


def _read(relation: Relation, file: File) -> Iterator[Record | Problem]:
    options = options_of(relation)
    # Bytes that are not UTF-8 must not stop the file: they become surrogates, refused per row.
    with open(file.path, encoding="utf-8-sig", errors="surrogateescape", newline="") as stream:
        rows = rows_of(stream, options.delimiter)
        positions = list(range(len(relation.columns)))
        width, whose = len(positions), "are declared"
        if options.header:
            header = next(rows, None)
            if header is None:
                return
            names = [name.strip() for name in _header(relation, file, header)]
            positions = locate(relation, names, file.name)
            width, whose = len(names), "are in the header"
        for row in rows:
            place = Place(file.name, row.line, "line")
            problem = row.problem
            if problem is None and len(row.fields) != width:
                problem = f"{len(row.fields)} fields, but {width} {whose}"
            if problem is not None:
                yield Problem(problem, place, row.text)
            else:
                values = tuple(row.fields[position] or None for position in positions)
                yield Record(values, place, row.text)


def _header(relation: Relation, file: File, header: Row) -> list[str]:
    """The fields of the header. Without a header no row has a meaning: no policy passes it over."""
    if header.problem is None:
        return header.fields
    message = f"{file.name}, line {header.line}: {header.problem}"
    raise ContinuaError("BAD_ROW", message, relation.source.span)


def rows_of(stream: TextIO, delimiter: str) -> Iterator[Row]:
    """The rows that are not blank; a quoted line break makes a row of several lines."""
    taken: list[str] = []

    def lines() -> Iterator[str]:
        for line in stream:
            taken.append(line)
            yield line

    reader = csv.reader(lines(), delimiter=delimiter, strict=True)
    while True:
        taken.clear()
        line = reader.line_num + 1
        try:
            fields = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield Row(line, _readable("".join(taken)), [], f"not CSV: {error}")
            continue
        text = "".join(taken)
        if not is_text(text):
            yield Row(line, _readable(text), [], "not UTF-8 text")
        elif fields:
            yield Row(line, text, fields)


def _readable(text: str) -> str:
    """The text with `\\xff` in the place of each byte that is not UTF-8."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _convert(value: object, type_: Type) -> object:
    assert isinstance(value, str), value
    return from_text(value, type_)


READER = Reader(_check, _records, _convert)
