"""Conversions between types, as in Spark's ANSI mode: what does not convert raises."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

from continua.errors import with_article
from continua.logical.expr.spelling import (
    double_text,
    float_text,
    interval_text,
    read_boolean,
    read_date,
    read_decimal,
    read_double,
    read_integer,
    read_timestamp,
    timestamp_text,
)
from continua.model.schema import EPOCH, from_micros
from continua.model.types import (
    BIGINT,
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
        return moment(value * 1_000_000)
    if isinstance(value, datetime):
        if target == DATE:
            return value.date()
        value = (value - EPOCH) // timedelta(seconds=1)
    assert isinstance(value, (bool, int, float, Decimal))
    if isinstance(value, float) and not math.isfinite(value) and target.name == "DECIMAL":
        return None  # as in Spark: the only cast that gives NULL
    return _number(value, target)


def moment(micros: int) -> datetime:
    """The TIMESTAMP so many microseconds after the epoch."""
    try:
        return from_micros(micros)
    except OverflowError:
        raise ValueProblem(OUTSIDE, FROM_TO) from None


OUTSIDE = "a time lies outside the years 1 to 9999"
FROM_TO = "a TIMESTAMP is from 0001-01-01 00:00:00 to 9999-12-31 23:59:59.999999"


def _number(value: bool | int | float | Decimal, target: Type) -> object:
    """A number of another type; what a whole type cannot hold after the point is cut off."""
    if target.floating:
        try:
            return normal(float(value)) if target == DOUBLE else single(float(value))
        except OverflowError:
            digits = len(str(value))
            message = f"a number of {digits} digits is not {with_article(target)}"
            raise ValueProblem(message) from None
    finite = value.is_finite() if isinstance(value, Decimal) else math.isfinite(value)
    if not finite:
        raise ValueProblem(f"{to_text(value)} is not {with_article(target)}")
    if target.integral:
        # Compared first: a number such as 1e999999999 must not be written out.
        if not -(1 << target.bits) < value < 1 << target.bits:
            raise ValueProblem(f"{value} does not fit {target}")
        if isinstance(value, float) and value == 2.0**63 and target == BIGINT:
            return 2**63 - 1  # as in Spark: the greatest BIGINT as a floating number is this one
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
    """A value as text, as Spark writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return float_text(value) if type_ == FLOAT else double_text(value)
    if isinstance(value, Decimal):
        return f"{value:f}" if abs(value.adjusted()) <= MAX_PRECISION else str(value)
    if isinstance(value, datetime):
        return timestamp_text(value)
    if isinstance(value, timedelta):
        return interval_text(value)
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
    raise ValueProblem(f"{shown} is not {with_article(type_)}")


def from_text(text: str, target: Type) -> object:
    """The value a text stands for; surrounding blanks do not matter."""
    try:
        value = text if target == STRING else _read(text, target)
    except (ValueError, OverflowError):
        value = None
    if value is None:
        raise ValueProblem(f"{text!r} is not {with_article(target)}")
    return value


def _read(text: str, target: Type) -> object:
    if target.integral:
        whole = read_integer(text)
        return None if whole is None else fit_integer(whole, target)
    if target.floating:
        number = read_double(text)
        return None if number is None else _number(number, target)
    if target.name == "DECIMAL":
        exact = read_decimal(text)
        return None if exact is None else _number(exact, target)
    if target == BOOLEAN:
        return read_boolean(text)
    return read_date(text) if target == DATE else read_timestamp(text)
