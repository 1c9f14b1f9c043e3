"""Queries: a bound plan over the data its streams have."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property

from continua.errors import ContinuaError
from continua.logical.evaluate import context_of, evaluate
from continua.logical.explain import explain
from continua.logical.expr.cast import ValueProblem, accept
from continua.logical.node import Context, Node
from continua.logical.timeslice import timeslice
from continua.logical.top_k import SortKey, sort_order
from continua.logical.unbounded import unbounded_state
from continua.model.catalog import Relation
from continua.model.element import SourceRow
from continua.model.instant import MINUS_INFINITY, Time
from continua.model.schema import Schema, to_micros
from continua.model.timeline import Timeline
from continua.runtime.deliver import intervals
from continua.runtime.result import Result


@dataclass(frozen=True, eq=False)
class Query:
    """A continuous query: its schema, its plan, and its result over history.

    The data is read once, when the first result is asked for.
    """

    plan: Node
    order: tuple[SortKey, ...]
    rows: Callable[[Relation], tuple[SourceRow, ...]]
    unbounded_allowed: bool = False

    @property
    def schema(self) -> Schema:
        """The columns of the result's tuples."""
        return self.plan.schema

    def explain(self) -> str:
        """The logical plan, and what in it would need state without bound."""
        parts = [explain(self.plan)]
        if not self.unbounded_allowed:
            parts += [str(f).replace("error[", "warning[", 1) for f in unbounded_state(self.plan)]
        return "\n".join(parts)

    @cached_property
    def _context(self) -> Context:
        read: dict[Relation, tuple[SourceRow, ...]] = {}

        def once(relation: Relation) -> tuple[SourceRow, ...]:
            if relation not in read:
                read[relation] = self.rows(relation)
            return read[relation]

        return context_of(self.plan, once)

    @cached_property
    def _timeline(self) -> Timeline:
        try:
            return evaluate(self.plan, self._context)
        except RecursionError:
            message = "an expression of the query is nested too deeply"
            raise ContinuaError("UNSUPPORTED", message) from None

    def timeline(self) -> Timeline:
        """The logical stream the query means."""
        return self._timeline

    def history(self) -> Result:
        """All result rows with `valid_from` and `valid_to`, in canonical form."""
        result = intervals(self._timeline, self.schema, self.plan.time)
        if not self.order:
            return result
        width = len(self.schema)
        rows = sorted(result.rows, key=lambda row: sort_order(self.order, row[:width]))
        return Result(result.schema, tuple(rows))

    def snapshot(self, at: int | str | date | None = None) -> Result:
        """The rows valid at a time, by default at the greatest time in the data."""
        t = self._latest() if at is None else self._time(at)
        found = timeslice(self._timeline, t)
        rows = [e.values for e, n in found.items() for _ in range(n)]
        rows.sort(key=lambda row: sort_order(self.order, row))
        return Result(self.schema, tuple(rows))

    def _latest(self) -> Time:
        """The greatest time in the streams; of tables alone, that of their last change."""
        if self._context.last != MINUS_INFINITY:
            return self._context.last
        return max((at.t for at in self._timeline.instants()), default=MINUS_INFINITY)

    def _time(self, at: int | str | date) -> Time:
        time = self.plan.time
        if time is None:
            return MINUS_INFINITY
        try:
            value = accept(at, time.type)
        except ValueProblem:
            wanted = "an integer" if time.integral else "a timestamp"
            message = f"the time of this query is {wanted}, not {at!r}"
            raise ContinuaError("TYPE_MISMATCH", message) from None
        if isinstance(value, datetime):
            return to_micros(value)
        assert isinstance(value, int)
        return value
