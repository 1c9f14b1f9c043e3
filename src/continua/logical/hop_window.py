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
    """HOP(s, slide, size); TUMBLE(s, size) is the case slide = size.

    One copy of the tuple per window [k·slide, k·slide + size) that contains its time, valid during
    [window_end, window_end + slide).
    """

    slide: int
    size: int

    @property
    def label(self) -> str:
        if self.slide == self.size:
            return f"window tumble {self.length(self.size)}"
        return f"window hop {self.length(self.slide)} size {self.length(self.size)}"

    def meaning(self, inputs: Sequence[Timeline], context: Context) -> Timeline:
        return Timeline.of(
            (*copy, n) for e, at, n in inputs[0].openings() for copy in self._copies(e, int(at.t))
        )

    def _copies(self, e: Tuple, t: int) -> Iterator[tuple[Tuple, Interval]]:
        for k in range((t - self.size) // self.slide + 1, t // self.slide + 1):
            start, end = k * self.slide, k * self.slide + self.size
            window = self.bounds(start, end)
            yield e.derive(e.values + window, end), interval(end, end + self.slide)
