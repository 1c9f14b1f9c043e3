"""Floating sums without rounding: a double is a few integers, each a slice of its bits.

A double in the range of a grid is a sum of slices of 32 bits at fixed places. The slices of many
doubles are added as integers, which is exact in any order and can be subtracted again, and the
total is rounded once. What lies beyond the grid, is infinite or no number is rare, and listed.

All is computed in small steps, each a few columns of its own: long methods are slow in Java.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

from continua.physical.aggregate.components import Component, ExactSum

BITS = 32
BASE = 2**BITS


@dataclass(frozen=True)
class Grid:
    """The places of the slices: `lowest` is the exponent of the last bit."""

    lowest: int
    slices: int

    @property
    def limit(self) -> int:
        """The exponent of what is no longer inside."""
        return self.lowest + self.slices * BITS - 1

    def cut(self, value: str) -> list[str]:
        """SQL: the slices of a value as integers, from the lowest."""
        units = [f"rint({value} * {power(-self.place(i))})" for i in range(self.slices)]
        # What is left of a value that is rounded to the units of a slice belongs to lower slices.
        lower = [f"({a} - {b} * {float(BASE)!r}D)" for a, b in pairwise(units)]
        return [f"floor({part})" for part in (*lower, units[-1])]

    def place(self, number: int) -> int:
        """The exponent of the last bit of a slice."""
        return self.lowest + number * BITS

    def holds(self, value: str) -> str:
        """SQL: whether a value is a sum of slices."""
        scaled = f"({value} * {power(-self.lowest)})"
        return f"abs({value}) < {power(self.limit)} AND rint({scaled}) = {scaled}"


SUMS = Grid(-159, 7)
"""All integers of 64 bits are inside, as doubles too."""

Layer = list[tuple[str, str]]
"""Columns that are computed from those of the layers before."""


def slices(value: str) -> tuple[list[Layer], list[Component]]:
    """The sums of the slices of a column from the lowest, and what is beyond the grid; and before
    them what is computed of every value."""
    near, odd = f"{value}near", f"{value}odd"
    inside = SUMS.holds(value)
    parts = [f"{value}s{i}" for i in range(SUMS.slices)]
    layers: list[Layer] = [
        # Nothing here is NULL: what may be would double the code.
        [
            (near, f"coalesce(IF({inside}, {value}, 0D), 0D)"),
            (odd, f"IF({value} IS NULL OR {inside}, NULL, {listed(value)})"),
        ],
        list(zip(parts, SUMS.cut(near), strict=True)),
    ]
    return layers, [*map(ExactSum, parts), Odd(odd)]


def distinct_slices(value: str) -> list[str]:
    """SQL: the same over the distinct values of a group."""
    known = f"collect_set({value})"
    inside = SUMS.holds("x")
    sums = [
        f"reduce({known}, 0L, (s, x) -> s + {part})" for part in SUMS.cut(f"IF({inside}, x, 0D)")
    ]
    return [*sums, f"flatten(transform({known}, x -> IF({inside}, {NONE}, {listed('x')})))"]


NONE = "CAST(array() AS ARRAY<STRUCT<v: DOUBLE, n: BIGINT>>)"


def listed(value: str) -> str:
    """SQL: a value as a list of itself, once."""
    return f"array(named_struct('v', {value}, 'n', 1L))"


@dataclass(frozen=True)
class Odd(Component):
    """Values that have no slices, with how often they have come less how often they have left."""

    invertible: ClassVar[bool] = True

    @property
    def nothing(self) -> str:
        return NONE

    def taken(self, value: str) -> str:
        return f"IF({value} IS NULL, NULL, transform({value}, x -> struct(x.v AS v, -x.n AS n)))"

    def settled(self, partial: str) -> str:
        return settled(partial)

    def aggregated(self, value: str, over: str = "") -> str:
        return f"flatten(collect_list({value}){over})"

    def combined(self, a: str, b: str) -> str:
        return f"concat(coalesce({a}, {self.nothing}), coalesce({b}, {self.nothing}))"


def settled(odd: str) -> str:
    """SQL: each value once, the greatest first; what has come and gone leaves no trace."""
    values = f"array_distinct(transform({odd}, x -> x.v))"
    ordered = f"array_sort(transform({values}, v -> struct(-abs(v) AS place, v AS v)))"
    number = f"reduce({odd}, 0L, (n, x) -> n + IF(x.v <=> e.v, x.n, 0L))"
    found = f"transform({ordered}, e -> named_struct('v', e.v, 'n', {number}))"
    return f"IF(coalesce(size({odd}), 0) = 0, {NONE}, filter({found}, x -> x.n <> 0L))"


def odd_sum(odd: str, value: str = "x.v") -> str:
    """SQL: the sum of settled values, the greatest first: the same every time, if not exact.

    Great ones are added in another unit: no sum on the way is too great for a double.
    """
    great, small = f"{value} * {power(-100)} * x.n", f"{value} * x.n"
    number = f"NOT abs({value}) < 1D"
    greats = f"reduce({odd}, 0D, (s, x) -> s + IF({number}, {great}, 0D)) * {power(100)}"
    return f"({greats} + reduce({odd}, 0D, (s, x) -> s + IF({number}, 0D, {small})))"


def total(name: str, sums: Sequence[str]) -> tuple[list[Layer], str]:
    """The total of slices as a double: layers, and SQL over the last.

    name: how the names of the columns begin. sums: the columns of the partial aggregates.
    """
    *limbs, odd = sums
    number, far = leading(name, limbs, SUMS.lowest), f"{name}odd"
    first, *rest = number.layers
    layers = [[*first, (far, settled(odd))], *rest]
    return layers, f"{number.rounded} + IF(size({far}) = 0, 0D, {odd_sum(far)})"


def power(exponent: int) -> str:
    return f"{2.0**exponent!r}D"


@dataclass(frozen=True)
class Number:
    """A number by its first digits, in columns that the layers compute.

    The first two of three, `high` and `middle`, are added with what that addition loses (Dekker).
    tail: SQL, what the two digits after these add to `low`.
    """

    layers: list[Layer]
    high: str
    middle: str
    low: str
    unit: str
    tail: str

    @property
    def two(self) -> str:
        return f"({self.high} + {self.middle})"

    @property
    def behind(self) -> str:
        """SQL: what is behind the sum of the first two, as far as a double has room for it."""
        return f"(({self.middle} - ({self.two} - {self.high})) + {self.low})"

    @property
    def rounded(self) -> str:
        """SQL: the nearest double. The last addition is the only one that rounds."""
        return f"({self.two} + {self.behind}) * {self.unit}"


def leading(name: str, limbs: Sequence[str], lowest: int) -> Number:
    """A total in limbs, from the lowest, by its first digits that are not 0.

    Three digits have more bits than a double. Whether anything follows them is one bit more in the
    third, `low`, which decides between two doubles where it must.
    """
    sign, digits, top = f"{name}sign", f"{name}digits", f"{name}top"
    high, middle, low, unit = (f"{name}{part}" for part in ("high", "middle", "low", "unit"))
    # Before the digits as many zeros, so that there is something behind each of them.
    zeros = len(limbs)
    found = [*["0L"] * zeros, *_digits([f"({limb} * {sign})" for limb in limbs])]
    tops = range(len(found) - 1, zeros, -1)
    firsts = " ".join(f"WHEN {digits}[{i}] > 0L THEN {i}" for i in tops)
    behind = " | ".join(f"{digits}[{top} - {i}]" for i in range(3, zeros + 1))
    followed = f"IF(({behind}) > 0L, 0.5D, 0D)"
    fourth, fifth = (f"{digits}[{top} - {i}] * {power(-BITS * (i - 2))}" for i in (3, 4))
    units = ", ".join(power(lowest + (i - zeros - 2) * BITS) for i in range(zeros, len(found)))
    layers: list[Layer] = [
        [(sign, f"IF({_carried(limbs, len(limbs) - 1)} < 0L, -1L, 1L)")],
        [(digits, f"array({', '.join(found)})")],
        [(top, f"CASE {firsts} ELSE {zeros} END")],
        [
            (high, f"{digits}[{top}] * {power(2 * BITS)}"),
            (middle, f"{digits}[{top} - 1] * {power(BITS)}"),
            (low, f"{digits}[{top} - 2] + {followed}"),
            (unit, f"{sign} * array({units})[{top} - {zeros}]"),
        ],
    ]
    return Number(layers, high, middle, low, unit, f"(({fourth} - {followed}) + {fifth})")


def _carried(limbs: Sequence[str], upto: int) -> str:
    """A limb with what is carried into it from those below."""
    text = limbs[0]
    for limb in limbs[1 : upto + 1]:
        text = f"({limb} + shiftright({text}, {BITS}))"
    return text


def _digits(limbs: Sequence[str]) -> list[str]:
    """The digits of a total that is not negative, and at last what is carried out of them."""
    found = [f"{_carried(limbs, i)} & {BASE - 1}L" for i in range(len(limbs))]
    return [*found, f"shiftright({_carried(limbs, len(limbs) - 1)}, {BITS})"]
