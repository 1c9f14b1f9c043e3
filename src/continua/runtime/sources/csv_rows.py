"""Text cut into the rows and fields of CSV.

A field in quotes may have delimiters and line ends in it; a quote inside is doubled. A field that
is empty is NULL; in quotes, it is the empty text. Blanks belong to the field.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TextIO

from continua.runtime.sources.record import is_text

Field = str | None


class Row(NamedTuple):
    """A row of the file: its first line, its text, and its fields or why it has none."""

    line: int
    text: str
    fields: list[Field]
    problem: str | None = None

    @property
    def blank(self) -> bool:
        """Whether it is an empty line: no row, or one with a single field that is NULL."""
        return self.fields == [None]


def header_of(rows: Iterator[Row]) -> Row | None:
    """The first line that is not blank."""
    return next((row for row in rows if not row.blank), None)


def names_of(header: Row) -> list[str]:
    return [(name or "").strip() for name in header.fields]


class _NotCsv(Exception):
    """Why a text is no row."""


class _Lines:
    """The lines of a stream, of which those of the row at hand are kept."""

    def __init__(self, stream: TextIO) -> None:
        self._lines = iter(stream)
        self.number = 0
        self.taken: list[str] = []

    def next(self) -> str | None:
        line = next(self._lines, None)
        if line is not None:
            self.number += 1
            self.taken.append(line)
        return line


def rows_of(stream: TextIO, delimiter: str) -> Iterator[Row]:
    """All rows; a quoted line break makes a row of several lines."""
    lines = _Lines(stream)
    while (line := lines.next()) is not None:
        number = lines.number
        fields: list[Field] = []
        problem = None
        try:
            if '"' in line:
                fields = _quoted(line, lines, delimiter)
            else:
                fields = [field or None for field in line.rstrip("\r\n").split(delimiter)]
        except _NotCsv as error:
            problem = f"not CSV: {error}"
        text = "".join(lines.taken)
        lines.taken.clear()
        if is_text(text):
            yield Row(number, text, fields, problem)
        else:
            yield Row(number, _readable(text), [], problem or "not UTF-8 text")


def _quoted(line: str, lines: _Lines, delimiter: str) -> list[Field]:
    """The fields of a row that begins with a line in which there are quotes."""
    fields: list[Field] = []
    start = 0
    while True:
        if line.startswith('"', start):
            field, line, start = _until_quote(line, start + 1, lines)
            fields.append(field)
            after = line[start : start + 1]
            if after in ("", "\r", "\n"):
                return fields
            if after != delimiter:
                raise _NotCsv(f"'{delimiter}' expected after '\"'")
        else:
            end = line.find(delimiter, start)
            if end < 0:
                fields.append(line[start:].rstrip("\r\n") or None)
                return fields
            fields.append(line[start:end] or None)
            start = end
        start += 1


def _until_quote(line: str, start: int, lines: _Lines) -> tuple[str, str, int]:
    """A field whose quote has been opened; the line in which it is closed, and where."""
    parts = []
    while True:
        end = line.find('"', start)
        if end < 0:
            parts.append(line[start:])
            following = lines.next()
            if following is None:
                raise _NotCsv("unexpected end of data")
            line, start = following, 0
        elif line.startswith('"', end + 1):
            parts.append(line[start : end + 1])
            start = end + 2
        else:
            parts.append(line[start:end])
            return "".join(parts), line, end + 1


def _readable(text: str) -> str:
    """The text with `\\xff` in the place of each byte that is not UTF-8."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
