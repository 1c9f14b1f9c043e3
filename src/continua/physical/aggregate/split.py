"""Aggregation over stretches of time, for functions that need all values, as MEDIAN does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from continua.physical.aggregate.aggregation import ALIVE, Aggregation
from continua.physical.aggregate.aligned import grouped
from continua.physical.builder import Builder
from continua.physical.operator import Outputs
from continua.physical.relation import EMPTY, Rel
from continua.physical.slab import Slab
from continua.physical.stretches import stretches
from continua.physical.sweep_area import State, SweepArea


@dataclass(frozen=True, eq=False)
class StretchAggregate(Aggregation):
    """Every stretch between two boundaries of a group is aggregated from what covers it."""

    @property
    def areas(self) -> tuple[SweepArea, ...]:
        return (ALIVE,)

    def advance(self, builder: Builder, slab: Slab, inputs: Sequence[Rel], state: State) -> Outputs:
        new = self.prepared(builder, inputs[0])
        elements = ALIVE.insert(builder, state, new)
        longest = self.inputs[0].extent.longest
        split = stretches(builder, slab, elements, self.keys, longest)
        pieces = EMPTY if split is EMPTY else grouped(self, builder, split)
        return (
            self.also_over_nothing(builder, slab, pieces),
            ALIVE.purge(builder, slab, elements, new),
        )
