"""Time buckets: elements meet only where their intervals do (design §6).

Both sides of a join are copied into the buckets of time that their intervals touch, and the bucket
is one more key. A bucket is as wide as the longest element, so that an element touches two.
Elements of no known length that are much longer than a bucket go apart: they are in one bucket
of their own, into which all elements of the other side are copied once.
"""

from __future__ import annotations

from dataclasses import dataclass

from continua.physical.extent import Extent
from continua.physical.script import EMPTY, Rel, Script
from continua.physical.slab import BEGINNING, FOREVER, Slab, bucket_of, time

LONG = 8
"""An element is long if it may touch more buckets than this."""
APART = time(FOREVER)
"""The bucket of long elements; no time lies in it."""


@dataclass(frozen=True)
class Side:
    """An input of a join: its elements, the columns of their tuples, and their extent."""

    rel: Rel
    values: tuple[str, ...]
    carried: tuple[str, ...]
    extent: Extent

    @property
    def chronon(self) -> bool:
        return self.extent.uniform == 1


@dataclass(frozen=True)
class Buckets:
    """The width of the buckets, and whether a side may have long elements."""

    width: int
    left_apart: bool = False
    right_apart: bool = False

    @property
    def apart(self) -> bool:
        return self.left_apart or self.right_apart

    def of(self, t: str) -> str:
        return bucket_of(t, self.width)

    def touched(self, slab: Slab, start: str = "start", end: str = "end") -> str:
        """SQL: the buckets that the part of an interval inside the slab touches."""
        first, last = slab.clipped_start(start), f"({slab.clipped_end(end)} - 1L)"
        return f"sequence({self.of(first)}, {self.of(last)})"

    def placed(self, script: Script, slab: Slab, side: Side, left: bool) -> Rel:
        """A side with a row for every bucket that an element has to be looked for in."""
        if side.rel is EMPTY:
            return EMPTY
        buckets, explode = self.touched(slab), True
        if self.left_apart if left else self.right_apart:
            start, end = slab.clipped_start(), slab.clipped_end()
            short = f"{end} <= {start} + {LONG * self.width}L"
            buckets = f"IF({short}, {buckets}, array({APART}))"
        elif self.apart:
            buckets = f"concat({buckets}, array({APART}))"
        elif side.chronon:
            buckets, explode = self.of("start"), False
        columns = [(name, name) for name in side.rel.columns]
        bucket = f"explode({buckets})" if explode else buckets
        return script.select("placed", side.rel, [*columns, ("bucket", bucket)])

    def once(self, start: str) -> str:
        """SQL: whether a pair that starts at this time is to be reported in the bucket."""
        here = f"l.bucket = {self.of(start)}"
        return f"(l.bucket = {APART} OR {here})" if self.apart else here


def buckets_for(slab: Slab, left: Extent, right: Extent) -> Buckets | None:
    """The buckets for elements of these extents; None where they would not help."""
    known = [x.longest for x in (left, right) if x.longest is not None]
    if not known or left.endless or right.endless:
        return None
    width = max(known)
    finite = slab.start != BEGINNING and not slab.endless
    if finite and slab.end - slab.start <= width:
        return None  # the slab is a bucket
    longs = not finite or slab.end - slab.start > LONG * width
    return Buckets(width, longs and left.longest is None, longs and right.longest is None)
