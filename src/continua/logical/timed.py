"""Timed: what NOW() is for the elements of a stream."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from continua.errors import ContinuaError
from continua.logical.node import Context, Unary
from continua.model.element import Tuple
from continua.model.instant import Interval, Time
from continua.model.schema import Column, Schema
from continua.model.timeline import Timeline


@dataclass(frozen=True)
class Timed(Unary):
    """{(e ∘ t, (t, i), n) | (e, (t, i), n) ∈ S}: each element with its time as one more column."""

    name: str

    def __post_init__(self) -> None:
        assert self.input.chronon, "what lasts has no time of its own"

    @cached_property
    def schema(self) -> Schema:
        assert self.input.time is not None
        return self.input.schema + Schema((Column(self.name, self.input.time.result_type),))

    @property
    def asks_identity(self) -> bool:
        # Of several batches at one time, identities say what has come in which of them.
        return self.input.batched

    @property
    def label(self) -> str:
        return "with NOW()"

    def meaning(self, inputs: Sequence[Timeline], context: Context) -> Timeline:
        elements = []
        for e, at, n in inputs[0].openings():
            timed: Tuple = e.derive((*e.values, self._value(at.t)))
            elements.append((timed, Interval(at, at.next_time), n))
        return Timeline.of(elements)

    def _value(self, t: Time) -> object:
        assert self.input.time is not None
        try:
            return self.input.time.value(t)
        except ContinuaError as error:
            raise error.at(self.span) from None
