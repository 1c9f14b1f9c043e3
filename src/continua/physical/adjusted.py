"""Where the SQL of Spark means something else than the language: what is written instead.

Every form names its operand once where it can, so that nested expressions stay short, and is made
of functions that Spark compiles.
"""

from __future__ import annotations

from collections.abc import Sequence

from continua.logical.expr.spelling import DATE_PATTERN, DECIMAL_PATTERN, TIMESTAMP_PATTERN
from continua.model.types import DATE, FLOAT, STRING, TIMESTAMP, Type
from continua.physical.years import within_years

NO_VALUE = "\ue000"
"""Put before a text that is no value of a type, so that Spark does not take it for one."""

_PATTERNS = {"DATE": DATE_PATTERN, "TIMESTAMP": TIMESTAMP_PATTERN, "DECIMAL": DECIMAL_PATTERN}

MOST_DIGITS = 34
"""Spark rounds to so many digits when it negates a DECIMAL."""

_CHOICES = frozenset(("case", "if", "coalesce", "nullif", "greatest", "least"))
_ONE_ZERO = _CHOICES | {"+", "-", "neg", "abs", "sqrt", "exp", "ln", "log2", "log10"}
"""What gives no negative zero if it is given none."""
_INSIDE = _CHOICES | {"date_trunc"}
"""What gives no time outside the years 1 to 9999 if it is given none."""


def adjusted(name: str, result: Type, text: str) -> str:
    """SQL: what a function of Spark's gives, as one of the values that the language has."""
    if result.floating and name not in _ONE_ZERO:
        return one_zero(text, result)
    if result == TIMESTAMP and name not in _INSIDE:
        return within_years(text)
    return text


def cast(operand: str, source: Type, target: Type, name: str, safe: bool) -> str:
    """SQL: the operand as a value of another type; NULL, if `safe`, where there is none.

    `name` is what Spark calls the type.
    """
    word = "TRY_CAST" if safe else "CAST"
    if source == STRING and target.name in _PATTERNS:
        operand = f"regexp_replace({operand}, '{_unlike(_PATTERNS[target.name])}', '{NO_VALUE}')"
    if source == STRING and target == FLOAT:
        # As sources read numbers: rounded from a DOUBLE.
        operand = f"{word}({operand} AS DOUBLE)"
    if source.name == "DECIMAL" and target.integral:
        # Spark would make it a DOUBLE on the way to the smaller types.
        operand = f"{word}({operand} AS BIGINT)"
    text = f"{word}({operand} AS {name})"
    if target == TIMESTAMP and source != DATE:
        return within_years(text, safe)
    if target.floating and (source == STRING or target == FLOAT):
        return one_zero(text, target)
    return text


def _unlike(pattern: str) -> str:
    """A pattern that finds the beginning of texts that another does not match, in quotes."""
    return f"^(?!{pattern}\\z)".replace("\\", "\\\\")


def one_zero(text: str, type_: Type) -> str:
    """SQL: a floating number, with 0.0 for -0.0: values have one zero."""
    return f"({text} + {'FLOAT(0)' if type_ == FLOAT else '0D'})"


def negative(operand: str, type_: Type) -> str:
    """SQL: the operand with the other sign."""
    if type_.floating:
        return f"({'FLOAT(0)' if type_ == FLOAT else '0D'} - {operand})"
    if type_.precision > MOST_DIGITS:
        return f"CAST(replace(concat('-', CAST({operand} AS STRING)), '--', '') AS {type_})"
    return f"-({operand})"


def absolute(operand: str, type_: Type) -> str:
    """SQL: the operand without its sign."""
    if type_.precision > MOST_DIGITS:
        return f"CAST(replace(CAST({operand} AS STRING), '-', '') AS {type_})"
    return f"ABS({operand})"


def quotient(a: str, b: str, type_: Type) -> str:
    """SQL: a DIV b; of decimals, Spark would give other digits where it is no BIGINT."""
    whole = f"({a} DIV {b})"
    if type_.name != "DECIMAL":
        return whole
    return f"IF(CAST(({a} / {b}) AS BIGINT) IS NOT NULL, {whole}, NULL)"


def conditional(parts: Sequence[str]) -> str:
    """SQL: CASE of conditions and values in turn, and the value of ELSE."""
    pairs = zip(parts[:-1:2], parts[1::2], strict=False)
    branches = " ".join(f"WHEN {condition} THEN {value}" for condition, value in pairs)
    return f"CASE {branches} ELSE {parts[-1]} END"
