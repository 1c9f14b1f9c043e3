"""Temporal filter: a condition on the time itself, which holds for a part of a tuple's validity."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Literal

from continua.logical.clip import clip
from continua.logical.expr.nodes import Expression
from continua.logical.node import Context, Unary, combine_time
from continua.model.element import Tuple
from continua.model.instant import INFINITY, MINUS_INFINITY, Interval, interval
from continua.model.schema import INTEGER_TIME, TIMESTAMP_TIME, TimeDomain, to_micros
from continua.model.timeline import Timeline

Comparison = Literal["<", "<=", ">", ">=", "="]


@dataclass(frozen=True)
class TemporalFilter(Unary):
    """{(e, t, n) ∈ S | f(e) θ t + shift}; what f gives is a time, or NULL, which is never there.

    A tuple is there from some time on, up to some time, or at one time: where the condition holds.
    """

    value: Expression
    comparison: Comparison
    shift: int

    def __post_init__(self) -> None:
        _ = self.time  # combining the times checks them

    @cached_property
    def time(self) -> TimeDomain | None:
        """That of the input; what is static varies by its own times."""
        own = INTEGER_TIME if self.value.type.integral else TIMESTAMP_TIME
        below = self.input.time
        combine_time(below, own, self.span)
        return below or own

    @property
    def ends(self) -> bool:
        """Whether every tuple is gone some time."""
        return self.comparison in (">", ">=", "=")

    @property
    def label(self) -> str:
        assert self.time is not None
        moved = ""
        if self.shift:
            moved = f" {'-' if self.shift < 0 else '+'} {self.time.length(abs(self.shift))}"
        return f"filter ({self.value} {self.comparison} NOW(){moved})"

    @property
    def part(self) -> tuple[int | None, int | None]:
        """From when on a tuple is there, and up to when, reckoned from f(e); None is no bound."""
        since = {"<": 1, "<=": 0, "=": 0}.get(self.comparison)
        until = {">": 0, ">=": 1, "=": 1}.get(self.comparison)
        return (
            None if since is None else since - self.shift,
            None if until is None else until - self.shift,
        )

    def meaning(self, inputs: Sequence[Timeline], context: Context) -> Timeline:
        since, until = self.part

        def holds(e: Tuple) -> Interval | None:
            value = self.value.evaluate(e.values)
            if value is None:
                return None
            t = to_micros(value) if isinstance(value, datetime) else value
            assert isinstance(t, int)
            return interval(
                MINUS_INFINITY if since is None else t + since,
                INFINITY if until is None else t + until,
            )

        return clip(inputs[0], holds)
