"""What is known, before a query runs, of how long the elements of a stream last."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Extent:
    """Lengths of intervals: a physical property of a stream, used to choose algorithms.

    uniform: every element lasts exactly this long.
    aligned: two elements of the stream have the same interval or disjoint ones.
    longest: no element lasts longer; None where there is no bound.
    section: every element ends at the next multiple of this.
    endless: every element lasts for ever.
    stepped: elements start and end at multiples of a slide, many of them at one time.
    """

    uniform: int | None = None
    aligned: bool = False
    longest: int | None = None
    section: int | None = None
    endless: bool = False
    stepped: bool = False

    @property
    def cut(self) -> Extent:
        """The extent of parts of the elements: no longer than they, and of any length."""
        return Extent(longest=self.longest)

    @property
    def in_batches(self) -> Extent:
        """The extent where times have several batches: elements of one time may overlap."""
        return Extent(longest=self.longest, endless=self.endless)


LONGEST = 2**60
"""What lasts longer is not reckoned with: sums of a few lengths and a time are to be numbers."""

ANY = Extent()
CHRONON = Extent(uniform=1, aligned=True, longest=1)
ENDLESS = Extent(endless=True)


def lasting(length: int) -> Extent:
    """Every element lasts exactly so long, from whenever it starts."""
    if length > LONGEST:
        return ANY
    return Extent(uniform=length, aligned=length == 1, longest=length)


def either(a: Extent, b: Extent) -> Extent:
    """The extent of a union."""
    if a == b:
        return a if a.uniform == 1 else replace(a, aligned=False)
    longest = None if a.longest is None or b.longest is None else max(a.longest, b.longest)
    return Extent(longest=longest, endless=a.endless and b.endless)


def overlap(a: Extent, b: Extent) -> Extent:
    """The extent of a join: its elements last no longer than either part."""
    if a.uniform == 1 or b.uniform == 1:
        return CHRONON
    known = [x.longest for x in (a, b) if x.longest is not None]
    return Extent(longest=min(known, default=None), endless=a.endless and b.endless)
