"""Streamers: from a relation that varies in time back to a stream (Jain §4.3.2, Astral §5.1).

ISTREAM gives what comes into the relation, DSTREAM what leaves it, each at the instant at which it
does. RSTREAM gives all that is valid, whenever anything changes or at multiples of a period.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from continua.logical.distinct import distinct
from continua.logical.node import Context, Unary
from continua.logical.split import Split
from continua.model.instant import BEGINNING, Interval
from continua.model.timeline import Timeline


@dataclass(frozen=True)
class Streamer(Unary):
    """ISTREAM, DSTREAM (by identity: DEL, or by value, as sets: DIF) or RSTREAM."""

    kind: str
    mode: str = "DEL"

    @cached_property
    def streaming(self) -> bool:
        return True  # also of a relation: that is what it is for

    @property
    def chronon(self) -> bool:
        return True

    @property
    def label(self) -> str:
        return "rstream" if self.kind == "RSTREAM" else f"{self.kind.lower()} {self.mode.lower()}"

    @property
    def asks_identity(self) -> bool:
        return self.mode == "DEL"

    def meaning(self, inputs: Sequence[Timeline], context: Context) -> Timeline:
        (stream,) = inputs
        if self.mode == "DIF":
            stream = distinct(stream)
        elif self.input.chronon:
            stream = stream.by_instant()
        # What is valid from the beginning is no insertion (design §4).
        changes = [change for change in stream.changes() if change[1] != BEGINNING]
        if self.kind == "RSTREAM":
            changes = [
                (e, at, n)
                for at in sorted({at for _, at, _ in changes})
                for e, n in stream.at(at).items()
            ]
        sign = -1 if self.kind == "DSTREAM" else 1
        return Timeline.of(
            (e.stamped(at), Interval(at, at.next_time), sign * n)
            for e, at, n in changes
            if sign * n > 0
        )


@dataclass(frozen=True)
class PeriodicStreamer(Split):
    """RSTREAM EVERY r: all that is valid at the multiples of r, up to the greatest time in the
    data (Astral RSʳ)."""

    @property
    def label(self) -> str:
        assert self.input.time is not None
        return f"rstream every {self.input.time.length(self.granule)}"
