"""DURING: a query as it was during a range of time (a historic query)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from continua.logical.clip import clip
from continua.logical.node import Context, Unary
from continua.model.instant import interval
from continua.model.timeline import Timeline


@dataclass(frozen=True)
class During(Unary):
    """{(e, t, n) ∈ S | since <= t < until}: the result is clipped, and not the input."""

    since: int
    until: int

    def __post_init__(self) -> None:
        assert self.since < self.until, "the binder refuses empty ranges"
        assert self.input.time is not None, "the binder refuses what is static"

    @property
    def label(self) -> str:
        assert self.input.time is not None
        since, until = map(self.input.time.value, (self.since, self.until))
        return f"during [{since}, {until})"

    def meaning(self, inputs: Sequence[Timeline], context: Context) -> Timeline:
        part = interval(self.since, self.until)
        return clip(inputs[0], lambda e: part)
