"""Outer joins: the join, and the unmatched tuples of the preserved sides padded with NULLs.

The papers give no equation; it is composed of theta-join (COMAD (15)), anti-join and union (8).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from continua.logical.anti_join import anti_join
from continua.logical.expr.nodes import Expression, map_columns
from continua.logical.node import Context, Pairing
from continua.logical.theta_join import theta_join
from continua.logical.union import union
from continua.model.element import Multiset, Tuple
from continua.model.timeline import Timeline, pointwise

Kind = Literal["left", "right", "full"]


@dataclass(frozen=True)
class OuterJoin(Pairing):
    """S1 ⟕_p S2 := (S1 ⋈_p S2) ∪ ((S1 ▷_p S2) × {NULLs}), and likewise for right and full."""

    predicate: Expression
    kind: Kind

    @property
    def chronon(self) -> bool:
        preserved = {"left": (self.left,), "right": (self.right,), "full": self.inputs}
        return all(node.chronon for node in preserved[self.kind])

    @property
    def label(self) -> str:
        return f"{self.kind} outer join {self.predicate}"

    def meaning(self, inputs: Sequence[Timeline], context: Context) -> Timeline:
        left, right = inputs
        width = len(self.left.schema)
        result = theta_join(left, right, self.predicate)
        if self.kind in ("left", "full"):
            lonely = anti_join(left, right, self.predicate)
            result = union(result, _padded(lonely, after=len(self.right.schema)), tagged=False)
        if self.kind in ("right", "full"):
            # The predicate reads left before right; the anti-join of the right side swaps them.
            other = len(self.right.schema)
            swapped = map_columns(
                self.predicate,
                lambda c: replace(c, index=c.index + other if c.index < width else c.index - width),
            )
            lonely = anti_join(right, left, swapped)
            result = union(result, _padded(lonely, before=width), tagged=False)
        return result


def _padded(stream: Timeline, before: int = 0, after: int = 0) -> Timeline:
    def at_instant(s: Multiset) -> Multiset:
        nothing_before, nothing_after = Tuple((None,) * before), Tuple((None,) * after)
        if before:
            return {nothing_before.concat(e): n for e, n in s.items()}
        return {e.concat(nothing_after): n for e, n in s.items()}

    return pointwise(at_instant, stream)
