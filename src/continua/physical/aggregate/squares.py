"""Variances from the exact sums of values and of their squares.

A square of a double is a sum of two doubles (Dekker), which are cut into slices as sums are: those
sums do not depend on any order and can be subtracted. What is left of n·Σx² − (Σx)² is computed
with twice the digits of a double. Values below 2⁻⁵⁹ or beyond 2⁶³ are listed, and computed with
less care.
"""

from __future__ import annotations

from collections.abc import Sequence

from continua.physical.aggregate.components import Component, ExactSum
from continua.physical.aggregate.fixed_point import (
    SUMS,
    Grid,
    Layer,
    Number,
    Odd,
    leading,
    listed,
    odd_sum,
    power,
    settled,
    slices,
)

SQUARES = Grid(-224, 11)
LEAST, LIMIT = power(-59), power(63)
"""The squares of numbers between them have a place on the grid, with all their bits, and so have
the numbers themselves on the grid of sums."""
_SPLIT = f"{2.0**27 + 1!r}D"
_INFINITY, _NAN = "double('Infinity')", "double('NaN')"


def moments(value: str) -> tuple[list[Layer], list[Component]]:
    """The sums of a column and of its squares, and what is computed of every value before."""
    (first, sliced), sums = slices(value)
    near, half, lost, odd = (f"{value}q{part}" for part in ("near", "half", "lost", "odd"))
    inside = f"({value} = 0D OR abs({value}) BETWEEN {LEAST} AND {LIMIT})"
    parts = [f"{value}q{i}" for i in range(SQUARES.slices)]
    square = f"({near} * {near})"
    both = zip(SQUARES.cut(square), SQUARES.cut(lost), strict=True)
    halves = (half, f"({near} - {half})")
    layers: list[Layer] = [
        [
            *first,
            (near, f"coalesce(IF({inside}, {value}, 0D), 0D)"),
            (odd, f"IF({value} IS NULL OR {inside}, NULL, {listed(value)})"),
        ],
        [*sliced, (half, _first_half(near))],
        [(lost, _lost(square, halves, halves))],
        [(part, f"{high} + {low}") for part, (high, low) in zip(parts, both, strict=True)],
    ]
    return layers, [*sums, *map(ExactSum, parts), Odd(odd)]


def variance(name: str, partials: Sequence[str], n: str, less: int) -> tuple[list[Layer], str]:
    """The variance of `n` values from their moments: layers, and SQL over the last."""
    *sums, odd = partials[: SUMS.slices + 1]
    *squares, odd_squares = partials[SUMS.slices + 1 :]
    s = leading(name, sums, SUMS.lowest)
    q = leading(f"{name}square", squares, SQUARES.lowest)
    (first, *rest), others = s.layers, q.layers
    far, far_squares = f"{name}odd", f"{name}squareodd"
    m, nq, ss, values = (f"{name}{part}" for part in ("n", "nq", "ss", "values"))
    of_s, of_q, of_m = _Doubled(f"{name}s"), _Doubled(f"{name}q"), _Doubled(m)
    layers: list[Layer] = [
        [
            *first,
            *others[0],
            (far, settled(odd)),
            (far_squares, settled(odd_squares)),
            (m, f"double({n})"),
        ],
        *([*a, *b] for a, b in zip(rest, others[1:], strict=True)),
        [*of_s.columns(s), *of_q.columns(q), (of_m.half, _first_half(m))],
        [
            (of_s.half, _first_half(of_s.name)),
            (of_q.half, _first_half(of_q.name)),
            (nq, f"{m} * {of_q.name}"),
            (ss, f"{of_s.name} * {of_s.name}"),
            (values, f"{of_s.name} + IF(size({far}) = 0, 0D, {odd_sum(far)})"),
        ],
    ]
    lost = f"({_lost(nq, of_m.halves, of_q.halves)} - {_lost(ss, of_s.halves, of_s.halves)})"
    lower = f"({m} * {of_q.rest} - 2D * {of_s.name} * {of_s.rest})"
    distance = f"(({nq} - {ss}) + ({lost} + {lower}))"
    # Of equal values nothing is left but what was rounded.
    exact = f"IF({distance} < {nq} * {power(-98)}, 0D, {distance})"
    all_squares = f"({of_q.name} + {odd_sum(far_squares, '(x.v * x.v)')})"
    plain = f"({all_squares} - {values} * ({values} / {m})) * {m}"
    # A square may be infinite where the value is not.
    rough = f"IF(abs({values}) < {_INFINITY}, nanvl({plain}, {_INFINITY}), {_NAN})"
    rough = f"IF({m} = 1D AND abs({values}) < {_INFINITY}, 0D, {rough})"
    found = f"greatest(IF(size({far_squares}) = 0, {exact}, {rough}), 0D)"
    return layers, f"IF({n} > {less}, {found} / {m} / ({m} - {less}), NULL)"


class _Doubled:
    """A number as the sum of two doubles, and the first half of the digits of the first."""

    def __init__(self, name: str) -> None:
        self.name, self.rest, self.half = name, f"{name}rest", f"{name}half"

    def columns(self, number: Number) -> Layer:
        sum_ = f"({number.two} + {number.behind})"
        return [
            (self.name, f"{sum_} * {number.unit}"),
            (
                self.rest,
                f"((({number.two} - {sum_}) + {number.behind}) + {number.tail}) * {number.unit}",
            ),
        ]

    @property
    def halves(self) -> tuple[str, str]:
        return self.half, f"({self.name} - {self.half})"


def _first_half(value: str) -> str:
    """The first 26 bits of a double (Veltkamp); the product of two halves is exact."""
    return f"({value} * {_SPLIT} - ({value} * {_SPLIT} - {value}))"


def _lost(product: str, a: tuple[str, str], b: tuple[str, str]) -> str:
    """What a product of two doubles lost in rounding, from the halves of both (Dekker)."""
    (a1, a2), (b1, b2) = a, b
    return f"((({a1} * {b1} - {product}) + {a1} * {b2} + {a2} * {b1}) + {a2} * {b2})"
