"""Values of tuples: their order, and the normal form in which equal ones are equal in Python.

Integers are `int`, DECIMAL is `Decimal`, FLOAT and DOUBLE are `float`, TIMESTAMP is a naive
`datetime` in UTC, INTERVAL is a `timedelta`.
"""

from __future__ import annotations

import math
import struct
from decimal import ROUND_HALF_UP, Context, Decimal, InvalidOperation

from continua.model.types import Type

NAN = math.nan
"""The one NaN used in tuples: being one object, it equals itself in tuples and dictionaries."""

WIDE = Context(prec=100)
"""More digits than two DECIMAL(38) can need before their result is rounded."""


def normal(value: float) -> float:
    """One NaN and one zero, as Spark has them when it groups and joins."""
    if value != value:
        return NAN
    return value if value else 0.0


def single(value: float) -> float:
    """The value rounded to 32 bits."""
    try:
        return normal(struct.unpack("f", struct.pack("f", value))[0])
    except OverflowError:
        return math.copysign(math.inf, value)


def fit_decimal(value: Decimal, type_: Type) -> Decimal | None:
    """The value rounded half up to the type's scale, or None if it does not fit the precision."""
    try:
        rounded = value.quantize(Decimal(1).scaleb(-type_.scale), ROUND_HALF_UP, WIDE)
    except InvalidOperation:
        return None
    if rounded.is_zero():
        return rounded.copy_abs()  # numbers of this kind have one zero
    return rounded if rounded.adjusted() < type_.precision - type_.scale else None


def order_key(value: object) -> tuple[object, ...]:
    """A key for ascending order as in Spark: NULL first, NaN greater than every number."""
    if value is None:
        return (0,)
    if isinstance(value, float) and value != value:
        return (2,)
    return (1, value)
