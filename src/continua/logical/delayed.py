"""A stream whose tuples come at multiples of a step: what a window sees that moves only there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from continua.logical.node import Context
from continua.logical.window import Window, up
from continua.model.element import Tuple
from continua.model.instant import Instant, Interval
from continua.model.timeline import Timeline


@dataclass(frozen=True)
class Delayed(Window):
    """Each tuple at the first multiple of the step that is not before it, for one instant.

    Tuples that come to one instant keep the order in which they were. So ROWS n SLIDE d, d being a
    duration, is ROWS n over this stream: at multiples of d, the last n tuples of all until then.
    """

    step: int

    @property
    def chronon(self) -> bool:
        return True

    @property
    def label(self) -> str:
        return f"delay to multiples of {self.length(self.step)}"

    def meaning(self, inputs: Sequence[Timeline], context: Context) -> Timeline:
        return Timeline.of(
            (self._come(e, at), Interval(to, to.next_time), n)
            for e, at, n in inputs[0].openings()
            for to in [at if at.t % self.step == 0 else Instant(up(int(at.t), self.step))]
        )

    def _come(self, e: Tuple, at: Instant) -> Tuple:
        """The tuple, told apart first by when it came."""
        return Tuple(e.values, None if e.identity is None else (at, e.identity))
