"""Values as texts, twice: those of Python, and as SQL for Spark's tasks.

A text stands for its value: the readers of the same type give back what was written.
"""

from __future__ import annotations

from continua.logical.expr.cast import to_text
from continua.model.types import FLOAT, Type


def text(value: object, type_: Type) -> str:
    """The text of a value that is not NULL."""
    return to_text(value, type_)


def text_sql(column: str, type_: Type) -> str:
    """SQL: the text of a column; NULL is NULL."""
    return f"CAST({plain_sql(column, type_)} AS STRING)"


def plain_sql(column: str, type_: Type) -> str:
    """SQL: a column as results have it: floating numbers with one zero."""
    if type_.floating:
        return f"({column} + {'FLOAT(0)' if type_ == FLOAT else '0D'})"
    return column
