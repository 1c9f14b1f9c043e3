"""Aggregate functions by initializer, merger, combiner and evaluator (TODS §7.5.2).

A partial aggregate is started by `init(value)`, grown by `merge(partial, value)`, joined with
another by `combine` and turned into the result by `eval`. Values that are NULL never reach it.

Floating sums are kept as exact fractions and rounded once, by `eval`: the result does not depend
on the order of the values, and a value that has left leaves no error behind.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any

from continua.errors import ContinuaError, Span
from continua.logical.expr.cast import ValueProblem
from continua.logical.expr.function import ArityProblem, Signature, TypeProblem
from continua.logical.expr.nodes import Expression
from continua.logical.expr.operators import fit_number
from continua.model.element import Multiset
from continua.model.types import (
    BIGINT,
    DOUBLE,
    MAX_PRECISION,
    NULL,
    Type,
)
from continua.model.values import NAN, WIDE, normal, order_key

Partial = Any


@dataclass(frozen=True)
class AggregateFunction:
    """An aggregate function; `empty` is its value over no values at all.

    `eval` gets the result type and the partial aggregate. `bounded` says whether a partial
    aggregate has constant size (distributive and algebraic functions; not holistic ones).
    """

    name: str
    resolve: Callable[[Sequence[Type]], Signature] = field(compare=False)
    init: Callable[..., Partial] = field(compare=False)
    merge: Callable[..., Partial] = field(compare=False)
    combine: Callable[[Partial, Partial], Partial] = field(compare=False)
    eval: Callable[[Type, Partial], object] = field(compare=False)
    empty: object = None
    bounded: bool = True
    version: int = 1
    """How often the user has registered the name, if it is the user's."""


@dataclass(frozen=True)
class AggregateCall:
    """An aggregate function with its arguments: COUNT(*) has none."""

    function: AggregateFunction
    args: tuple[Expression, ...]
    type: Type
    distinct: bool = False
    span: Span | None = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        inside = ", ".join(map(str, self.args)) or "*"
        return f"{self.function.name.upper()}({'DISTINCT ' * self.distinct}{inside})"

    def over(self, group: Multiset) -> object:
        """The aggregate of a snapshot: f_agg of TODS (4)."""
        counted: dict[tuple[object, ...], int] = {}
        for element, n in group.items():
            values = tuple(arg.evaluate(element.values) for arg in self.args)
            if any(value is None for value in values):
                continue
            counted[values] = 1 if self.distinct else counted.get(values, 0) + n
        try:
            return self._fold(values for values, n in counted.items() for _ in range(n))
        except ContinuaError as error:
            raise error.at(self.span) from None
        except ValueProblem as problem:
            raise ContinuaError("EVALUATION", f"{self}: {problem}", self.span) from None
        except ArithmeticError:
            raise ContinuaError("EVALUATION", f"{self} is out of range", self.span) from None

    def _fold(self, rows: Iterable[tuple[object, ...]]) -> object:
        function, partial, started = self.function, None, False
        for values in rows:
            partial = function.merge(partial, *values) if started else function.init(*values)
            started = True
        return function.eval(self.type, partial) if started else function.empty


def exact(value: object) -> tuple[Fraction, float]:
    """A number as an exact fraction, and apart from it what is infinite or not a number."""
    if isinstance(value, float) and not math.isfinite(value):
        return Fraction(0), value
    assert isinstance(value, (int, float, Decimal))
    return Fraction(value), 0.0


def _plus(a: tuple[Fraction, float], b: tuple[Fraction, float]) -> tuple[Fraction, float]:
    return a[0] + b[0], a[1] + b[1]


def rounded(result: Type, total: Fraction, special: float = 0.0) -> object:
    """An exact result as a value of the result type."""
    if result.floating:
        if special or special != special:
            return normal(special)
        try:
            return normal(float(total))
        except OverflowError:
            return math.inf if total > 0 else -math.inf
    if result.integral:
        return fit_number(result, int(total))
    quotient = WIDE.divide(Decimal(total.numerator), Decimal(total.denominator))
    return fit_number(result, quotient)


def _quotient(result: Type, total: tuple[Fraction, float], n: int) -> object:
    """An average; a floating one is the sum that SUM gives, divided by the count."""
    if result.floating:
        sum_ = rounded(result, *total)
        assert isinstance(sum_, float)
        return normal(sum_ / n)
    return rounded(result, total[0] / n)


def _numeric(result: Callable[[Type], Type]) -> Callable[[Sequence[Type]], Signature]:
    def resolve(types: Sequence[Type]) -> Signature:
        if len(types) != 1:
            raise ArityProblem(f"takes 1 argument, not {len(types)}")
        a = DOUBLE if types[0] == NULL else types[0]
        if not a.numeric:
            raise TypeProblem(f"takes numbers, not {a}")
        return (a,), result(a)

    return resolve


def _sum_type(a: Type) -> Type:
    """As in Spark, a sum of decimals has room for 10¹⁰ of them, as far as 38 digits allow."""
    if a.name == "DECIMAL":
        return Type("DECIMAL", min(a.precision + 10, MAX_PRECISION), a.scale)
    return BIGINT if a.integral else DOUBLE


def _avg_type(a: Type) -> Type:
    """Four digits more than the values have, as far as a quotient of their sum keeps them."""
    if a.name != "DECIMAL":
        return DOUBLE
    total = _sum_type(a)
    kept = max(MAX_PRECISION - (total.precision - total.scale), 6)
    scale = min(a.scale + 4, kept)
    whole = min(a.precision - a.scale, MAX_PRECISION - kept)
    return Type("DECIMAL", whole + scale, scale)


def _orderable(types: Sequence[Type]) -> Signature:
    if len(types) != 1:
        raise ArityProblem(f"takes 1 argument, not {len(types)}")
    return tuple(types), types[0]


def _count_types(types: Sequence[Type]) -> Signature:
    return tuple(types), BIGINT


def _moments(value: object) -> tuple[int, Fraction, Fraction, float]:
    """The variance is that of the values as doubles, as in Spark."""
    x, special = exact(_double(value))
    return 1, x, x * x, special


def _variance(sample: bool, root: bool) -> Callable[[Type, Partial], object]:
    def eval_(_result: Type, partial: Partial) -> object:
        n, total, squares, special = partial
        if n - sample == 0:
            return None
        if special or special != special:
            return NAN
        variance = rounded(DOUBLE, (squares - total * total / n) / (n - sample))
        assert isinstance(variance, float)
        return math.sqrt(variance) if root else variance

    return eval_


def _moment_function(name: str, sample: bool, root: bool) -> AggregateFunction:
    def combine(a: Partial, b: Partial) -> Partial:
        return tuple(x + y for x, y in zip(a, b, strict=True))

    return AggregateFunction(
        name,
        _numeric(lambda _a: DOUBLE),
        _moments,
        lambda partial, value: combine(partial, _moments(value)),
        combine,
        _variance(sample, root),
    )


def _median(_result: Type, values: tuple[object, ...]) -> object:
    """The number in the middle, or half way between the two, computed in doubles as Spark does."""
    ordered = sorted(values, key=order_key)
    low, high = (_double(ordered[i]) for i in ((len(ordered) - 1) // 2, len(ordered) // 2))
    return normal(low if low == high else low + (high - low) * 0.5)


def _double(value: object) -> float:
    assert isinstance(value, (int, float, Decimal))
    return float(value)


def _extreme(name: str, pick: Callable[..., object]) -> AggregateFunction:
    def better(a: object, b: object) -> object:
        return pick((a, b), key=order_key)

    return AggregateFunction(name, _orderable, lambda v: v, better, better, lambda _r, v: v)


AGGREGATES: dict[str, AggregateFunction] = {
    f.name: f
    for f in (
        AggregateFunction(
            "count",
            _count_types,
            lambda *_v: 1,
            lambda n, *_v: n + 1,
            lambda n, m: n + m,
            lambda _r, n: n,
            empty=0,
        ),
        AggregateFunction(
            "sum",
            _numeric(_sum_type),
            exact,
            lambda p, v: _plus(p, exact(v)),
            _plus,
            lambda result, p: rounded(result, *p),
        ),
        # TODS example 13: the partial aggregate of the average is the pair (sum, count).
        AggregateFunction(
            "avg",
            _numeric(_avg_type),
            lambda v: (exact(v), 1),
            lambda p, v: (_plus(p[0], exact(v)), p[1] + 1),
            lambda p, q: (_plus(p[0], q[0]), p[1] + q[1]),
            lambda result, p: _quotient(result, p[0], p[1]),
        ),
        _extreme("min", min),
        _extreme("max", max),
        AggregateFunction(
            "median",
            _numeric(lambda _a: DOUBLE),
            lambda v: (v,),
            lambda p, v: (*p, v),
            lambda p, q: p + q,
            _median,
            bounded=False,
        ),
        _moment_function("variance", sample=True, root=False),
        _moment_function("var_pop", sample=False, root=False),
        _moment_function("stddev", sample=True, root=True),
        _moment_function("stddev_pop", sample=False, root=True),
    )
}

ALIASES = {"mean": "avg", "var_samp": "variance", "stddev_samp": "stddev", "std": "stddev"}


def lookup_aggregate(name: str) -> AggregateFunction | None:
    """The listed aggregate function of a name, or None."""
    key = name.lower()
    return AGGREGATES.get(ALIASES.get(key, key))
