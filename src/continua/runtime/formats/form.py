"""The options of CSV files, which sources and sinks have alike."""

from __future__ import annotations

from typing import Final

DELIMITER: Final = "one character"
HEADER: Final = "TRUE or FALSE"


def delimiter_of(value: object) -> str | None:
    """The character between the fields of CSV, if it is one; `\\t` is a tab."""
    if value == r"\t":
        return "\t"
    one = isinstance(value, str) and len(value) == 1 and value not in '"\r\n'
    return str(value) if one else None


def truth_of(value: object) -> bool | None:
    """TRUE or FALSE, or a text that says so: options are often written as texts."""
    return {"true": True, "false": False}.get(str(value).lower())
