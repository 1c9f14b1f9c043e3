"""Hopping and tumbling windows as Flink and Spark users know them: visible when complete."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from continua.logical.node import Context
from continua.logical.window import CopyingWindow
from continua.model.element import Tuple
from continua.model.instant import Interval, interval
from continua.model.timeline import Timeline


@dataclass(frozen=True)
class HopWindow(CopyingWindow):
    """HOP(s, slide, size [, offset]); TUMBLE(s, size [, offset]) is the case slide = size.

    One copy of the tuple per window [k·slide + offset, k·slide + offset + size) that contains its
    time, valid during [window_end, window_end + slide).
    """

    slide: int
    size: int
    offset: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        # Offsets that differ by slides give the same windows, which so are the same plan.
        assert 0 <= self.offset < self.slide, "the binder takes the offset modulo the slide"

    @property
    def label(self) -> str:
        offset = f" offset {self.length(self.offset)}" if self.offset else ""
        if self.slide == self.size:
            return f"window tumble {self.length(self.size)}{offset}"
        return f"window hop {self.length(self.slide)} size {self.length(self.size)}{offset}"

    def meaning(self, inputs: Sequence[Timeline], context: Context) -> Timeline:
        return Timeline.of(
            (*copy, n) for e, at, n in inputs[0].openings() for copy in self._copies(e, int(at.t))
        )

    def _copies(self, e: Tuple, t: int) -> Iterator[tuple[Tuple, Interval]]:
        since = t - self.offset
        for k in range((since - self.size) // self.slide + 1, since // self.slide + 1):
            start = k * self.slide + self.offset
            end = start + self.size
            window = self.bounds(start, end)
            yield e.derive(e.values + window, end), interval(end, end + self.slide)
