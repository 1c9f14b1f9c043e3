"""Aggregation over stretches of time, for functions that need all values, as MEDIAN does."""

from __future__ import annotations

from dataclasses import dataclass

from continua.physical.aggregate.aggregation import OfAlive
from continua.physical.aggregate.aligned import grouped
from continua.physical.builder import Builder
from continua.physical.relation import Rel
from continua.physical.slab import Slab
from continua.physical.stretches import stretches


@dataclass(frozen=True, eq=False)
class StretchAggregate(OfAlive):
    """Every stretch between two boundaries of a group is aggregated from what covers it."""

    def pieces(self, builder: Builder, slab: Slab, alive: Rel) -> Rel:
        longest = self.inputs[0].extent.longest
        return grouped(self, builder, stretches(builder, slab, alive, self.keys, longest))
