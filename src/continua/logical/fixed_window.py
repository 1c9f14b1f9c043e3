"""Fixed window ω^f (COMAD §2.6): a tuple is valid until the next section of length w starts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from continua.logical.node import Context
from continua.logical.window import Window
from continua.model.instant import Instant, Interval
from continua.model.timeline import Timeline


@dataclass(frozen=True)
class FixedWindow(Window):
    size: int

    @property
    def label(self) -> str:
        return f"window fixed {self.length(self.size)}"

    def validity(self, instant: Instant) -> Interval:
        return Interval(instant, Instant((int(instant.t) // self.size + 1) * self.size))

    def meaning(self, inputs: Sequence[Timeline], context: Context) -> Timeline:
        return Timeline.of((e, self.validity(at), n) for e, at, n in inputs[0].openings())
