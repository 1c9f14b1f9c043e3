"""Difference − (COMAD (5)): multiplicities are subtracted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from continua.logical.node import Context, SetOperation
from continua.model.element import Multiset, Tuple, Values
from continua.model.timeline import Timeline, pointwise


def difference(left: Timeline, right: Timeline) -> Timeline:
    """−(S1, S2) := {(e, t, n1 ⊖ n2)}, n1 ⊖ n2 being at least 0 and 0 meaning absence.

    Tuples are compared by value, and known by it: copies of one value are numbered, not named.
    """

    def at_instant(s1: Multiset, s2: Multiset) -> Multiset:
        remaining: Counter[Tuple] = Counter()
        gone: Counter[Values] = Counter()
        for e, n in s1.items():
            remaining[e.by_value] += n
        for e, n in s2.items():
            gone[e.values] += n
        return {e: n - gone[e.values] for e, n in remaining.items() if n > gone[e.values]}

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
