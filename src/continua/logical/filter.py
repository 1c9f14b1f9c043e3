"""Filter σ (COMAD (1)): the elements that fulfil a predicate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from continua.logical.expr.nodes import Expression
from continua.logical.node import Context, Unary
from continua.model.element import Multiset
from continua.model.timeline import Timeline, pointwise


def filter_(stream: Timeline, predicate: Expression) -> Timeline:
    """σ_p(S) := {(e, t, n) ∈ S | p(e)}; a predicate that is NULL is not fulfilled."""

    def at_instant(s: Multiset) -> Multiset:
        return {e: n for e, n in s.items() if predicate.evaluate(e.values) is True}

    return pointwise(at_instant, stream)


@dataclass(frozen=True)
class Filter(Unary):
    predicate: Expression

    @property
    def label(self) -> str:
        return f"filter {self.predicate}"

    def meaning(self, inputs: Sequence[Timeline], context: Context) -> Timeline:
        return filter_(inputs[0], self.predicate)
