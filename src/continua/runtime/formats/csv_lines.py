"""A row as a line of CSV, in Python and as SQL: both give the same text.

NULL is an empty field; a text that is empty stands in quotes, as does one with a delimiter, a
quote or the end of a line in it. A quote inside is doubled. Nothing is trimmed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from string import ascii_letters, digits

from continua.model.element import Values
from continua.model.types import BOOLEAN, DATE, STRING, TIMESTAMP, Type
from continua.physical.expression import literal
from continua.runtime.formats.cells import text

_MARK = "\ufeff"
"""At the beginning of a file it is not part of the text."""


def csv_line(row: Values, types: Sequence[Type], delimiter: str) -> str:
    """The line of a row, without its end."""
    cells = zip(row, types, strict=True)
    return _joined((None if v is None else text(v, type_) for v, type_ in cells), delimiter)


def csv_header(names: Iterable[str], delimiter: str) -> str:
    return _joined(names, delimiter)


def csv_sql(texts: Sequence[str], types: Sequence[Type], delimiter: str) -> str:
    """SQL: the line of a row, over columns that have the texts of its values."""
    cells = [_field_sql(cell, type_, delimiter) for cell, type_ in zip(texts, types, strict=True)]
    return f"concat({f', {literal(delimiter, STRING)}, '.join(cells)})"


def _joined(cells: Iterable[str | None], delimiter: str) -> str:
    return delimiter.join("" if cell is None else _field(cell, delimiter) for cell in cells)


def _field(cell: str, delimiter: str) -> str:
    special = not cell or cell[0] == _MARK or any(c in cell for c in (delimiter, '"', "\r", "\n"))
    return '"' + cell.replace('"', '""') + '"' if special else cell


def _field_sql(cell: str, type_: Type, delimiter: str) -> str:
    plain = type_ == BOOLEAN or type_.numeric or type_ in (DATE, TIMESTAMP)
    if plain and delimiter not in _PLAIN:
        return f"coalesce({cell}, '')"
    marks = [literal(mark, STRING) for mark in (delimiter, '"', "\r", "\n")]
    tests = [f"{cell} = ''", f"startswith({cell}, '{_MARK}')"]
    tests += [f"contains({cell}, {mark})" for mark in marks]
    quoted = f"concat('\"', replace({cell}, '\"', '\"\"'), '\"')"
    return (
        f"CASE WHEN {cell} IS NULL THEN '' WHEN {' OR '.join(tests)} THEN {quoted} ELSE {cell} END"
    )


_PLAIN = frozenset(f"{ascii_letters}{digits}+-.: ")
"""What texts of numbers, times and truth are made of."""
