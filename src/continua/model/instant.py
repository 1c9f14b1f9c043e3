"""Instants `(t, i)` and half-open intervals of them (Jain §4.1, Astral definition 6).

`t` is the application time, `i` the number of a batch within `t`, dense from 0. Krämer & Seeger
ask of time only that it is discrete and ordered, so their algebra holds over these instants.
With one batch per timestamp, `i` is 0 everywhere.
"""

from __future__ import annotations

import math
from typing import NamedTuple

Time = int | float
"""A time in units of the time attribute: an int, or one of the two infinities."""

MINUS_INFINITY: Time = -math.inf
INFINITY: Time = math.inf

EARLIEST, LATEST = -(2**62), 2**63 - 2
"""The least and the greatest time. Times are of 64 bits, whose two ends stand for the infinities;
below the least there is room for windows that begin before it."""


class Instant(NamedTuple):
    """A batch identifier; tuples compare lexicographically, as instants must."""

    t: Time
    i: int = 0

    def __str__(self) -> str:
        return f"{self.t}" if self.i == 0 else f"({self.t},{self.i})"

    @property
    def next_time(self) -> Instant:
        """The first instant of the next unit of time: where a chronon that starts here ends."""
        return Instant(self.t + 1)


BEGINNING = Instant(MINUS_INFINITY)
FOREVER = Instant(INFINITY)


class Interval(NamedTuple):
    """The instants `[start, end)`."""

    start: Instant
    end: Instant

    def __str__(self) -> str:
        return f"[{self.start}, {self.end})"


def interval(start: Time, end: Time) -> Interval:
    """The interval `[(start, 0), (end, 0))`."""
    return Interval(Instant(start), Instant(end))
