"""Variances from the exact sums of values and of their squares.

A square of a double is a sum of two doubles (Dekker), which are cut into slices as sums are: those
sums do not depend on any order and can be subtracted. What is left of n·Σx² − (Σx)² is computed
with twice the digits of a double. Values below 4·10⁻³¹ or from 6·10²³ on are kept in a list, and
computed with less care.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from continua.physical.aggregate import expansion
from continua.physical.aggregate.components import Component, ExactSum
from continua.physical.aggregate.fixed_point import (
    SUMS,
    Far,
    Grid,
    Layer,
    cut,
    leading,
    power,
    slices,
)

SQUARES = Grid(-256, 13)
_SPLIT = f"{2.0**27 + 1!r}D"


def moments(value: str) -> tuple[list[Layer], list[Component]]:
    """The sums of a column and of its squares, and what is computed of every value before."""
    layers, sums = slices(value)
    inside, near, wide, high, low = (
        f"{value}q{part}" for part in ("inside", "near", "wide", "high", "low")
    )
    of_high = [f"{value}qh{i}" for i in range(SQUARES.slices)]
    of_low = [f"{value}ql{i}" for i in range(SQUARES.slices)]
    parts = [f"{value}q{i}" for i in range(SQUARES.slices)]
    beyond, far = f"{value}qbeyond", f"{value}qfar"
    both = [f"{a} + {b}" for a, b in zip(cut(of_high), cut(of_low), strict=True)]
    # A square that is too great is the greatest double: an infinite one would not leave again.
    square = f"least({value} * {value}, {sys.float_info.max!r}D)"
    counted = f"IF(NOT {inside} AND abs({value}) < double('Infinity'), 1L, 0L)"
    squares: list[Layer] = [
        [(inside, f"coalesce({_inside(value)}, FALSE)")],
        [(near, f"coalesce(IF({inside}, {value}, 0D), 0D)")],
        [(wide, _first_half(near)), (high, f"{near} * {near}")],
        [(low, _lost(high, (wide, f"({near} - {wide})"), (wide, f"({near} - {wide})")))],
        [
            *zip(of_high, SQUARES.in_units(high), strict=True),
            *zip(of_low, SQUARES.in_units(low), strict=True),
        ],
        [*zip(parts, both, strict=True), (beyond, counted)],
        [(far, f"IF({beyond} > 0L, array({square}), NULL)")],
    ]
    return [*layers, *squares], [*sums, *map(ExactSum, [*parts, beyond]), Far(far)]


def variance(name: str, partials: Sequence[str], n: str, less: int) -> tuple[list[Layer], str]:
    """The variance of `n` values from their moments: layers, and SQL over the last."""
    *sums, infinite, far = partials[: -SQUARES.slices - 2]
    *squares, beyond, far_squares = partials[-SQUARES.slices - 2 :]
    s = leading(name, sums, SUMS.lowest)
    q = leading(f"{name}square", squares, SQUARES.lowest)
    steps = [[*a, *b] for a, b in zip(s.layers, q.layers, strict=True)]
    sh, sl, qh, ql, m = (f"{name}v{part}" for part in ("sh", "sl", "qh", "ql", "m"))
    s1, q1, m1 = (f"{half}1" for half in (sh, qh, m))
    s2, q2 = f"{sl}2", f"{ql}2"
    nq, ss = f"{name}vnq", f"{name}vss"
    halves = {whole: (half, f"({whole} - {half})") for whole, half in ((sh, s1), (qh, q1), (m, m1))}
    layers: list[Layer] = [
        *steps,
        [(sl, s.behind), (ql, q.behind), (m, f"double({n})")],
        [
            (sh, f"({s.two} + {sl}) * {s.unit}"),
            (s2, f"(({s.two} - ({s.two} + {sl})) + {sl}) * {s.unit}"),
            (qh, f"({q.two} + {ql}) * {q.unit}"),
            (q2, f"(({q.two} - ({q.two} + {ql})) + {ql}) * {q.unit}"),
        ],
        [
            *((half, _first_half(whole)) for whole, (half, _) in halves.items()),
            (nq, f"{m} * {qh}"),
            (ss, f"{sh} * {sh}"),
        ],
    ]
    rest = f"({_lost(nq, halves[m], halves[qh])} - {_lost(ss, halves[sh], halves[sh])})"
    exact = f"(({nq} - {ss}) + ({rest} + ({m} * {q2} - 2D * {sh} * {s2})))"
    s_far, q_far = expansion.rounded(far, s.parts), expansion.rounded(far_squares, q.parts)
    plain = f"({q_far} * {m} - {s_far} * {s_far})"
    found = (
        f"CASE WHEN {infinite} <> 0L THEN double('NaN') "
        f"WHEN {beyond} > 0L THEN greatest({plain}, 0D) "
        f"ELSE greatest({exact}, 0D) END"
    )
    return layers, f"IF({n} > {less}, {found} / {m} / ({m} - {less}), NULL)"


def _inside(value: str) -> str:
    """Whether the square of a value has a place on the grid, with as many bits as a double."""
    least, limit = power((SQUARES.lowest + 54) // 2), power(SQUARES.limit // 2)
    return f"{value} = 0D OR abs({value}) BETWEEN {least} AND {limit}"


def _first_half(value: str) -> str:
    """The first 26 bits of a double (Veltkamp); the product of two halves is exact."""
    return f"({value} * {_SPLIT} - ({value} * {_SPLIT} - {value}))"


def _lost(product: str, a: tuple[str, str], b: tuple[str, str]) -> str:
    """What a product of two doubles lost in rounding, from the halves of both (Dekker)."""
    (a1, a2), (b1, b2) = a, b
    return f"((({a1} * {b1} - {product}) + {a1} * {b2} + {a2} * {b1}) + {a2} * {b2})"
