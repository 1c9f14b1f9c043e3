"""Time-based sliding window ω^time (TODS (5)): a tuple is valid for w units of time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from continua.logical.node import Context
from continua.logical.window import Window, up
from continua.model.instant import FOREVER, Instant, Interval
from continua.model.timeline import Timeline


@dataclass(frozen=True)
class RangeWindow(Window):
    """RANGE w, RANGE UNBOUNDED (`size` None: Astral's [∞]) and RANGE w SLIDE s.

    With a slide, the window moves at multiples of s only: a tuple appears at the first multiple
    not before it, and leaves at the first one not before t + w.
    """

    size: int | None
    slide: int | None = None
    default_of: Literal["setting", "stream"] | None = field(
        default=None, compare=False, kw_only=True
    )
    """Of a window that nobody wrote: whether the setting or the stream's declaration made it."""

    @property
    def label(self) -> str:
        size = "unbounded" if self.size is None else self.length(self.size)
        size += " by default" * (self.default_of is not None)
        return f"window range {size}" + (f" slide {self.length(self.slide)}" if self.slide else "")

    def validity(self, instant: Instant) -> Interval:
        t, slide = int(instant.t), self.slide
        start = instant if slide is None or t % slide == 0 else Instant(up(t, slide))
        if self.size is None:
            return Interval(start, FOREVER)
        end = t + self.size
        return Interval(start, Instant(end if slide is None else up(end, slide)))

    def meaning(self, inputs: Sequence[Timeline], context: Context) -> Timeline:
        return Timeline.of((e, self.validity(at), n) for e, at, n in inputs[0].openings())
