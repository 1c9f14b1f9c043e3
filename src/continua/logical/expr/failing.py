"""Which expressions may have no value for some tuple: division by zero, overflow, failed casts.

What may fail is evaluated for the tuples and pairs of tuples that there are, and for no others; an
engine is free to evaluate all the rest earlier.
"""

from __future__ import annotations

from continua.logical.expr.functions import FUNCTIONS
from continua.logical.expr.nodes import Call, Cast, Expression, Literal
from continua.logical.expr.operators import OPERATORS
from continua.model.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    MAX_PRECISION,
    NULL,
    STRING,
    TIMESTAMP,
    Type,
    as_decimal,
)

_PARTIAL = frozenset(("div", "ceil", "floor", "round", "split_part", "timestamp_micros"))
"""Listed functions that have no value for some arguments, beside arithmetic and patterns."""


def may_fail(expression: Expression) -> bool:
    """Whether there may be tuples for which the expression, or a part of it, has no value."""
    return any(_may_fail(part) for part in expression.walk())


def _may_fail(part: Expression) -> bool:
    if isinstance(part, Cast):
        return not part.safe and _cast_may_fail(part.operand.type, part.type)
    if not isinstance(part, Call):
        return False
    name, args, result = part.function.name, part.args, part.type
    if all(part.function is not listed.get(name) for listed in (OPERATORS, FUNCTIONS)):
        return True  # the user's, or one that only Spark knows
    if name in ("like", "rlike"):
        return not isinstance(args[1], Literal)
    wide_enough = result.floating or (result.name == "DECIMAL" and result.precision < MAX_PRECISION)
    if name in ("+", "-", "*", "neg", "abs"):
        return not wide_enough
    if name in ("/", "%", "mod"):
        return not (wide_enough and _other_than_zero(args[1]))
    return name in _PARTIAL


def _other_than_zero(divisor: Expression) -> bool:
    """Whether it is a literal, perhaps brought to another type, and not 0."""
    known = all(isinstance(part, (Literal, Cast)) for part in divisor.walk())
    return known and not may_fail(divisor) and bool(divisor.evaluate(()))


def _cast_may_fail(source: Type, target: Type) -> bool:
    if source in (target, NULL) or target in (STRING, BOOLEAN):
        return source == STRING and target == BOOLEAN
    if source == TIMESTAMP:
        return target not in (DATE, BIGINT)
    if source == DATE:
        return False
    if source == BOOLEAN:
        return target.precision == target.scale and target.name == "DECIMAL"
    if not source.numeric or target == TIMESTAMP:
        return True
    if target.floating:
        return False
    if target.integral:
        return not source.integral or source.bits > target.bits
    return source.floating or not _holds(target, as_decimal(source))


def _holds(target: Type, source: Type) -> bool:
    """Whether a DECIMAL holds all values of another; rounding may make a digit more."""
    before, room = source.precision - source.scale, target.precision - target.scale
    return before < room or (before == room and source.scale <= target.scale)
