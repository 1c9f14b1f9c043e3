"""Intersection ∩ (COMAD (17)): the lesser multiplicity of both sides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from continua.logical.difference import difference
from continua.logical.node import Context, SetOperation
from continua.model.timeline import Timeline


def intersection(left: Timeline, right: Timeline) -> Timeline:
    """∩(S1, S2) := S1 − (S1 − S2)."""
    return difference(left, difference(left, right))


@dataclass(frozen=True)
class Intersection(SetOperation):
    @property
    def chronon(self) -> bool:
        return self.left.chronon or self.right.chronon

    @property
    def label(self) -> str:
        return "intersection"

    def meaning(self, inputs: Sequence[Timeline], context: Context) -> Timeline:
        return intersection(*inputs)
