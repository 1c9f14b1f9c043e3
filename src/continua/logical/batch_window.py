"""Batch window [B] (Astral table 1): the last batch seen in the stream."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from continua.logical.node import Context
from continua.logical.window import Window
from continua.model.instant import FOREVER, Interval
from continua.model.timeline import Timeline


@dataclass(frozen=True)
class BatchWindow(Window):
    """A tuple is valid until the next batch of the stream."""

    @property
    def label(self) -> str:
        return "window batch"

    def meaning(self, inputs: Sequence[Timeline], context: Context) -> Timeline:
        elements = inputs[0].openings()
        batches = sorted({at for _, at, _ in elements})
        following = dict(zip(batches, [*batches[1:], FOREVER], strict=False))
        return Timeline.of((e, Interval(at, following[at]), n) for e, at, n in elements)
