"""Duplicate elimination δ (COMAD (4)): every multiplicity is 1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from continua.logical.node import Context, Unary
from continua.model.element import Multiset
from continua.model.timeline import Timeline, pointwise


def distinct(stream: Timeline) -> Timeline:
    """δ(S) := {(e, t, 1) | ∃ n. (e, t, n) ∈ S}; a value is the same tuple while it lasts."""

    def at_instant(s: Multiset) -> Multiset:
        return {e.by_value: 1 for e in s}

    return pointwise(at_instant, stream)


@dataclass(frozen=True)
class Distinct(Unary):
    @property
    def label(self) -> str:
        return "distinct"

    def meaning(self, inputs: Sequence[Timeline], context: Context) -> Timeline:
        return distinct(inputs[0])
