"""A slab: the stretch of application time between the last progress and the new one."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

BEGINNING = -(2**63)
FOREVER = 2**63 - 1
"""The two infinities, as values of a BIGINT."""


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

    def starts_inside(self, start: str, also: str = "TRUE") -> str:
        """SQL: whether a start lies at or after the slab's, and what else is asked."""
        return also if self.start == BEGINNING else f"{start} >= {time(self.start)} AND {also}"

    def clipped_start(self, start: str = "start") -> str:
        """SQL: the later of a start and the slab's."""
        return start if self.start == BEGINNING else f"greatest({start}, {time(self.start)})"

    def clipped_end(self, end: str = "end") -> str:
        """SQL: the earlier of an end and the slab's."""
        return end if self.end == FOREVER else f"least({end}, {time(self.end)})"


def time(t: int) -> str:
    """A time as SQL."""
    return f"CAST('{t}' AS BIGINT)" if t == BEGINNING else f"{t}L"


def later(t: str, by: int | str) -> str:
    """SQL: so much later than t, which may be for ever."""
    latest = f"{FOREVER - by}L" if isinstance(by, int) else f"{FOREVER}L - {by}"
    return f"IF({t} > {latest}, {time(FOREVER)}, {t} + {by}{'L' * isinstance(by, int)})"


def floor_to(t: str, step: int) -> str:
    """SQL: the greatest multiple of the step that is not greater than t; exact, unlike doubles."""
    return t if step == 1 else f"({t} - pmod({t}, {step}L))"


def ceil_to(t: str, step: int) -> str:
    """SQL: the least multiple of the step that is not less than t."""
    return t if step == 1 else f"({t} + pmod(-({t}), {step}L))"


def bucket_of(t: str, width: int) -> str:
    """SQL: the number of the bucket of a width that t falls into; also right before the epoch."""
    return t if width == 1 else f"({floor_to(t, width)} div {width}L)"
