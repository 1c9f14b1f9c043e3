"""Aggregate calls in components, or as Spark's own functions over a whole group."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from continua.logical.expr.aggregates import AGGREGATES, AggregateCall
from continua.model.types import BIGINT, MAX_PRECISION, Type
from continua.physical.aggregate.components import (
    Component,
    ExactSum,
    Greatest,
    Least,
)
from continua.physical.aggregate.fixed_point import (
    Layer,
    distinct_slices,
    slices,
    total,
)
from continua.physical.aggregate.squares import moments, variance
from continua.physical.builder import Builder
from continua.physical.expression import all_of, spark_type

_VARIANCES = ("variance", "var_pop", "stddev", "stddev_pop")


@dataclass(frozen=True)
class Decomposition:
    """The components of a call, and its result from their partial aggregates.

    before: columns of every row that the components are computed from, in several steps.
    in_layers: the result where it takes several steps; it gets a name of its own to begin the names
    of columns with.
    """

    components: tuple[Component, ...]
    result: Callable[..., str] = lambda value: value
    in_layers: Callable[..., tuple[list[Layer], str]] | None = None
    before: tuple[Layer, ...] = ()

    def computed(self, name: str, partials: Sequence[str]) -> tuple[list[Layer], str]:
        """The layers of columns that are computed first, and SQL for the result over them."""
        if self.in_layers is None:
            return [], self.result(*partials)
        return self.in_layers(name, *partials)


def decompose(call: AggregateCall, args: Sequence[str]) -> Decomposition | None:
    """A call over columns in components; None if nothing smaller than all values will do."""
    name = call.function.name
    if call.function is not AGGREGATES.get(name):
        return None
    if name in ("min", "max"):
        extreme = Least(args[0]) if name == "min" else Greatest(args[0])
        return Decomposition((extreme,))
    if call.distinct:
        return None
    if name == "count":
        return Decomposition((_count(args),), lambda n: f"coalesce({n}, 0L)")
    if name in ("sum", "avg"):
        return _sum(call, args[0])
    if name in _VARIANCES:
        return _variance(name, args[0])
    return None


def count_all() -> Component:
    """How many rows there are."""
    return _count(())


def _count(args: Sequence[str]) -> Component:
    return ExactSum(f"IF({_known(args)}, 1L, 0L)" if args else "1L")


def _known(args: Sequence[str]) -> str:
    return all_of(*(f"{arg} IS NOT NULL" for arg in args))


def _sum(call: AggregateCall, arg: str) -> Decomposition | None:
    """The sum or average; over no values it is NULL, so exact sums need a count beside them."""
    type_, n = call.args[0].type, _count([arg])
    if type_.precision == MAX_PRECISION and type_.scale:
        # Spark adds two of them to one of fewer digits after the point.
        return None
    if type_ == BIGINT:
        return _wide_sum(call, arg, n)
    if type_.integral:
        total: Component = ExactSum(f"coalesce(CAST({arg} AS BIGINT), 0L)")
    elif type_.floating:
        return _floating_sum(call, arg, n)
    else:
        exact = spark_type(_room(type_))
        total = ExactSum(f"coalesce(CAST({arg} AS {exact}), CAST(0 AS {exact}))", exact)
    if call.function.name == "sum":
        result = spark_type(call.type)
        return Decomposition((total, n), lambda s, m: f"IF({m} > 0, CAST({s} AS {result}), NULL)")
    return Decomposition((total, n), lambda s, m: f"IF({m} > 0, {_average(call, s, m)}, NULL)")


def _room(type_: Type) -> Type:
    """A decimal type whose sums overflow only where there are more than 10¹⁰ values, if it can be
    had; with a digit to spare, so that Spark adds two of them without a loss."""
    if type_.precision == MAX_PRECISION:
        return type_
    return Type("DECIMAL", min(type_.precision + 10, MAX_PRECISION - 1), type_.scale)


def _wide_sum(call: AggregateCall, arg: str, n: Component) -> Decomposition:
    """A sum of BIGINT in two limbs: only a total that does not fit overflows, no sum on the way."""
    high = ExactSum(f"coalesce(shiftright({arg}, 32), 0L)")
    low = ExactSum(f"coalesce({arg} & 4294967295L, 0L)")

    def result(h: str, lo: str, m: str) -> str:
        carried = f"({h} + shiftright({lo}, 32))"
        total = f"{carried} * 4294967296L + ({lo} & 4294967295L)"
        return f"IF({m} > 0, {total}, NULL)"

    def average(h: str, lo: str, m: str) -> str:
        # Both are exact as doubles, and so is rounded once, where they are added.
        carried = f"({h} + shiftright({lo}, 32))"
        total = f"(double({carried}) * 4294967296D + double({lo} & 4294967295L))"
        return f"IF({m} > 0, {total} / {m}, NULL)"

    return Decomposition((high, low, n), result if call.function.name == "sum" else average)


def _floating_sum(call: AggregateCall, arg: str, n: Component) -> Decomposition:
    def result(name: str, *partials: str) -> tuple[list[Layer], str]:
        *sums, m = partials
        layers, sum_ = total(name, sums)
        by = f" / {m}" if call.function.name == "avg" else ""
        return layers, f"IF({m} > 0, ({sum_}){by}, NULL)"

    wide = f"{arg}wide"
    layers, components = slices(wide)
    before = ([(wide, f"CAST({arg} AS DOUBLE)")], *layers)
    return Decomposition((*components, n), in_layers=result, before=before)


def _average(call: AggregateCall, total: str, n: str) -> str:
    if call.args[0].type.name == "DECIMAL":
        # A quotient has as many digits as the type of the sum leaves it (`_avg_type`).
        (_, wide) = AGGREGATES["sum"].resolve([call.args[0].type])
        sum_ = f"CAST({total} AS {spark_type(wide)})"
        return f"CAST({sum_} / CAST({n} AS DECIMAL(20,0)) AS {spark_type(call.type)})"
    return f"CAST({total} AS DOUBLE) / {n}"


def _variance(name: str, arg: str) -> Decomposition:
    def result(columns: str, *partials: str) -> tuple[list[Layer], str]:
        *sums, n = partials
        layers, found = variance(columns, sums, n, _less(name))
        return layers, _rooted(name, found)

    wide = f"{arg}wide"
    layers, components = moments(wide)
    before = ([(wide, f"CAST({arg} AS DOUBLE)")], *layers)
    return Decomposition((*components, _count([arg])), in_layers=result, before=before)


def _variance_of_distinct(name: str, value: str) -> str:
    """SQL: from one value to the next (Welford), in the order of the values."""
    n, distance = "(s.n + 1D)", "(x - s.mean)"
    mean = f"(s.mean + {distance} / {n})"
    step = f"struct({n} AS n, {mean} AS mean, s.m2 + {distance} * (x - {mean}) AS m2)"
    found = f"IF(s.n > {_less(name)}, s.m2 / (s.n - {_less(name)}), NULL)"
    values = f"transform(array_sort(collect_set({value})), x -> CAST(x AS DOUBLE))"
    return (
        f"reduce({values}, struct(0D AS n, 0D AS mean, 0D AS m2), "
        f"(s, x) -> {step}, s -> {_rooted(name, found)})"
    )


def _less(name: str) -> int:
    return 0 if name.endswith("_pop") else 1


def _rooted(name: str, variance: str) -> str:
    return f"sqrt({variance})" if name.startswith("stddev") else variance


def over_group(
    builder: Builder, call: AggregateCall, args: Sequence[str]
) -> tuple[Decomposition, list[str]]:
    """A call over all rows of a group: SQL for the partial aggregates, and how they make it."""
    found = decompose(call, args)
    if found is not None:
        return found, [component.aggregated(component.value) for component in found.components]
    if call.distinct and call.function.name in ("sum", "avg") and call.args[0].type.floating:
        (arg,) = args
        found = _floating_sum(call, arg, _count([arg]))
        return found, [*distinct_slices(f"CAST({arg} AS DOUBLE)"), f"count(DISTINCT {arg})"]
    return Decomposition(()), [_whole(builder, call, args)]


def _whole(builder: Builder, call: AggregateCall, args: Sequence[str]) -> str:
    """SQL: the call over all rows of a group, by a function of Spark's or of the user's."""
    name, distinct = call.function.name, "DISTINCT " * call.distinct
    if call.function is not AGGREGATES.get(name):
        return _user(builder, call, args)
    if name in _VARIANCES:
        return _variance_of_distinct(name, args[0])
    if name in ("sum", "avg") and call.args[0].type.integral:
        total = f"sum(DISTINCT CAST({args[0]} AS DECIMAL(20,0)))"
        if name == "sum":
            return f"CAST({total} AS BIGINT)"
        return f"CAST({total} AS DOUBLE) / nullif(count(DISTINCT {args[0]}), 0L)"
    return f"CAST({name}({distinct}{', '.join(args)}) AS {spark_type(call.type)})"


def _user(builder: Builder, call: AggregateCall, args: Sequence[str]) -> str:
    """A function that the user wrote in Python, over the rows without NULL."""
    row = f"struct({', '.join(f'{arg} AS a{i}' for i, arg in enumerate(args))})"
    collect = "collect_set" if call.distinct else "collect_list"
    name = builder.python(call.function, call.type)
    if call.span is not None:
        builder.places[name] = call.span
    return f"{name}({collect}(IF({_known(args)}, {row}, NULL)))"
