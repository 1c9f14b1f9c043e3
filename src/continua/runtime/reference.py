"""Queries by the reference: the logical algebra itself, evaluated."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

from continua.errors import ContinuaError
from continua.logical.evaluate import context_of, evaluate
from continua.logical.node import Context, Node
from continua.logical.timeslice import timeslice
from continua.model.catalog import Relation
from continua.model.element import SourceRow, Values
from continua.model.instant import Time
from continua.model.timeline import Timeline
from continua.physical.plan import by_element
from continua.runtime.deliver import DELIVERIES
from continua.runtime.evaluation import Evaluation, Valid
from continua.runtime.rows import Rows


class Reference(Evaluation):
    """Slow and obviously right. The data is read once, when the first result is asked for."""

    def __init__(self, plan: Node, rows: Callable[[Relation], tuple[SourceRow, ...]]) -> None:
        self._plan = plan
        self.rows = rows

    @cached_property
    def _context(self) -> Context:
        read: dict[Relation, tuple[SourceRow, ...]] = {}

        def once(relation: Relation) -> tuple[SourceRow, ...]:
            if relation not in read:
                read[relation] = self.rows(relation)
            return read[relation]

        return context_of(self._plan, once)

    @cached_property
    def _timeline(self) -> Timeline:
        try:
            return evaluate(self._plan, self._context)
        except RecursionError:
            message = "an expression of the query is nested too deeply"
            raise ContinuaError("UNSUPPORTED", message) from None

    def timeline(self) -> Timeline:
        return self._timeline

    def canonical(self) -> Sequence[Valid]:
        found = self._timeline.canonical()
        return [Valid(e.values, start.t, end.t) for e, (start, end) in found]

    def deliver(self, delivery: str, to: Callable[[Rows], None]) -> None:
        rows = self._elements() if by_element(self._plan, delivery) else self.canonical()
        to(DELIVERIES[delivery](rows, self._plan.schema, self._plan.time))

    def _elements(self) -> Sequence[Valid]:
        """The result of a plan that gives a chronon stream, element by element: nothing is merged.

        Rows are ordered by start and tuple.
        """
        found = self._timeline.openings()
        return [Valid(e.values, at.t, at.t + 1) for e, at, n in found for _ in range(n)]

    def at(self, t: Time) -> list[Values]:
        found = timeslice(self._timeline, t)
        return [e.values for e, n in found.items() for _ in range(n)]

    def last(self) -> Time:
        return self._context.last
