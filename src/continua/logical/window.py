"""What windows have in common: they set the validity of the elements of a chronon stream."""

from __future__ import annotations

from dataclasses import dataclass

from continua.logical.node import Unary


@dataclass(frozen=True)
class Window(Unary):
    """A window operator ω on a chronon stream; the binder splits any other (TODS §8.2.2)."""

    def __post_init__(self) -> None:
        assert self.input.chronon, "a window stands on a chronon stream"

    @property
    def chronon(self) -> bool:
        return False

    def length(self, units: int) -> str:
        """A duration in the stream's time, as EXPLAIN shows it."""
        assert self.input.time is not None
        return self.input.time.length(units)


def up(t: int, step: int) -> int:
    """The least multiple of the step that is not less than t."""
    return -(-t // step) * step
