"""The options of CSV files, which sources and sinks have alike."""

from __future__ import annotations

from typing import Final

from continua.runtime.option import Option


def _delimiter(value: object) -> str | None:
    """The character between the fields, if it is one; `\\t` is a tab."""
    if value == r"\t":
        return "\t"
    one = isinstance(value, str) and len(value) == 1 and value not in '"\r\n'
    return str(value) if one else None


DELIMITER: Final = Option("delimiter", "one character", _delimiter, ",")
HEADER: Final = Option.truth("header", True)
