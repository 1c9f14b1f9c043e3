"""Streamers: from a relation that varies in time back to a stream (Jain §4.3.2, Astral §5.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from continua.errors import ContinuaError
from continua.logical.node import Context, Unary
from continua.model.timeline import Timeline


@dataclass(frozen=True)
class Streamer(Unary):
    """ISTREAM, DSTREAM (by identity: DEL, or by value: DIF) or RSTREAM [EVERY r]."""

    kind: str
    mode: str = "DEL"
    every: int | None = None

    @cached_property
    def streaming(self) -> bool:
        return True  # also of a relation: that is what it is for

    @property
    def chronon(self) -> bool:
        return True

    @property
    def label(self) -> str:
        if self.kind == "RSTREAM":
            length = self.time.length(self.every) if self.time and self.every else None
            return f"rstream every {length}" if length else "rstream"
        return f"{self.kind.lower()} {self.mode.lower()}"

    def meaning(self, inputs: Sequence[Timeline], context: Context) -> Timeline:
        raise ContinuaError("NOT_YET", f"{self.kind} is not yet supported", self.span)
