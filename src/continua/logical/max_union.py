"""Max-union ∪max (COMAD (18)): the greater multiplicity of both sides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from continua.logical.difference import difference
from continua.logical.intersection import intersection
from continua.logical.node import Context, SetOperation
from continua.logical.union import union
from continua.model.timeline import Timeline


def max_union(left: Timeline, right: Timeline) -> Timeline:
    """∪max(S1, S2) := (S1 − S2) ∪+ (S2 − S1) ∪+ (S1 ∩ S2)."""
    either = union(difference(left, right), difference(right, left))
    return union(either, intersection(left, right))


@dataclass(frozen=True)
class MaxUnion(SetOperation):
    @property
    def chronon(self) -> bool:
        return self.left.chronon and self.right.chronon

    @property
    def label(self) -> str:
        return "max-union"

    def meaning(self, inputs: Sequence[Timeline], context: Context) -> Timeline:
        return max_union(*inputs)
