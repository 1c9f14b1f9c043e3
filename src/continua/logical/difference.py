"""Difference − (COMAD (5)): multiplicities are subtracted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from continua.logical.node import Context, SetOperation
from continua.model.element import Multiset, Values, identity_order
from continua.model.timeline import Timeline, pointwise


def difference(left: Timeline, right: Timeline) -> Timeline:
    """−(S1, S2) := {(e, t, n1 ⊖ n2)}, n1 ⊖ n2 being at least 0 and 0 meaning absence.

    Tuples are compared by value; with identity, the first of several equal ones remain.
    """

    def at_instant(s1: Multiset, s2: Multiset) -> Multiset:
        have: Counter[Values] = Counter()
        gone: Counter[Values] = Counter()
        for e, n in s1.items():
            have[e.values] += n
        for e, n in s2.items():
            gone[e.values] += n
        remaining = {values: n - gone[values] for values, n in have.items() if n > gone[values]}
        result = {}
        for e in sorted(s1, key=lambda e: identity_order(e.identity)):
            n = min(s1[e], remaining.get(e.values, 0))
            if n:
                result[e] = n
                remaining[e.values] -= n
        return result

    return pointwise(at_instant, left, right)


@dataclass(frozen=True)
class Difference(SetOperation):
    @property
    def chronon(self) -> bool:
        return self.left.chronon

    @property
    def label(self) -> str:
        return "difference"

    def meaning(self, inputs: Sequence[Timeline], context: Context) -> Timeline:
        return difference(*inputs)
