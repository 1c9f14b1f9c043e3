"""What windows have in common: they set the validity of the elements of a chronon stream."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from continua.errors import ContinuaError
from continua.logical.node import Unary
from continua.model.schema import Column, Schema


@dataclass(frozen=True)
class Window(Unary):
    """A window operator ω on a chronon stream; the binder splits any other (TODS §8.2.2)."""

    def __post_init__(self) -> None:
        assert self.input.chronon, "a window stands on a chronon stream"

    @property
    def chronon(self) -> bool:
        return False

    @property
    def asks_identity(self) -> bool:
        # Of several batches at one time, identities say what has come in which of them.
        return self.input.batched

    def length(self, units: int) -> str:
        """A duration in the stream's time, as EXPLAIN shows it."""
        assert self.input.time is not None
        return self.input.time.length(units)


@dataclass(frozen=True)
class CopyingWindow(Window):
    """A window that hands out copies of its tuples, each with the bounds of its window."""

    @cached_property
    def schema(self) -> Schema:
        assert self.input.time is not None
        type_ = self.input.time.result_type
        return self.input.schema + Schema(
            (Column("window_start", type_), Column("window_end", type_))
        )

    def bounds(self, start: int, end: int) -> tuple[object, object]:
        """The bounds of a window as its copies have them."""
        assert self.input.time is not None
        try:
            return self.input.time.value(start), self.input.time.value(end)
        except ContinuaError as error:
            raise error.at(self.span) from None


def up(t: int, step: int) -> int:
    """The least multiple of the step that is not less than t."""
    return -(-t // step) * step
