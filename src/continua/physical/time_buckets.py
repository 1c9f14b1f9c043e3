"""Time buckets: elements meet only where their intervals do (design §6).

Both sides of a join are copied into the buckets of time that their intervals touch, and the bucket
is one more key. A bucket is some times as wide as the longest element, so that most touch one.
Elements of no known length that are much longer than a bucket go apart: they are in one bucket
of their own, into which all elements of the other side are copied once.
"""

from __future__ import annotations

from dataclasses import dataclass

from continua.physical.builder import Builder
from continua.physical.extent import Extent
from continua.physical.instant import BEGINNING, FOREVER, Instant, bucket_of, instant, time
from continua.physical.relation import Rel
from continua.physical.slab import Slab
from continua.physical.validity import START, Validity

WIDTH = 4
"""How many times as long as the longest element a bucket is. If longer, fewer elements are in two
buckets, and more are compared in each."""
LONG = 8
"""An element is long if it may touch more buckets than this."""
APART = time(FOREVER)
"""The bucket of long elements; no time lies in it."""


@dataclass(frozen=True)
class Side:
    """An input of a join: its elements, the columns of their tuples, and their extent.

    static: all of them have been there from the beginning and stay for ever.
    """

    rel: Rel
    values: tuple[str, ...]
    carried: tuple[str, ...]
    extent: Extent
    static: bool = False

    @property
    def chronon(self) -> bool:
        return self.extent.uniform == 1


@dataclass(frozen=True)
class Buckets:
    """The width of the buckets, and whether a side may have long elements."""

    width: int
    left_apart: bool = False
    right_apart: bool = False
    key = ("bucket",)

    @property
    def apart(self) -> bool:
        """Whether an element and what it meets need not be in one bucket."""
        return self.left_apart or self.right_apart

    def of(self, t: str) -> str:
        return bucket_of(t, self.width)

    @property
    def bounds(self) -> Validity:
        """The bucket that a row is in."""
        start = instant(f"(bucket * {self.width}L)")
        return Validity(start, start.later(self.width))

    def touched(self, slab: Slab) -> str:
        """SQL: the buckets that the part of an interval inside the slab touches."""
        part = slab.clipped
        return f"sequence({self.of(part.start.t)}, {self.of(part.last_time)})"

    def placed(self, builder: Builder, slab: Slab, left: Side, right: Side) -> tuple[Rel, Rel]:
        """The sides, with a row for every bucket in which an element has to be looked for."""
        return (
            self._placed(builder, slab, left, self.left_apart),
            self._placed(builder, slab, right, self.right_apart),
        )

    def _placed(self, builder: Builder, slab: Slab, side: Side, may_be_long: bool) -> Rel:
        buckets = self.touched(slab)
        if may_be_long:
            part = slab.clipped
            short = part.end.not_after(part.start.later(LONG * self.width))
            buckets = f"IF({short}, {buckets}, array({APART}))"
        elif self.apart:
            buckets = f"concat({buckets}, array({APART}))"
        columns = [(name, name) for name in side.rel.columns]
        if side.chronon and not self.apart:
            return builder.select("placed", side.rel, [*columns, ("bucket", self.of(START.t))])
        outputs = [*columns, ("bucket", "bucket")]
        return builder.exploded("placed", side.rel, buckets, "bucket", outputs)

    def once(self, left: Side, right: Side, start: Instant) -> list[str]:
        """SQL: whether a pair that starts at this time is to be reported in the bucket."""
        if left.chronon or right.chronon:
            return []  # what lasts one instant is in the bucket of that instant only
        here = f"l.bucket = {self.of(start.t)}"
        return [f"(l.bucket = {APART} OR {here})" if self.apart else here]


def longest_piece(slab: Slab) -> int | None:
    """How long the part of an element inside the slab can be; None if there is no bound."""
    finite = slab.start != BEGINNING and not slab.endless
    return slab.end - slab.start if finite else None


def buckets_for(slab: Slab, left: Extent, right: Extent) -> Buckets | None:
    """The buckets for elements of these extents; None where they would not help."""
    known = [x.longest for x in (left, right) if x.longest is not None]
    if not known or left.endless or right.endless:
        return None
    if max(known) == 1 and len(known) < 2:
        return None  # an instant says nothing about the lengths of the others
    width = WIDTH * max(known)
    span = longest_piece(slab)
    if span is not None and span <= width:
        return None  # the slab is a bucket
    longs = span is None or span > LONG * width
    return Buckets(width, longs and left.longest is None, longs and right.longest is None)
