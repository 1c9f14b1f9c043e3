"""Union ∪+ (COMAD (8)): multiplicities add up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from continua.logical.node import Context, SetOperation
from continua.model.element import Multiset, Tuple
from continua.model.timeline import Timeline, pointwise


def union(left: Timeline, right: Timeline, tagged: bool = True) -> Timeline:
    """∪+(S1, S2) := {(e, t, n1 + n2)}, a multiplicity being 0 where e does not occur.

    Tags tell apart the identities of the two sides, where those could coincide.
    """

    def at_instant(s1: Multiset, s2: Multiset) -> Multiset:
        result: Counter[Tuple] = Counter()
        for tag, s in enumerate((s1, s2)):
            for e, n in s.items():
                result[e.derive(e.values, tag if tagged else None)] += n
        return result

    return pointwise(at_instant, left, right)


@dataclass(frozen=True)
class Union(SetOperation):
    @property
    def chronon(self) -> bool:
        return self.left.chronon and self.right.chronon

    @property
    def label(self) -> str:
        return "union"

    def meaning(self, inputs: Sequence[Timeline], context: Context) -> Timeline:
        left, right = inputs
        return union(left, right)
