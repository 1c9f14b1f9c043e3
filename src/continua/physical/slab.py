"""A slab: the range of application time between the last watermark and the new one."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from continua.physical.instant import BEGINNING, FOREVER, Instant, greatest, instant, least
from continua.physical.validity import END, START, Validity


@dataclass(frozen=True)
class Slab:
    """`[start, end)`; history is the one slab `[BEGINNING, FOREVER)`.

    `seen` has the least and the greatest time of streams, as far as known, by their names: what is
    sampled (TODS §8.2.2) is sampled between them. `origin` is where the first slab began.
    """

    start: int = BEGINNING
    end: int = FOREVER
    seen: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    origin: int = BEGINNING

    @property
    def endless(self) -> bool:
        """Whether nothing can come after it."""
        return self.end == FOREVER

    def sampled(self, streams: Collection[str]) -> tuple[int, int]:
        """The first and the last time at which a query over such streams is sampled in the slab."""
        known = [self.seen[name] for name in streams if name in self.seen]
        first = min((first for first, _ in known), default=FOREVER)
        last = max((last for _, last in known), default=BEGINNING)
        return max(self.start, first), min(self.end - 1, last)

    @property
    def since(self) -> Instant:
        """Its start as SQL."""
        return instant(self.start)

    @property
    def until(self) -> Instant:
        """Its end as SQL."""
        return instant(self.end)

    def starts_inside(self, start: Instant = START, also: str = "TRUE") -> str:
        """SQL: whether a start lies at or after the slab's, and what else is asked."""
        return also if self.start == BEGINNING else f"{start.not_before(self.since)} AND {also}"

    @property
    def clipped(self) -> Validity:
        """The part of a row's validity inside the slab, if there is any."""
        start = START if self.start == BEGINNING else greatest(START, self.since)
        return Validity(start, END if self.end == FOREVER else least(END, self.until))
