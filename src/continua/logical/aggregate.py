"""Aggregation α (TODS (4)), alone or after a group (group-with-aggregation)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, reduce

from continua.logical.expr.aggregates import AggregateCall
from continua.logical.expr.nodes import Expression
from continua.logical.group import group
from continua.logical.node import Context, Unary
from continua.model.element import Multiset, Tuple, Values
from continua.model.schema import Column, Schema
from continua.model.timeline import Timeline, pointwise


def aggregate(
    stream: Timeline, calls: Sequence[AggregateCall], key: Values = (), total: bool = False
) -> Timeline:
    """α_f(S) := {(agg, t, 1) | X = {(e, n) | (e, t, n) ∈ S} ∧ X ≠ ∅ ∧ agg = f(X)}.

    The aggregate keeps the part of the tuples that identifies their group. It is a new tuple
    whenever X changes; a group without aggregates is the same while it lasts. With `total`, X may
    be empty: SQL's rule, which holds in expression subqueries only.
    """

    def at_instant(x: Multiset) -> Multiset:
        if not x and not total:
            return {}
        values = key + tuple(call.over(x) for call in calls)
        identified = any(e.identity is not None for e in x)
        made_of = frozenset(x.items()) if calls else frozenset()
        return {Tuple(values, (key, made_of) if identified else None): 1}

    return pointwise(at_instant, stream)


@dataclass(frozen=True)
class Aggregate(Unary):
    """One aggregate per group, or one of the whole stream if there are no keys."""

    names: tuple[str, ...]
    keys: tuple[Expression, ...]
    calls: tuple[AggregateCall, ...]
    total: bool = False

    def __post_init__(self) -> None:
        assert len(self.names) == len(self.keys) + len(self.calls)
        assert not (self.total and self.keys), "an empty snapshot has no groups"

    @cached_property
    def schema(self) -> Schema:
        types = [key.type for key in self.keys] + [call.type for call in self.calls]
        typed = zip(self.names, types, strict=True)
        return Schema(tuple(Column(name, type_) for name, type_ in typed))

    @property
    def chronon(self) -> bool:
        return self.input.chronon and not self.total

    @property
    def label(self) -> str:
        by = f" by {', '.join(map(str, self.keys))}" if self.keys else ""
        over_nothing = " (also over nothing)" if self.total else ""
        return f"aggregate {', '.join(map(str, self.calls))}{by}{over_nothing}".replace("  ", " ")

    def meaning(self, inputs: Sequence[Timeline], context: Context) -> Timeline:
        if not self.keys:
            return aggregate(inputs[0], self.calls, total=self.total)
        groups = group(inputs[0], lambda e: tuple(key.evaluate(e.values) for key in self.keys))
        results = [aggregate(part, self.calls, key) for key, part in groups.items()]
        # Groups are disjoint, so merging their steps is the union.
        return reduce(_merged, results, Timeline({}))


def _merged(a: Timeline, b: Timeline) -> Timeline:
    return Timeline(dict(a.steps()) | dict(b.steps()))
