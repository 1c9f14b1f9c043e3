"""Floating sums without rounding: a double is a few integers, each a slice of its bits.

A double in the range of the grid is a sum of slices of 32 bits at fixed places, from 2⁻¹⁹² to 2⁹⁶.
The slices of many doubles are added as integers, which is exact in any order and can be subtracted
again, and the total is rounded once. What is infinite or not a number is counted. Finite values
beyond the grid (from 4·10²⁸ on, or with bits below 2⁻¹⁹²) are rare, and kept in a list.

All is computed in small steps, each a few columns of its own: long methods are slow in Java.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

from continua.physical.aggregate import expansion
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
        return cut(self.in_units(value))

    def in_units(self, value: str) -> list[str]:
        """SQL: the value in units of each slice, rounded: what is left belongs to lower slices."""
        return [f"rint({value} * {power(-self.place(i))})" for i in range(self.slices)]

    def place(self, number: int) -> int:
        """The exponent of the last bit of a slice."""
        return self.lowest + number * BITS


SUMS = Grid(-192, 9)

Layer = list[tuple[str, str]]
"""Columns that are computed from those of the layers before."""

_INFINITY = "double('Infinity')"


def slices(value: str) -> tuple[list[Layer], list[Component]]:
    """The sums of the slices of a column from the lowest, how many values are infinite, and the
    far ones; and before them what is computed of every value."""
    inside, near = f"{value}inside", f"{value}near"
    units = [f"{value}u{i}" for i in range(SUMS.slices)]
    # Nothing here is NULL: what may be would double the code.
    layers: list[Layer] = [
        [(inside, f"coalesce({_inside(value)}, FALSE)")],
        [(near, f"coalesce(IF({inside}, {value}, 0D), 0D)")],
        list(zip(units, SUMS.in_units(near), strict=True)),
    ]
    parts = [f"{value}s{i}" for i in range(SUMS.slices)]
    infinite, far = f"{value}infinite", f"{value}far"
    counted = f"IF({inside}, 0L, {_infinite(value)})"
    listed = f"IF(NOT {inside} AND abs({value}) < {_INFINITY}, array({value}), NULL)"
    found = [*zip(parts, cut(units), strict=True), (infinite, counted), (far, listed)]
    return [*layers, found], [*map(ExactSum, parts), ExactSum(infinite), Far(far)]


def distinct_slices(value: str) -> list[str]:
    """SQL: the same over the distinct values of a group."""
    known = f"collect_set({value})"
    inside = _inside("x")
    parts = [*SUMS.cut(f"IF({inside}, x, 0D)"), _infinite("x")]
    sums = [f"reduce({known}, 0L, (s, x) -> s + {part})" for part in parts]
    return [*sums, f"filter({known}, x -> NOT ({inside}) AND abs(x) < {_INFINITY})"]


@dataclass(frozen=True)
class Far(Component):
    """Finite values beyond the grid, and the negatives of those that have left."""

    invertible: ClassVar[bool] = True

    @property
    def nothing(self) -> str:
        return expansion.NOTHING

    def taken(self, value: str) -> str:
        return f"IF({value} IS NULL, NULL, transform({value}, x -> -x))"

    def settled(self, partial: str) -> str:
        # What has come and gone leaves zeros.
        return f"filter({expansion.of(partial)}, x -> x <> 0D)"

    def aggregated(self, value: str, over: str = "") -> str:
        return f"flatten(collect_list({value}){over})"

    def combined(self, a: str, b: str) -> str:
        return f"concat(coalesce({a}, {self.nothing}), coalesce({b}, {self.nothing}))"


def total(name: str, sums: Sequence[str]) -> tuple[list[Layer], str]:
    """The total of slices as a double: layers, and SQL over the last.

    name: how the names of the columns begin. sums: the columns of the partial aggregates.
    """
    *limbs, infinite, far = sums
    number = leading(name, limbs, SUMS.lowest)
    return number.layers, (
        f"CASE WHEN {infinite} <> 0L THEN {_special(infinite)} "
        f"WHEN size({far}) > 0 THEN {expansion.rounded(far, number.parts)} "
        f"ELSE {number.rounded} END"
    )


def wide_total(name: str, limbs: Sequence[str]) -> tuple[list[Layer], str]:
    """A total of integers in limbs of 32 bits, from the lowest, as the nearest double."""
    number = leading(name, limbs, 0)
    return number.layers, number.rounded


def _inside(value: str) -> str:
    scaled = f"({value} * {power(-SUMS.lowest)})"
    return f"abs({value}) < {power(SUMS.limit)} AND rint({scaled}) = {scaled}"


def cut(units: Sequence[str]) -> list[str]:
    """SQL: the slices of a value in units of each, as integers."""
    found = [f"({low} - {high} * {float(BASE)!r}D)" for low, high in pairwise(units)]
    return [f"floor({part})" for part in (*found, units[-1])]


def _infinite(value: str) -> str:
    """Two counts in one number: a NaN counts as an infinity of either sign."""
    return (
        f"CASE WHEN isnan({value}) THEN {BASE + 1}L WHEN {value} = {_INFINITY} THEN 1L "
        f"WHEN {value} = -{_INFINITY} THEN {BASE}L ELSE 0L END"
    )


def _special(counts: str) -> str:
    up, down = f"({counts} & {BASE - 1}L) > 0L", f"shiftright({counts}, {BITS}) > 0L"
    return (
        f"CASE WHEN {up} AND {down} THEN double('NaN') "
        f"WHEN {up} THEN {_INFINITY} ELSE -{_INFINITY} END"
    )


def power(exponent: int) -> str:
    return f"{2.0**exponent!r}D"


@dataclass(frozen=True)
class Number:
    """A number by its first digits, in columns that the layers compute.

    The first two of three, `high` and `middle`, are added with what that addition loses (Dekker).
    """

    layers: list[Layer]
    parts: list[str]
    """SQL: doubles that the number is the exact sum of."""
    high: str
    middle: str
    low: str
    lower: str
    unit: str

    @property
    def two(self) -> str:
        return f"({self.high} + {self.middle})"

    @property
    def lost(self) -> str:
        return f"({self.middle} - ({self.two} - {self.high}))"

    @property
    def behind(self) -> str:
        """SQL: what is behind the sum of the first two, as far as a double has room for it."""
        return f"({self.lost} + (floor({self.low}) + {self.lower}))"

    @property
    def rounded(self) -> str:
        """SQL: the nearest double. The last addition is the only one that rounds."""
        return f"({self.two} + ({self.lost} + {self.low})) * {self.unit}"


def leading(name: str, limbs: Sequence[str], lowest: int) -> Number:
    """A total in limbs, from the lowest, by its first digits that are not 0.

    Three digits have more bits than a double. Whether anything follows them is one bit more in the
    third, `low`, which decides between two doubles where it must; `lower` is the digit after it.
    """
    sign, top = f"{name}sign", f"{name}top"
    signed = [f"{name}l{i}" for i in range(len(limbs))]
    digits = [f"{name}d{i}" for i in range(len(limbs) + 1)]
    high, middle, low, lower, unit = (
        f"{name}{part}" for part in ("high", "middle", "low", "lower", "unit")
    )
    tops = range(len(digits) - 1, 1, -1)

    def by_top(of: Callable[[int], str]) -> str:
        cases = " ".join(f"WHEN {top} = {i} THEN {of(i)}" for i in tops[:-1])
        return f"CASE {cases} ELSE {of(tops[-1])} END" if cases else of(tops[-1])

    def behind(first: int) -> str:
        rest = " + ".join(digits[: first - 2])
        return f"IF({rest} > 0L, 0.5D, 0D)" if rest else "0D"

    known = [f"{name}k{i}" for i in range(len(limbs))]
    layers: list[Layer] = [
        [(part, f"coalesce({limb}, 0L)") for part, limb in zip(known, limbs, strict=True)],
        [(sign, f"IF({_carried(known, len(limbs) - 1)} < 0L, -1L, 1L)")],
        [(part, f"{limb} * {sign}") for part, limb in zip(signed, known, strict=True)],
        list(zip(digits, _digits(signed), strict=True)),
        [(top, f"CASE {' '.join(f'WHEN {digits[i]} > 0L THEN {i}' for i in tops)} ELSE 2 END")],
        [
            (high, f"{by_top(lambda i: digits[i])} * {power(2 * BITS)}"),
            (middle, f"{by_top(lambda i: digits[i - 1])} * {power(BITS)}"),
            (low, by_top(lambda i: f"{digits[i - 2]} + {behind(i)}")),
            (lower, f"{by_top(lambda i: digits[i - 3] if i > 2 else '0L')} * {power(-BITS)}"),
            (unit, f"{sign} * {by_top(lambda i: power(lowest + (i - 2) * BITS))}"),
        ],
    ]
    parts = [f"{sign} * {d} * {power(lowest + i * BITS)}" for i, d in enumerate(digits)]
    return Number(layers, parts, high, middle, low, lower, unit)


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
