"""Arithmetic, comparison, logic and the conditional forms, as functions."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal, localcontext
from functools import cache
from typing import Any

from continua.logical.expr.cast import FROM_TO, OUTSIDE, ValueProblem, fit_integer
from continua.logical.expr.function import ArityProblem, Function, Signature, TypeProblem
from continua.model.types import (
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    INTERVAL,
    NULL,
    STRING,
    TIMESTAMP,
    Type,
    arithmetic_type,
    as_decimal,
    common_type,
)
from continua.model.values import NAN, WIDE, fit_decimal, normal, order_key, single

Thunk = Callable[[], object]


Number = int | float | Decimal


def fit_number(result: Type, value: Number) -> Number:
    """A computed number as a value of the result type; overflow raises, as in Spark's ANSI mode."""
    if result.integral:
        assert isinstance(value, int)
        return fit_integer(value, result)
    if result == DOUBLE:
        return normal(float(value))
    if result == FLOAT:
        return single(float(value))
    assert isinstance(value, Decimal)
    fitted = fit_decimal(value, result)
    if fitted is None:
        raise ValueProblem(f"{value} does not fit {result}", "cast an operand to a wider type")
    return fitted


def _arithmetic(operator: str, compute: Callable[[Any, Any], Any]) -> Function:
    def resolve(types: Sequence[Type]) -> Signature:
        a, b = types
        moved = _with_time(operator, a, b)
        if moved is not None:
            return moved
        result = arithmetic_type(operator, a, b)
        if result is None:
            raise TypeProblem(f"cannot compute {a} {operator} {b}")
        if result.name == "DECIMAL":
            return (as_decimal(a), as_decimal(b)), result
        if operator == "div":
            wide = common_type(a, b) or a
            return (wide, wide), result
        return (result, result), result

    def apply(result: Type, a: Any, b: Any) -> object:
        with localcontext(WIDE):
            try:
                value = compute(a, b)
            except ZeroDivisionError:
                hint = "NULLIF(divisor, 0) gives NULL instead"
                raise ValueProblem("division by zero", hint) from None
            except OverflowError:
                if result == TIMESTAMP:
                    raise ValueProblem(OUTSIDE, FROM_TO) from None
                raise ValueProblem(f"{a} {operator} {b} is out of range") from None
        if result.numeric:
            return fit_number(result, value)
        return fit_interval(value) if result == INTERVAL else value

    return Function(operator, resolve, apply, template=f"({{}} {operator.upper()} {{}})")


def fit_interval(value: timedelta) -> timedelta:
    """The length of time, if it has no more microseconds than 64 bits can count, as in Spark."""
    if not -(2**63) <= value // timedelta(microseconds=1) < 2**63:
        raise ValueProblem(f"{value} is longer than an interval can be")
    return value


def _with_time(operator: str, a: Type, b: Type) -> Signature | None:
    """Timestamps move by intervals; two of them differ by one."""
    if operator in "+-" and a in (TIMESTAMP, DATE) and b == INTERVAL:
        return (TIMESTAMP, INTERVAL), TIMESTAMP
    if operator == "+" and a == INTERVAL and b in (TIMESTAMP, DATE):
        return (INTERVAL, TIMESTAMP), TIMESTAMP
    if operator == "-" and {a, b} <= {TIMESTAMP, DATE}:
        return (TIMESTAMP, TIMESTAMP), INTERVAL
    if operator in "+-" and a == b == INTERVAL:
        return (INTERVAL, INTERVAL), INTERVAL
    if operator == "*" and a == INTERVAL and b.integral:
        return (a, b), INTERVAL
    return None


def _integral_quotient(a: int | Decimal, b: int | Decimal) -> int:
    if b == 0:
        raise ZeroDivisionError
    if isinstance(a, int) and isinstance(b, int):
        return int(math.copysign(1, a) * math.copysign(1, b)) * (abs(a) // abs(b))
    return int(a / b)


def _remainder(a: Any, b: Any) -> Any:
    """The remainder has the sign of the dividend, as in Java."""
    if b == 0:
        raise ZeroDivisionError
    if isinstance(a, int) and isinstance(b, int):
        return int(math.copysign(1, a)) * (abs(a) % abs(b))
    if isinstance(a, Decimal):
        # As in Spark: the quotient on the way has no more digits than this.
        if a.adjusted() - b.adjusted() >= 39 and len(str(abs(int(a / b))).rstrip("0")) > 39:
            raise OverflowError
        return a % b
    return NAN if math.isinf(a) else math.fmod(a, b)


def comparable(types: Sequence[Type], what: str) -> Signature:
    a, b = types
    wide = common_type(a, b)
    if wide is None:
        raise TypeProblem(f"cannot {what} {a} with {b}")
    return (wide, wide), BOOLEAN


def _comparison(operator: str, decide: Callable[[Any, Any], bool]) -> Function:
    return Function(
        operator,
        lambda types: comparable(types, "compare"),
        lambda _result, a, b: decide(order_key(a), order_key(b)),
        template=f"({{}} {operator} {{}})",
    )


def _booleans(types: Sequence[Type]) -> Signature:
    for type_ in types:
        if type_ not in (BOOLEAN, NULL):
            raise TypeProblem(f"a condition must be BOOLEAN, this is {type_}")
    return (BOOLEAN,) * len(types), BOOLEAN


def _and(*parts: Thunk) -> object:
    """SQL's three-valued AND: false wins, then NULL."""
    unknown = False
    for part in parts:
        value = part()
        if value is False:
            return False
        unknown = unknown or value is None
    return None if unknown else True


def _or(*parts: Thunk) -> object:
    unknown = False
    for part in parts:
        value = part()
        if value is True:
            return True
        unknown = unknown or value is None
    return None if unknown else False


def _anything(types: Sequence[Type]) -> Signature:
    return tuple(types), BOOLEAN


def unify(types: Sequence[Type], what: str) -> Type:
    """The least type all of them convert to."""
    wide = NULL
    for type_ in types:
        common = common_type(wide, type_)
        if common is None:
            raise TypeProblem(f"{what} of {wide} and {type_} do not fit together")
        wide = common
    return wide


def _case_types(types: Sequence[Type]) -> Signature:
    """Arguments alternate condition and value; the last is the ELSE."""
    conditions, values = types[:-1:2], [*types[1::2], types[-1]]
    _booleans(conditions)
    wide = unify(values, "the branches")
    alternating = (BOOLEAN if i % 2 == 0 else wide for i in range(len(types) - 1))
    return (*alternating, wide), wide


def _case(*parts: Thunk) -> object:
    for i in range(0, len(parts) - 1, 2):
        if parts[i]() is True:
            return parts[i + 1]()
    return parts[-1]()


def _coalesce(*parts: Thunk) -> object:
    return next((value for part in parts if (value := part()) is not None), None)


def _coalesce_types(types: Sequence[Type]) -> Signature:
    if not types:
        raise ArityProblem("needs arguments")
    wide = unify(types, "the arguments")
    return (wide,) * len(types), wide


def _texts(types: Sequence[Type]) -> Signature:
    if any(type_ not in (STRING, NULL) for type_ in types):
        raise TypeProblem(f"a pattern is matched against STRING, not {types[0]}")
    return (STRING, STRING), BOOLEAN


@cache
def _like_pattern(pattern: str) -> re.Pattern[str]:
    out, i = [], 0
    while i < len(pattern):
        c = pattern[i]
        if c == "\\":
            i += 1
            if pattern[i : i + 1] not in ("\\", "%", "_"):
                hint = "\\\\ stands for a backslash"
                raise ValueProblem(f"in the pattern {pattern!r}, \\ quotes nothing", hint)
            out.append(re.escape(pattern[i]))
        else:
            out.append({"%": ".*", "_": "."}.get(c, re.escape(c)))
        i += 1
    return re.compile("".join(out), re.DOTALL)


def _rlike(_result: Type, text: str, pattern: str) -> bool:
    try:
        # In Java, too, a digit or a letter is one of ASCII unless the pattern says otherwise.
        return re.search(pattern, text, re.ASCII) is not None
    except re.error as error:
        raise ValueProblem(f"{pattern!r} is not a regular expression: {error}") from None


def _negated(types: Sequence[Type]) -> Signature:
    (a,) = types
    if not (a.numeric or a == INTERVAL):
        raise TypeProblem(f"cannot negate {a}")
    return (a,), a


def _negate(result: Type, a: Any) -> object:
    if isinstance(a, Decimal):
        return fit_number(result, a.copy_negate())
    return fit_number(result, -a) if result.numeric else fit_interval(-a)


def _add(a: Any, b: Any) -> Any:
    return b + a if isinstance(b, (datetime, date)) else a + b


OPERATORS: dict[str, Function] = {
    f.name: f
    for f in (
        _arithmetic("+", _add),
        _arithmetic("-", lambda a, b: a - b),
        _arithmetic("*", lambda a, b: a * b),
        _arithmetic("/", lambda a, b: a / b),
        _arithmetic("div", _integral_quotient),
        _arithmetic("%", _remainder),
        Function("neg", _negated, _negate, template="-{}"),
        _comparison("=", lambda a, b: a == b),
        _comparison("<>", lambda a, b: a != b),
        _comparison("<", lambda a, b: a < b),
        _comparison("<=", lambda a, b: a <= b),
        _comparison(">", lambda a, b: a > b),
        _comparison(">=", lambda a, b: a >= b),
        Function(
            "<=>",
            lambda types: comparable(types, "compare"),
            lambda _result, a, b: order_key(a) == order_key(b),
            strict=False,
            template="({} <=> {})",
        ),
        Function("and", _booleans, lazy=_and),
        Function("or", _booleans, lazy=_or),
        Function("not", _booleans, lambda _result, a: not a, template="(NOT {})"),
        Function(
            "is null", _anything, lambda _r, a: a is None, strict=False, template="({} IS NULL)"
        ),
        Function(
            "is true", _booleans, lambda _r, a: a is True, strict=False, template="({} IS TRUE)"
        ),
        Function(
            "is false", _booleans, lambda _r, a: a is False, strict=False, template="({} IS FALSE)"
        ),
        Function(
            "like",
            _texts,
            lambda _r, a, p: bool(_like_pattern(p).fullmatch(a)),
            template="({} LIKE {})",
        ),
        Function("rlike", _texts, _rlike, template="({} RLIKE {})"),
        Function("case", _case_types, lazy=_case),
        Function("coalesce", _coalesce_types, lazy=_coalesce),
    )
}
