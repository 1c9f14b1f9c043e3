"""A join AS OF the time of its stream, as it is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from continua.logical.node import Context, Unary
from continua.model.timeline import Timeline


@dataclass(frozen=True)
class AsOfJoin(Unary):
    """The identity on a join. It is there while a query is bound, and not in what is evaluated: a
    default window stands on the join, whose stream has none."""

    def __post_init__(self) -> None:
        assert self.input.chronon, "every element meets what is valid at its own time"

    @property
    def label(self) -> str:
        return "as of"

    def meaning(self, inputs: Sequence[Timeline], context: Context) -> Timeline:
        return inputs[0]
