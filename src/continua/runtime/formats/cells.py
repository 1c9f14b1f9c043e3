"""Values as texts, twice: those of Python, and as SQL for Spark's tasks.

A text stands for its value: the readers of the same type give back what was written.
"""

from __future__ import annotations

from continua.logical.expr.cast import to_text
from continua.model.types import FLOAT, TIMESTAMP, Type

_LENGTH = len("2026-01-01 00:00:00.123456")


def text(value: object, type_: Type) -> str:
    """The text of a value that is not NULL."""
    return to_text(value, type_)


def text_sql(column: str, type_: Type) -> str:
    """SQL: the text of a column; NULL is NULL."""
    cast = f"CAST({plain_sql(column, type_)} AS STRING)"
    if type_ == TIMESTAMP:
        # Spark leaves out the zeros at the end of a fraction.
        return f"IF(instr({cast}, '.') > 0, rpad({cast}, {_LENGTH}, '0'), {cast})"
    return cast


def plain_sql(column: str, type_: Type) -> str:
    """SQL: a column as results have it: floating numbers with one zero."""
    if type_.floating:
        return f"({column} + {'FLOAT(0)' if type_ == FLOAT else '0D'})"
    return column
