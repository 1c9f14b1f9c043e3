"""Theta-join ⋈ (COMAD (15)): the pairs of the product that fulfil a predicate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from continua.logical.expr.nodes import Expression
from continua.logical.node import Context, Pairing
from continua.model.element import Multiset
from continua.model.timeline import Timeline, pointwise


def theta_join(left: Timeline, right: Timeline, predicate: Expression) -> Timeline:
    """⋈_p(S1, S2) := σ_p(S1 × S2), without writing the whole product down first."""

    def at_instant(s1: Multiset, s2: Multiset) -> Multiset:
        return {
            e1.concat(e2): n1 * n2
            for e1, n1 in s1.items()
            for e2, n2 in s2.items()
            if predicate.evaluate(e1.values + e2.values) is True
        }

    return pointwise(at_instant, left, right)


@dataclass(frozen=True)
class ThetaJoin(Pairing):
    predicate: Expression

    @property
    def label(self) -> str:
        return f"join {self.predicate}"

    def meaning(self, inputs: Sequence[Timeline], context: Context) -> Timeline:
        left, right = inputs
        return theta_join(left, right, self.predicate)
