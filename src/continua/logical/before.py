"""Before: at every time, what was valid right before it; for matches that lie strictly before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from continua.logical.node import Context, Unary
from continua.model.instant import LATEST, Instant
from continua.model.timeline import Timeline


@dataclass(frozen=True)
class Before(Unary):
    """The snapshot at `(t, i)` is that after the last batch of `t - 1`, whatever `i` is."""

    @property
    def label(self) -> str:
        return "before the time"

    def meaning(self, inputs: Sequence[Timeline], context: Context) -> Timeline:
        # Of several steps within a time the last one holds when it is over.
        steps = {
            e: {Instant(at.t + 1): n for at, n in given if at.t < LATEST}
            for e, given in inputs[0].steps()
        }
        return Timeline({e: moved.items() for e, moved in steps.items()})
