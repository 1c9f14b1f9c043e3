"""Cartesian product × (TODS (3)): pairs of tuples valid at the same instant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from continua.logical.node import Context, Pairing
from continua.model.element import Multiset
from continua.model.timeline import Timeline, pointwise


def product(left: Timeline, right: Timeline) -> Timeline:
    """×(S1, S2) := {(e1 ∘ e2, t, n1·n2) | (e1, t, n1) ∈ S1 ∧ (e2, t, n2) ∈ S2}."""

    def at_instant(s1: Multiset, s2: Multiset) -> Multiset:
        return {e1.concat(e2): n1 * n2 for e1, n1 in s1.items() for e2, n2 in s2.items()}

    return pointwise(at_instant, left, right)


@dataclass(frozen=True)
class Product(Pairing):
    @property
    def label(self) -> str:
        return "product"

    def meaning(self, inputs: Sequence[Timeline], context: Context) -> Timeline:
        return product(*inputs)
