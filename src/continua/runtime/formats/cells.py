"""Values as texts, twice: those of Python, and as SQL for Spark's tasks.

A text stands for its value: the readers of the same type give back what was written.
"""

from __future__ import annotations

from continua.logical.expr.cast import to_text
from continua.model.types import FLOAT, TIMESTAMP, Type

_FRACTION = "date_format({}, 'yyyy-MM-dd HH:mm:ss.SSSSSS')"


def text(value: object, type_: Type) -> str:
    """The text of a value that is not NULL."""
    return to_text(value, type_)


def text_sql(column: str, type_: Type) -> str:
    """SQL: the text of a column; NULL is NULL."""
    cast = f"CAST({plain_sql(column, type_)} AS STRING)"
    if type_ == TIMESTAMP:
        # By itself, Spark leaves out the zeros at the end of a fraction.
        return f"IF(unix_micros({column}) % 1000000L = 0, {cast}, {_FRACTION.format(column)})"
    return cast


def plain_sql(column: str, type_: Type) -> str:
    """SQL: a column as results have it: floating numbers with one zero."""
    if type_.floating:
        return f"({column} + {'FLOAT(0)' if type_ == FLOAT else '0D'})"
    return column
