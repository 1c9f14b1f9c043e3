"""Outer joins: the theta-join, and the unmatched tuples of the preserved sides, padded.

The theta-join and the anti-joins need the same elements from earlier slabs, so one pair of
SweepAreas serves them all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from continua.logical.outer_join import OuterJoin as LogicalOuterJoin
from continua.physical.expression import literal
from continua.physical.extent import Extent, either, overlap
from continua.physical.join_predicate import swapped
from continua.physical.matching import answered, exists
from continua.physical.operator import NodeOperator, Outputs
from continua.physical.script import Rel, Script
from continua.physical.slab import Slab
from continua.physical.sweep_area import State, SweepArea
from continua.physical.theta_join import LEFT, RIGHT, kept, lasting_areas, new_pairs, side_of


@dataclass(frozen=True, eq=False)
class OuterJoin(NodeOperator[LogicalOuterJoin]):
    carries_out = (LogicalOuterJoin,)

    @property
    def _preserved(self) -> tuple[int, ...]:
        return {"left": (0,), "right": (1,), "full": (0, 1)}[self.node.kind]

    @property
    def extent(self) -> Extent:
        left, right = self.inputs
        extent = overlap(left.extent, right.extent)
        for i in self._preserved:
            lonely = self.inputs[i].extent
            extent = either(extent, lonely if lonely.uniform == 1 else lonely.cut)
        return extent

    @property
    def areas(self) -> tuple[SweepArea, ...]:
        left, right = self.inputs
        return lasting_areas(left, right)

    def advance(self, script: Script, slab: Slab, inputs: Sequence[Rel], state: State) -> Outputs:
        left, right = self.inputs
        old = side_of(left, LEFT.held(state)), side_of(right, RIGHT.held(state))
        new = side_of(left, inputs[0]), side_of(right, inputs[1])
        paired = new_pairs(script, slab, old, new, self.node.predicate)
        lonely = [self._padded(script, slab, inputs, state, i) for i in self._preserved]
        result = script.union("outer", paired, *lonely)
        return result, kept(script, slab, self.inputs, inputs, state)

    def _padded(
        self, script: Script, slab: Slab, inputs: Sequence[Rel], state: State, preserved: int
    ) -> Rel:
        """The tuples of one side while they have no match, with NULLs for the other side's."""
        left, right = self.inputs
        sides = [
            side_of(left, LEFT.insert(script, state, inputs[0])),
            side_of(right, RIGHT.insert(script, state, inputs[1])),
        ]
        predicate = self.node.predicate
        if preserved == 1:
            predicate = swapped(predicate, len(left.values), len(right.values))
        found = answered(script, slab, sides[preserved], sides[1 - preserved], exists(predicate))
        width = len(left.values)
        own = range(width) if preserved == 0 else range(width, len(self.values))
        nothing = [literal(None, type_) for type_ in self.schema.types]
        cells = [f"c{i - own.start}" if i in own else nothing[i] for i in range(len(nothing))]
        outputs = list(zip(self.values, cells, strict=True))
        if self.identified:
            parts = ("id", "NULL") if preserved == 0 else ("NULL", "id")
            outputs.append(("id", "struct({} AS left, {} AS right)".format(*parts)))
        return script.select("padded", found, [*outputs, *self.same("start", "end")], "NOT answer")
