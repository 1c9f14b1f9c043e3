"""Anti-join ▷ (TODS §5.3): the left tuples that have no match on the right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from continua.logical.expr.nodes import Expression
from continua.logical.node import Choosing, Context
from continua.logical.semi_join import matches
from continua.model.element import Multiset
from continua.model.timeline import Timeline, pointwise


def anti_join(left: Timeline, right: Timeline, predicate: Expression) -> Timeline:
    """▷_p(S1, S2) := {(e, t, n) ∈ S1 | ∄ (ê, t, n̂) ∈ S2. p(e ∘ ê)}."""

    def at_instant(s1: Multiset, s2: Multiset) -> Multiset:
        return {e: n for e, n in s1.items() if not matches(e, s2, predicate)}

    return pointwise(at_instant, left, right)


@dataclass(frozen=True)
class AntiJoin(Choosing):
    predicate: Expression

    @property
    def label(self) -> str:
        return f"anti-join {self.predicate}"

    def meaning(self, inputs: Sequence[Timeline], context: Context) -> Timeline:
        left, right = inputs
        return anti_join(left, right, self.predicate)
