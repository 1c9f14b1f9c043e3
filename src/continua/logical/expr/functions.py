"""The listed scalar functions: typed and evaluated by this table, with Spark's meaning."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_UP, Decimal

from continua.logical.expr.cast import ValueProblem, fit_integer, moment
from continua.logical.expr.function import ArityProblem, Function, Signature, TypeProblem
from continua.logical.expr.operators import OPERATORS, Number, comparable, fit_number, unify
from continua.model.schema import to_micros
from continua.model.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    INT,
    MAX_PRECISION,
    NULL,
    STRING,
    TIMESTAMP,
    Type,
    decimal,
)
from continua.model.values import NAN, WIDE, order_key

Resolver = Callable[[Sequence[Type]], Signature]


def _fits(actual: Type, wanted: Type) -> bool:
    if actual in (wanted, NULL):
        return True
    if wanted == DOUBLE:
        return actual.numeric
    if wanted.integral:
        return actual.integral
    return wanted == TIMESTAMP and actual == DATE


def fixed(*wanted: Type, result: Type, optional: int = 0) -> Resolver:
    """A function of fixed argument types, the last `optional` of which may be left out."""

    def resolve(types: Sequence[Type]) -> Signature:
        least, most = len(wanted) - optional, len(wanted)
        if not least <= len(types) <= most:
            number = str(most) if least == most else f"{least} to {most}"
            raise ArityProblem(f"takes {number} argument{'s' * (most != 1)}, not {len(types)}")
        for position, (actual, expected) in enumerate(zip(types, wanted, strict=False), 1):
            if not _fits(actual, expected):
                raise TypeProblem(f"takes {expected} as argument {position}, not {actual}")
        return wanted[: len(types)], result

    return resolve


def _one_number(same: Callable[[Type], Type]) -> Resolver:
    def resolve(types: Sequence[Type]) -> Signature:
        if len(types) != 1:
            raise ArityProblem(f"takes 1 argument, not {len(types)}")
        a = DOUBLE if types[0] == NULL else types[0]
        if not a.numeric:
            raise TypeProblem(f"takes a number, not {a}")
        return (a,), same(a)

    return resolve


def _whole(a: Type) -> Type:
    """The type of FLOOR and CEIL."""
    return decimal(a.precision - a.scale + 1, 0) if a.name == "DECIMAL" else BIGINT


def _to_whole(rounding: str) -> Callable[..., object]:
    def apply(result: Type, a: Number) -> object:
        if isinstance(a, float):
            if math.isinf(a):
                raise ValueProblem(f"{a} has no nearest whole number")
            if math.isnan(a):
                return 0  # as in Spark
            return fit_number(result, math.floor(a) if rounding == ROUND_FLOOR else math.ceil(a))
        exact = Decimal(a).to_integral_value(rounding, WIDE)
        return fit_number(result, int(exact) if result == BIGINT else exact)

    return apply


def _round_types(types: Sequence[Type]) -> Signature:
    if len(types) not in (1, 2) or not types[0].numeric or not all(t.integral for t in types[1:]):
        raise TypeProblem("takes a number and, if wanted, the number of digits")
    return tuple(types), types[0]


def _round_type(signature: Signature, values: Sequence[object]) -> Type:
    """A rounded DECIMAL keeps the digits asked for, and one more before the point."""
    _, result = signature
    digits = values[1] if len(values) > 1 else 0
    if not isinstance(digits, int):
        raise TypeProblem("takes a literal number of digits")
    if result.name != "DECIMAL":
        return result
    whole, scale = result.precision - result.scale + 1, min(result.scale, digits)
    if digits < 0:
        return decimal(max(whole, 1 - digits), 0)
    return Type("DECIMAL", min(whole + scale, MAX_PRECISION), scale)


def _round(result: Type, a: Number, digits: int = 0) -> object:
    if isinstance(a, float) and not math.isfinite(a):
        return a
    exact = Decimal(repr(a)) if isinstance(a, float) else Decimal(a)
    if int(exact.as_tuple().exponent) >= -digits:
        return fit_number(result, a)  # it has no digit to lose
    rounded = exact.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP, WIDE)
    return fit_number(result, int(rounded) if result.integral else rounded)


def _real(name: str, compute: Callable[..., float], arity: int = 1) -> Function:
    """A function of doubles; outside its domain it is NaN, as in Java."""

    def apply(_result: Type, *args: float) -> float:
        try:
            value = compute(*args)
        except ValueError:
            return NAN
        except OverflowError:
            return math.inf
        return NAN if value != value else value

    return Function(name, fixed(*(DOUBLE,) * arity, result=DOUBLE), apply)


def _power(a: float, b: float) -> float:
    """As in Java: 1 to the power of what is infinite or not a number is not a number."""
    if abs(a) == 1 and not math.isfinite(b):
        return NAN
    try:
        return math.pow(a, b)
    except ValueError:
        return NAN if a else math.inf
    except OverflowError:
        return -math.inf if a < 0 and math.fmod(b, 2) else math.inf


def _logarithm(compute: Callable[[float], float]) -> Callable[..., object]:
    """Logarithms of zero and of what is negative are NULL, as in Spark."""
    return lambda _result, a: None if a <= 0 else compute(a)


def _log2(a: float) -> float:
    return math.log(a) / math.log(2)


def _same(what: str) -> Resolver:
    def resolve(types: Sequence[Type]) -> Signature:
        if len(types) < 2:
            raise ArityProblem("takes at least 2 arguments")
        wide = unify(types, what)
        return (wide,) * len(types), wide

    return resolve


def _extreme(pick: Callable[..., object]) -> Callable[..., object]:
    """GREATEST and LEAST pass over NULLs."""

    def apply(_result: Type, *args: object) -> object:
        present = [a for a in args if a is not None]
        return pick(present, key=order_key) if present else None

    return apply


def _substring(_result: Type, text: str, start: int, length: int = 2**31 - 1) -> str:
    """Positions count from 1; a negative one counts from the end."""
    first = start - 1 if start > 0 else (len(text) + start if start < 0 else 0)
    end = first + max(0, length)
    return text[max(0, first) : max(0, end)]


def _text(
    name: str, compute: Callable[..., object], *more: Type, result: Type = STRING
) -> Function:
    return Function(name, fixed(STRING, *more, result=result), lambda _result, *a: compute(*a))


def _concat_types(types: Sequence[Type]) -> Signature:
    return (STRING,) * len(types), STRING


def _split_part(text: str, separator: str, number: int) -> str:
    parts = text.split(separator) if separator else [text]
    if number == 0:
        raise ValueProblem("SPLIT_PART counts from 1")
    index = number - 1 if number > 0 else len(parts) + number
    return parts[index] if 0 <= index < len(parts) else ""


def _if_types(types: Sequence[Type]) -> Signature:
    if len(types) != 3:
        raise ArityProblem(f"takes 3 arguments, not {len(types)}")
    return OPERATORS["case"].resolve(types)


def _nullif_types(types: Sequence[Type]) -> Signature:
    if len(types) != 2:
        raise ArityProblem(f"takes 2 arguments, not {len(types)}")
    (wide, _), _boolean = comparable(types, "compare")
    return (wide, wide), wide


_TRUNCATIONS: dict[str, Callable[[datetime], datetime]] = {
    "microsecond": lambda m: m,
    "millisecond": lambda m: m.replace(microsecond=m.microsecond // 1000 * 1000),
    "second": lambda m: m.replace(microsecond=0),
    "minute": lambda m: m.replace(second=0, microsecond=0),
    "hour": lambda m: m.replace(minute=0, second=0, microsecond=0),
    "day": lambda m: datetime(m.year, m.month, m.day),
    "week": lambda m: datetime(m.year, m.month, m.day) - timedelta(days=m.weekday()),
    "month": lambda m: datetime(m.year, m.month, 1),
    "quarter": lambda m: datetime(m.year, (m.month - 1) // 3 * 3 + 1, 1),
    "year": lambda m: datetime(m.year, 1, 1),
}
_ABBREVIATED = {"dd": "day", "mon": "month", "mm": "month", "yyyy": "year", "yy": "year"}


def _truncation(unit: str) -> Callable[[datetime], datetime] | None:
    key = unit.lower()
    return _TRUNCATIONS.get(_ABBREVIATED.get(key, key))


def _date_trunc(_result: Type, unit: str, moment: datetime) -> datetime | None:
    """A unit that there is not gives NULL, as in Spark."""
    truncate = _truncation(unit)
    return None if truncate is None else truncate(moment)


def _date_trunc_type(signature: Signature, values: Sequence[object]) -> Type:
    """A unit in the text that there is not is a mistake."""
    (_, result), unit = signature, values[0]
    if isinstance(unit, str) and _truncation(unit) is None:
        raise TypeProblem(f"cannot truncate to {unit!r}; the units are {', '.join(_TRUNCATIONS)}")
    return result


def _field(name: str, read: Callable[[datetime], int]) -> Function:
    return Function(name, fixed(TIMESTAMP, result=INT), lambda _result, moment: read(moment))


def _abs(result: Type, a: Number) -> object:
    return fit_number(result, a.copy_abs() if isinstance(a, Decimal) else abs(a))


def _sign(_result: Type, a: float) -> float:
    return a if a == 0 or a != a else math.copysign(1.0, a)


FUNCTIONS: dict[str, Function] = {
    f.name: f
    for f in (
        Function("abs", _one_number(lambda a: a), _abs),
        Function("ceil", _one_number(_whole), _to_whole(ROUND_CEILING)),
        Function("floor", _one_number(_whole), _to_whole(ROUND_FLOOR)),
        Function("round", _round_types, _round, refine=_round_type),
        Function("sign", fixed(DOUBLE, result=DOUBLE), _sign),
        _real("sqrt", math.sqrt),
        _real("exp", math.exp),
        _real("power", _power, 2),
        Function("ln", fixed(DOUBLE, result=DOUBLE), _logarithm(math.log)),
        Function("log2", fixed(DOUBLE, result=DOUBLE), _logarithm(_log2)),
        Function("log10", fixed(DOUBLE, result=DOUBLE), _logarithm(math.log10)),
        Function("mod", OPERATORS["%"].resolve, OPERATORS["%"].apply),
        Function("greatest", _same("the arguments"), _extreme(max), strict=False),
        Function("least", _same("the arguments"), _extreme(min), strict=False),
        OPERATORS["coalesce"],
        Function("if", _if_types, lazy=OPERATORS["case"].lazy),
        Function(
            "nullif",
            _nullif_types,
            lambda _r, a, b: None if order_key(a) == order_key(b) else a,
            strict=False,
        ),
        _text("upper", str.upper),
        _text("lower", str.lower),
        _text("trim", lambda s: s.strip(" ")),
        _text("ltrim", lambda s: s.lstrip(" ")),
        _text("rtrim", lambda s: s.rstrip(" ")),
        _text("reverse", lambda s: s[::-1]),
        _text("length", len, result=INT),
        _text("left", lambda s, n: s[: max(0, n)], INT),
        _text("right", lambda s, n: s[-n:] if n > 0 else "", INT),
        _text("replace", lambda s, what, by: s.replace(what, by) if what else s, STRING, STRING),
        _text("contains", lambda s, part: part in s, STRING, result=BOOLEAN),
        _text("startswith", str.startswith, STRING, result=BOOLEAN),
        _text("endswith", str.endswith, STRING, result=BOOLEAN),
        _text("instr", lambda s, part: s.find(part) + 1, STRING, result=INT),
        _text("split_part", _split_part, STRING, INT),
        Function("substring", fixed(STRING, INT, INT, result=STRING, optional=1), _substring),
        Function("concat", _concat_types, lambda _result, *parts: "".join(parts)),
        Function(
            "date_trunc",
            fixed(STRING, TIMESTAMP, result=TIMESTAMP),
            _date_trunc,
            refine=_date_trunc_type,
        ),
        _field("year", lambda m: m.year),
        _field("quarter", lambda m: (m.month + 2) // 3),
        _field("month", lambda m: m.month),
        _field("day", lambda m: m.day),
        _field("hour", lambda m: m.hour),
        _field("minute", lambda m: m.minute),
        _field("second", lambda m: m.second),
        Function("unix_micros", fixed(TIMESTAMP, result=BIGINT), lambda _result, m: to_micros(m)),
        Function("timestamp_micros", fixed(BIGINT, result=TIMESTAMP), lambda _result, n: moment(n)),
        Function(
            "unix_seconds",
            fixed(TIMESTAMP, result=BIGINT),
            lambda _result, m: fit_integer(to_micros(m) // 1_000_000, BIGINT),
        ),
    )
}

ALIASES = {
    "ceiling": "ceil",
    "pow": "power",
    "log": "ln",
    "signum": "sign",
    "ifnull": "coalesce",
    "nvl": "coalesce",
    "iff": "if",
    "ucase": "upper",
    "lcase": "lower",
    "len": "length",
    "char_length": "length",
    "substr": "substring",
    "dayofmonth": "day",
}


def lookup(name: str) -> Function | None:
    """The listed function of a name, or None."""
    key = name.lower()
    return FUNCTIONS.get(ALIASES.get(key, key))
