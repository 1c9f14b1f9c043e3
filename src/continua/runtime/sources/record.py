"""What the exact reader goes through: records as the input has them, not yet of declared types."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple

LONGEST = 200
"""How much of a row is shown."""


class Place(NamedTuple):
    """Where a row stands.

    - `source`: the name of the file, or of what else it is in.
    - `number`: the number, from 1, of the line or row.
    - `unit`: what is counted.
    """

    source: str
    number: int
    unit: str = "row"

    def __str__(self) -> str:
        return f"{self.source}:{self.number}"

    @property
    def in_words(self) -> str:
        """The place as messages name it: `readings.csv, line 3`."""
        return f"{self.source}, {self.unit} {self.number}"


class Record(NamedTuple):
    """A row as the input has it.

    - `values`: a value for each column, in their order; None is NULL.
    - `place`: where it stands.
    - `text`: its text, if it has one, which is shown if it turns out to be bad.
    """

    values: tuple[object, ...]
    place: Place
    text: str | None = None

    def only(self, places: Sequence[int]) -> Record:
        """The record with the values at these places."""
        return self._replace(values=tuple(self.values[place] for place in places))


class Problem(NamedTuple):
    """A row that is bad as a whole, whatever the columns.

    - `reason`: what is wrong.
    - `place`: where it stands.
    - `text`: its text.
    """

    reason: str
    place: Place
    text: str


Position = tuple[Hashable, Record | Problem]
"""A row and its position φ."""


def shorten(text: str) -> str:
    """A text to show: without its line end, and never long."""
    text = text.rstrip("\r\n")
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def is_text(text: str) -> bool:
    """Whether the text is Unicode; undecodable bytes are read as lone surrogates, which are not."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def row_text(values: Iterable[object]) -> str:
    """The text by which messages show a row that was not read from text."""
    parts = ("NULL" if v is None else repr(v) if isinstance(v, str) else str(v) for v in values)
    return f"({', '.join(parts)})"
