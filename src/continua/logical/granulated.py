"""A stream with another granule: what `CREATE STREAM … GRANULE g AS query` declares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from continua.logical.node import Context, Unary
from continua.model.schema import TimeDomain
from continua.model.timeline import Timeline


@dataclass(frozen=True)
class Granulated(Unary):
    """The identity; the granule says at which step a window over the stream samples it."""

    granule: int

    @cached_property
    def time(self) -> TimeDomain | None:
        below = self.input.time
        return TimeDomain(below.type, self.granule) if below else None

    @property
    def label(self) -> str:
        return f"granule {self.time.length(self.granule) if self.time else self.granule}"

    def meaning(self, inputs: Sequence[Timeline], context: Context) -> Timeline:
        return inputs[0]
