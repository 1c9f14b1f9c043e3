"""What a text stands for, as SQL: `from_text` where Spark's casts surely agree with it."""

from __future__ import annotations

from typing import NamedTuple

from continua.model.types import BOOLEAN, DATE, FLOAT, STRING, TIMESTAMP, Type
from continua.physical.expression import literal, spark_type


class Cell(NamedTuple):
    """A column of the input as a value of the declared type, both as SQL.

    value: the value, over the columns of the input.
    good: whether it is the value of the reference's reader, over the input and the value itself;
        None if there is no doubt. Where it is not true, the reference decides.
    seldom: whether only a file that breaks the rules of its format makes it untrue; looked at
        where the column is used, so that Spark need not read the columns that are not.
    """

    value: str
    good: str | None = None
    seldom: bool = False


FIRST_DAY, LAST_DAY = "DATE '0001-01-01'", "DATE '9999-12-31'"
FIRST_TIME, LAST_TIME = (
    f"TIMESTAMP '{text}'" for text in ("0001-01-01 00:00:00", "9999-12-31 23:59:59.999999")
)
"""The least and the greatest that the reference can hold."""

_DAY = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_CLOCK = r"[ T][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?(Z|[+-][0-9]{2}:?[0-9]{2})?"
_DIGITS = r"([0-9]+\.?[0-9]*|\.[0-9]+)"
_FLOATING = rf"[+-]?({_DIGITS}([eE][+-]?[0-9]+)?|[iI][nN][fF]([iI][nN][iI][tT][yY])?)|[nN][aA][nN]"
# 76 digits at most: the reference rounds numbers of up to a hundred.
_DECIMAL = r"[+-]?([0-9]{1,38}(\.[0-9]{0,38})?|\.[0-9]{1,38})"


def text_cell(raw: str, type_: Type, value: str) -> Cell:
    """The cell of a text without control characters; `value` is the name its value will have."""
    if type_ == STRING:
        return Cell(raw)
    if type_ == BOOLEAN:
        word = f"lower(trim({raw}))"
        false = f"WHEN {word} IN ('false', 'f') THEN FALSE"
        truth = f"CASE WHEN {word} IN ('true', 't') THEN TRUE {false} END"
        return Cell(truth, f"({raw} IS NULL OR {value} IS NOT NULL)")
    if type_.floating:
        held = f"({not_infinite(value)} OR lower({raw}) LIKE '%inf%')"
        number = floating(f"TRY_CAST({raw} AS DOUBLE)", type_)
        return Cell(number, _good(raw, value, _FLOATING, held))
    cast = f"TRY_CAST({raw} AS {spark_type(type_)})"
    if type_ == DATE:
        return Cell(cast, _good(raw, value, _DAY, f"{value} >= {FIRST_DAY}"))
    if type_ == TIMESTAMP:
        inside = f"{value} BETWEEN {FIRST_TIME} AND {LAST_TIME}"
        return Cell(cast, _good(raw, value, f"{_DAY}({_CLOCK})?", inside))
    if type_.name == "DECIMAL":
        return Cell(cast, _good(raw, value, _DECIMAL))
    # Spark's own rule for whole numbers is the same, but for digits of other scripts.
    return Cell(cast, f"({raw} IS NULL OR {value} IS NOT NULL)")


def floating(double: str, type_: Type) -> str:
    """A DOUBLE as a value of a floating type: rounded from it, and without a negative zero."""
    return f"(CAST({double} AS FLOAT) + FLOAT(0))" if type_ == FLOAT else f"({double} + 0D)"


def not_infinite(value: str) -> str:
    """Whether a floating number is not infinite, as one is that was too large for its type."""
    return f"abs({value}) <> double('Infinity')"


def _good(raw: str, value: str, pattern: str, also: str = "TRUE") -> str:
    shape = literal(rf"^[ \t]*({pattern})[ \t]*$", STRING)
    return f"({raw} IS NULL OR ({raw} RLIKE {shape} AND {value} IS NOT NULL AND {also}))"
