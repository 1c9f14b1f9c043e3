"""Strict difference −strict (COMAD (19)): the tuples that do not occur on the right at all.

The formula keeps duplicates of unmatched tuples, the paper's prose says they are eliminated. This
follows the formula; SQL's EXCEPT adds the duplicate elimination.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from continua.logical.difference import difference
from continua.logical.node import Context, SetOperation
from continua.model.element import Multiset
from continua.model.timeline import Timeline, pointwise


def strict_difference(left: Timeline, right: Timeline) -> Timeline:
    """−strict(S1, S2) := S1 − (S1 ⋉= S2), the semi-join comparing whole tuples."""

    def equal_partner(s1: Multiset, s2: Multiset) -> Multiset:
        present = {e.values for e in s2}
        return {e: n for e, n in s1.items() if e.values in present}

    return difference(left, pointwise(equal_partner, left, right))


@dataclass(frozen=True)
class StrictDifference(SetOperation):
    @property
    def chronon(self) -> bool:
        return self.left.chronon

    @property
    def label(self) -> str:
        return "strict difference"

    def meaning(self, inputs: Sequence[Timeline], context: Context) -> Timeline:
        return strict_difference(*inputs)
