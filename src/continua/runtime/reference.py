"""Queries by the reference: the logical algebra itself, evaluated."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

from continua.errors import ContinuaError
from continua.logical.delivered import delivered, elements_of
from continua.logical.evaluate import context_of, evaluate
from continua.logical.node import Context, Node
from continua.logical.timeslice import timeslice
from continua.model.catalog import Relation
from continua.model.element import SourceRow, Values
from continua.model.instant import Time
from continua.model.timeline import Timeline
from continua.runtime.deliver import DELIVERIES
from continua.runtime.evaluation import Evaluation, Valid
from continua.runtime.rows import Rows


class Reference(Evaluation):
    """Slow and obviously right. The data is read once, when the first result is asked for."""

    def __init__(self, plan: Node, read: Callable[[Relation], tuple[SourceRow, ...]]) -> None:
        self._plan = plan
        self.read = read

    @cached_property
    def _context(self) -> Context:
        found: dict[Relation, tuple[SourceRow, ...]] = {}

        def once(relation: Relation) -> tuple[SourceRow, ...]:
            if relation not in found:
                found[relation] = self.read(relation)
            return found[relation]

        return context_of(self._plan, once)

    @cached_property
    def _timeline(self) -> Timeline:
        return self._evaluated(self._plan)

    def _evaluated(self, plan: Node) -> Timeline:
        try:
            return evaluate(plan, self._context)
        except RecursionError:
            message = "an expression of the query is nested too deeply"
            raise ContinuaError("UNSUPPORTED", message) from None

    def timeline(self) -> Timeline:
        return self._meaning(elements_of(self._plan))

    def rows(self) -> Sequence[Valid]:
        return self._rows(elements_of(self._plan))

    def deliver(self, delivery: str, to: Callable[[Rows], None]) -> None:
        to(DELIVERIES[delivery](self._rows(delivered(self._plan, delivery)), self._plan))

    def at(self, t: Time) -> list[Values]:
        found = timeslice(self._timeline, t)
        return [e.values for e, n in found.items() for _ in range(n)]

    def bounds(self) -> tuple[Time, Time]:
        return self._context.first, self._context.last

    def _rows(self, plan: Node) -> list[Valid]:
        found = self._meaning(plan)
        return _elements(found) if plan.chronon else _canonical(found)

    def _meaning(self, plan: Node) -> Timeline:
        return self._timeline if plan is self._plan else self._evaluated(plan)


def _canonical(timeline: Timeline) -> list[Valid]:
    return [Valid(e.values, start, end) for e, (start, end) in timeline.canonical()]


def _elements(timeline: Timeline) -> list[Valid]:
    """The elements of a stream, one by one: nothing is merged."""
    found = timeline.openings()
    return [Valid(e.values, at, at.next_time) for e, at, n in found for _ in range(n)]
