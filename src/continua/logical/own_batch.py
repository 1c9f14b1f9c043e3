"""The elements of a stream in their own batches alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from continua.logical.node import Context
from continua.logical.window import Window
from continua.model.instant import Instant, Interval
from continua.model.timeline import Timeline


@dataclass(frozen=True)
class OwnBatch(Window):
    """`[(t,i), (t,i+1))`: what is joined AS OF its time meets nothing of later batches of it."""

    @property
    def chronon(self) -> bool:
        return True

    @property
    def label(self) -> str:
        return "own batch"

    def meaning(self, inputs: Sequence[Timeline], context: Context) -> Timeline:
        return Timeline.of(
            (e, Interval(at, Instant(at.t, at.i + 1)), n) for e, at, n in inputs[0].openings()
        )
