"""Outer joins: the theta-join, and the unmatched tuples of the preserved sides, padded.

The theta-join and the anti-joins need the same elements from earlier slabs, so one pair of
SweepAreas serves them all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from continua.logical.outer_join import OuterJoin as LogicalOuterJoin
from continua.physical.builder import Builder
from continua.physical.expression import literal
from continua.physical.extent import Extent, either, overlap
from continua.physical.join_predicate import swapped
from continua.physical.matching import chosen
from continua.physical.operator import NodeOperator, Outputs
from continua.physical.relation import Rel
from continua.physical.slab import Slab
from continua.physical.sweep_area import State, SweepArea
from continua.physical.theta_join import (
    Sides,
    lasting_areas,
    new_pairs,
    sides,
    still_valid,
    whole,
)
from continua.physical.validity import OWN


@dataclass(frozen=True, eq=False)
class OuterJoin(NodeOperator[LogicalOuterJoin]):
    carries_out = (LogicalOuterJoin,)

    @property
    def _preserved(self) -> tuple[int, ...]:
        return {"left": (0,), "right": (1,), "full": (0, 1)}[self.node.kind]

    @property
    def lasts(self) -> Extent:
        left, right = self.inputs
        extent = overlap(left.extent, right.extent)
        for i in self._preserved:
            lonely = self.inputs[i].extent
            extent = either(extent, lonely if lonely.uniform == 1 else lonely.cut)
        return extent

    @property
    def areas(self) -> tuple[SweepArea, ...]:
        return lasting_areas(self.node, self.inputs, self._preserved)

    def advance(self, builder: Builder, slab: Slab, inputs: Sequence[Rel], state: State) -> Outputs:
        old, new = sides(self.node, self.inputs, inputs, state)
        paired = new_pairs(builder, slab, old, new, self.node.predicate)
        lonely = [self._padded(builder, slab, old, new, i) for i in self._preserved]
        result = builder.union("outer", paired, *lonely)
        return result, still_valid(builder, slab, self.areas, inputs, state)

    def _padded(self, builder: Builder, slab: Slab, old: Sides, new: Sides, preserved: int) -> Rel:
        """The tuples of one side while they have no match, with NULLs for the other side's."""
        left, right = self.inputs
        predicate = self.node.predicate
        if preserved == 1:
            predicate = swapped(predicate, len(left.values), len(right.values))
        alive = whole(builder, old, new)
        side, other = alive[preserved], alive[1 - preserved]
        if other.static:
            # A tuple without a match at its start never gets one.
            side, slab = new[preserved], Slab()
        found = chosen(builder, slab, side, other, predicate, wanted=False)
        width = len(left.values)
        own = range(width) if preserved == 0 else range(width, len(self.values))
        nothing = [literal(None, type_) for type_ in self.schema.types]
        cells = [f"c{i - own.start}" if i in own else nothing[i] for i in range(len(nothing))]
        outputs = list(zip(self.values, cells, strict=True))
        if self.identified:
            parts = ("id", "NULL") if preserved == 0 else ("NULL", "id")
            outputs.append(("id", "struct({} AS left, {} AS right)".format(*parts)))
        return builder.select("padded", found, [*outputs, *OWN.outputs])
