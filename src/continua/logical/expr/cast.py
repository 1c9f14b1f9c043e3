"""Conversions between types, as in Spark's ANSI mode: what does not convert raises."""

from __future__ import annotations

import math
import re
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal, InvalidOperation

from continua.model.schema import EPOCH, from_micros
from continua.model.types import (
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    INTERVAL,
    MAX_PRECISION,
    NULL,
    STRING,
    TIMESTAMP,
    Type,
)
from continua.model.values import fit_decimal, normal, single


class ValueProblem(Exception):
    """An expression has no value for a tuple; whoever knows the place turns it into an error."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


def castable(source: Type, target: Type) -> bool:
    """Whether CAST from one type to the other can ever succeed."""
    if source in (target, NULL) or target == STRING:
        return True
    if source == STRING:
        return target != INTERVAL
    if source.numeric:
        return target.numeric or target == BOOLEAN or (target == TIMESTAMP and source.integral)
    if source == BOOLEAN:
        return target.numeric
    if source == TIMESTAMP:
        return target == DATE or target.integral
    return source == DATE and target == TIMESTAMP


def convert(value: object, source: Type, target: Type) -> object:
    """The value of one type as a value of another; raises `ValueProblem` if there is none."""
    if value is None or source == target:
        return value
    if target == STRING:
        return to_text(value, source)
    if isinstance(value, str):
        return from_text(value, target)
    if target == BOOLEAN:
        return bool(value)
    if target == TIMESTAMP:
        if isinstance(value, date):
            return datetime(value.year, value.month, value.day)
        assert isinstance(value, int)
        try:
            return from_micros(value * 1_000_000)
        except OverflowError:
            raise ValueProblem(f"{value} seconds are no TIMESTAMP") from None
    if isinstance(value, datetime):
        if target == DATE:
            return value.date()
        value = (value - EPOCH) // timedelta(seconds=1)
    assert isinstance(value, (bool, int, float, Decimal))
    return _number(value, target)


def _number(value: bool | int | float | Decimal, target: Type) -> object:
    """A number of another type; what a whole type cannot hold after the point is cut off."""
    if target.floating:
        try:
            return normal(float(value)) if target == DOUBLE else single(float(value))
        except OverflowError:
            raise ValueProblem(f"a number of {len(str(value))} digits is not a {target}") from None
    finite = value.is_finite() if isinstance(value, Decimal) else math.isfinite(value)
    if not finite:
        raise ValueProblem(f"{to_text(value)} is not a {target}")
    if target.integral:
        # Compared first: a number such as 1e999999999 must not be written out.
        if not -(1 << target.bits) < value < 1 << target.bits:
            raise ValueProblem(f"{value} does not fit {target}")
        return fit_integer(int(value), target)
    exact = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
    fitted = fit_decimal(exact, target)
    if fitted is None:
        raise ValueProblem(f"{value} does not fit {target}")
    return fitted


def fit_integer(value: int, target: Type) -> int:
    """The value, if the integral type holds it."""
    if not -(1 << target.bits - 1) <= value < 1 << target.bits - 1:
        raise ValueProblem(f"{value} does not fit {target}")
    return value


def to_text(value: object, type_: Type | None = None) -> str:
    """A value as text; a FLOAT with as many digits as tell it from other 32-bit numbers."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        if not math.isfinite(value):
            return "NaN" if value != value else ("Infinity" if value > 0 else "-Infinity")
        if type_ == FLOAT:
            shortened = (float(f"{value:.{digits}g}") for digits in range(1, 10))
            value = next((short for short in shortened if single(short) == value), value)
        return repr(value)
    if isinstance(value, Decimal):
        return f"{value:f}" if abs(value.adjusted()) <= MAX_PRECISION else str(value)
    if isinstance(value, datetime):
        return value.isoformat(sep=" ")
    return str(value)


def accept(value: object, type_: Type) -> object:
    """A Python value as a value of the type, normalised; raises `ValueProblem` if it is not."""
    if isinstance(value, datetime):
        aware = value.tzinfo is not None
        value = value.astimezone(UTC).replace(tzinfo=None) if aware else value
        fits = type_ == TIMESTAMP
    elif isinstance(value, date):
        return convert(value, DATE, type_) if type_ in (DATE, TIMESTAMP) else _reject(value, type_)
    elif isinstance(value, bool):
        fits = type_ == BOOLEAN
    elif isinstance(value, (int, float, Decimal)):
        # Nothing is cut off: 1.5 is no INT.
        fraction = type_.integral and -(1 << 64) < value < 1 << 64 and value % 1 != 0
        return _number(value, type_) if type_.numeric and not fraction else _reject(value, type_)
    elif isinstance(value, str):
        readable = type_ in (STRING, DATE, TIMESTAMP)
        return from_text(value, type_) if readable else _reject(value, type_)
    else:
        fits = value is None or (isinstance(value, timedelta) and type_ == INTERVAL)
    return value if fits else _reject(value, type_)


def _reject(value: object, type_: Type) -> object:
    shown = repr(value) if isinstance(value, str) else to_text(value)
    raise ValueProblem(f"{shown} is not a {type_}")


_INTEGER = re.compile(r"[+-]?\d+")
_TIMESTAMP = re.compile(
    r"\d{4}-\d{2}-\d{2}([ T]\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?)?(Z|[+-]\d{2}:?\d{2})?"
)
_BOOLEANS = {"true": True, "t": True, "false": False, "f": False}


def from_text(text: str, target: Type) -> object:
    """The value a text stands for; surrounding blanks do not matter."""
    stripped = text.strip()
    problem = ValueProblem(f"{text!r} is not a {target}")
    try:
        if target == STRING:
            return text
        if target.integral:
            if not _INTEGER.fullmatch(stripped):
                raise problem
            return fit_integer(int(stripped), target)
        if target.floating:
            value = float(stripped.replace("_", "?"))
            return normal(value) if target == DOUBLE else single(value)
        if target.name == "DECIMAL":
            return _number(Decimal(stripped.replace("_", "?")), target)
        if target == BOOLEAN:
            return _BOOLEANS[stripped.lower()]
        if target == DATE:
            return date.fromisoformat(stripped)
        if target == TIMESTAMP and _TIMESTAMP.fullmatch(stripped):
            parsed = datetime.fromisoformat(stripped)
            if parsed.tzinfo is not None:
                parsed = parsed.astimezone(UTC).replace(tzinfo=None)
            return parsed
    except (ValueError, KeyError, InvalidOperation, OverflowError):
        pass
    raise problem
