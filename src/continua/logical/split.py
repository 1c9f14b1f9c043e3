"""Split (COMAD §4.2.5, TODS §8.2.2): elements taken apart into shorter ones.

On physical streams it changes nothing but how intervals are cut. Before a window over a derived
stream it makes chronons, at the granule the stream has.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from continua.logical.node import Context, Unary
from continua.model.element import PhysicalElement
from continua.model.instant import Instant, Interval
from continua.model.timeline import Timeline


def split(elements: Iterable[PhysicalElement], length: int) -> list[PhysicalElement]:
    """Every element cut into pieces at most `length` units of time long, from its start on."""
    pieces = []
    for e, (start, end) in elements:
        while start < end:
            cut = min(end, Instant(start.t + length))
            pieces.append(PhysicalElement(e, Interval(start, cut)))
            start = cut
    return sorted(pieces, key=lambda piece: piece.interval)


@dataclass(frozen=True)
class Split(Unary):
    """The stream as chronons at the multiples of a granule, so that a window may stand on it."""

    granule: int

    @property
    def chronon(self) -> bool:
        return True

    @property
    def label(self) -> str:
        assert self.input.time is not None
        return f"split at granule {self.input.time.length(self.granule)}"

    def meaning(self, inputs: Sequence[Timeline], context: Context) -> Timeline:
        return inputs[0].sampled(self.granule, context.first, context.last)
