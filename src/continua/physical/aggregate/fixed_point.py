"""Floating sums without rounding: a double is a few integers, each a slice of its bits.

A double in the range of the grid is a sum of slices of 32 bits at fixed places, from 2⁻¹²⁸ to 2⁶⁴.
The slices of many doubles are added as integers, which is exact in any order, and the total is
rounded once. What lies beyond the grid (greater than 9·10¹⁸, not a number, or with bits below
2⁻¹²⁸) is kept as it is and added last, in the order of its value: also the same in any order, if
not exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from continua.physical.aggregate.components import Component, ExactSum

LOWEST = -128
"""The exponent of the last bit of the grid."""
BITS = 32
SLICES = 6
BASE = 2**BITS
MORE = 3
"""Digits that a quotient gets behind the grid, so that it has more bits than a double."""

Layer = list[tuple[str, str]]
"""Columns that are computed from those of the layers before."""


def slices(value: str) -> list[Component]:
    """The sums of the slices of values, from the lowest, and what is beyond the grid."""
    inside = _inside(value)
    found: list[Component] = []
    for number in range(SLICES):
        here = _rounded(value, number)
        if number < SLICES - 1:
            here = f"{here} - {_rounded(value, number + 1)} * {float(BASE)!r}D"
        found.append(ExactSum(f"coalesce(CAST(IF({inside}, {here}, 0D) AS BIGINT), 0L)"))
    return [*found, Listed(f"IF({inside}, NULL, {value})")]


def distinct_slices(value: str) -> list[str]:
    """SQL: the same over the distinct values of a group."""
    known = f"collect_set({value})"
    *limbs, _ = slices("x")
    sums = [f"reduce({known}, 0L, (s, x) -> s + {limb.value})" for limb in limbs]
    return [*sums, f"filter({known}, x -> NOT ({_inside('x')}))"]


@dataclass(frozen=True)
class Listed(Component):
    """Values as they are: few, so that a list of them will do."""

    @property
    def nothing(self) -> str:
        return "CAST(array() AS ARRAY<DOUBLE>)"

    def aggregated(self, value: str, over: str = "") -> str:
        return f"collect_list({value}){over}"

    def combined(self, a: str, b: str) -> str:
        return f"concat(coalesce({a}, {self.nothing}), coalesce({b}, {self.nothing}))"


def total(name: str, sums: Sequence[str], n: str | None) -> tuple[list[Layer], str]:
    """The total of slices as a double, or its quotient by `n`: layers, and SQL over the last.

    name: how the names of the columns begin. sums: the columns of the partial aggregates.
    """
    *limbs, beyond = sums
    digits = [f"{name}d{i}" for i in range(SLICES + 1)]
    negative = f"{name}negative"
    layers: list[Layer] = [
        [(negative, f"{_carried(limbs, SLICES - 1)} < 0")],
        list(zip(digits, _digits([f"IF({negative}, -{s}, {s})" for s in limbs]), strict=True)),
    ]
    lowest, rest = LOWEST, "0L"
    if n is not None:
        lowest -= MORE * BITS
        quotients = [f"{name}q{i}" for i in range(len(digits) + MORE)]
        rest = f"{name}rest"
        found = _divided([*["0L"] * MORE, *digits], n)
        layers.append([*zip(quotients, found[:-1], strict=True), (rest, found[-1])])
        digits = quotients
    exact = f"{name}exact"
    layers.append([(exact, f"IF({negative}, -1D, 1D) * ({_double(digits, lowest, rest)})")])
    share = "" if n is None else f" / {n}"
    extremes = f"reduce(array_sort({beyond}), 0D, (a, b) -> a + b){share}"
    return layers, f"IF(size({beyond}) > 0, {exact} + {extremes}, {exact})"


def wide_quotient(name: str, limbs: Sequence[str], n: str) -> tuple[list[Layer], str]:
    """The quotient of a total in two limbs of an integer, as a double that is rounded once."""
    low, high = limbs
    negative, exact = f"{name}negative", f"{name}exact"
    signed = [f"IF({negative}, -{limb}, {limb})" for limb in (low, high)]
    digits = [f"{name}d{i}" for i in range(3)]
    quotients = [f"{name}q{i}" for i in range(len(digits) + MORE)]
    divided = _divided([*["0L"] * MORE, *digits], n)
    layers: list[Layer] = [
        [(negative, f"{_carried([low, high], 1)} < 0")],
        list(zip(digits, _digits(signed), strict=True)),
        [*zip(quotients, divided[:-1], strict=True), (f"{name}rest", divided[-1])],
    ]
    value = _double(quotients, -MORE * BITS, f"{name}rest")
    layers.append([(exact, f"IF({negative}, -1D, 1D) * ({value})")])
    return layers, exact


def _inside(value: str) -> str:
    scaled = f"{value} * {_power(-LOWEST)}"
    return f"abs({value}) < {_power(63)} AND rint({scaled}) = {scaled}"


def _rounded(value: str, number: int) -> str:
    """The value in units of a slice, rounded: what is left of it belongs to lower slices."""
    return f"rint({value} * {_power(-LOWEST - number * BITS)})"


def _power(exponent: int) -> str:
    return f"{2.0**exponent!r}D"


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


def _divided(digits: Sequence[str], n: str) -> list[str]:
    """The digits of a quotient, and the remainder: as on paper, from the first digit."""
    found: list[str] = []
    remainder = "0L"
    for digit in reversed(digits):
        here = f"({remainder} * {BASE}L + {digit})"
        found.insert(0, f"{here} div {n}")
        remainder = f"{here} % {n}"
    return [*found, remainder]


def _double(digits: Sequence[str], lowest: int, rest: str) -> str:
    """SQL: the number of digits that are not negative, as the nearest double.

    Three digits, from the first that is not 0, have more bits than a double; whether anything
    follows them is one bit more, which decides between two neighbours where it must. The first two
    are added with what that addition loses (Dekker), and so is rounded once, by the last addition.
    """
    cases = []
    for first in reversed(range(len(digits))):
        a, b, c = (digits[i] if i >= 0 else "0L" for i in (first, first - 1, first - 2))
        behind = [*digits[: max(first - 2, 0)], rest]
        high, middle = f"{a} * {_power(2 * BITS)}", f"{b} * {_power(BITS)}"
        low = f"({c} + IF({' + '.join(behind)} <> 0, 0.5D, 0D))"
        two = f"({high} + {middle})"
        value = f"({two} + (({middle} - ({two} - {high})) + {low}))"
        unit = _power(lowest + (first - 2) * BITS)
        cases.append(f"WHEN {digits[first]} > 0 THEN {value} * {unit}")
    # Without a digit, the remainder alone is less than any double that could be meant.
    return f"CASE {' '.join(cases)} ELSE 0D END"
