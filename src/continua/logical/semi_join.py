"""Semi-join ⋉: the left tuples that have a match on the right.

COMAD (16) removes duplicates from the whole right tuple, so that multiplicities depend on columns
the predicate ignores. This one follows SQL: a left tuple counts once if any match exists.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from continua.logical.expr.nodes import Expression
from continua.logical.node import Choosing, Context
from continua.model.element import Multiset, Tuple
from continua.model.timeline import Timeline, pointwise


def matches(e: Tuple, others: Multiset, predicate: Expression) -> bool:
    """Whether any of the other tuples fulfils the predicate together with e."""
    return any(predicate.evaluate(e.values + other.values) is True for other in others)


def semi_join(left: Timeline, right: Timeline, predicate: Expression) -> Timeline:
    """⋉_p(S1, S2) := {(e, t, n) ∈ S1 | ∃ (ê, t, n̂) ∈ S2. p(e ∘ ê)}."""

    def at_instant(s1: Multiset, s2: Multiset) -> Multiset:
        return {e: n for e, n in s1.items() if matches(e, s2, predicate)}

    return pointwise(at_instant, left, right)


@dataclass(frozen=True)
class SemiJoin(Choosing):
    predicate: Expression

    @property
    def label(self) -> str:
        return f"semi-join {self.predicate}"

    def meaning(self, inputs: Sequence[Timeline], context: Context) -> Timeline:
        left, right = inputs
        return semi_join(left, right, self.predicate)
