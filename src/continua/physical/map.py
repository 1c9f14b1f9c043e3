"""Map: every element with new values (TODS §7.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from continua.logical.expr.nodes import ColumnRef
from continua.logical.map import Map as LogicalMap
from continua.physical.builder import Builder
from continua.physical.guarded import value
from continua.physical.operator import EitherForm, Outputs
from continua.physical.relation import Rel
from continua.physical.slab import Slab
from continua.physical.sweep_area import State


@dataclass(frozen=True, eq=False)
class Map(EitherForm[LogicalMap]):
    carries_out = (LogicalMap,)

    @property
    def net(self) -> bool:
        """Different tuples stay different if nothing is left out of them."""
        passed = {output.index for output in self.node.outputs if isinstance(output, ColumnRef)}
        return self.inputs[0].net and len(passed) == len(self.inputs[0].schema)

    def advance(self, builder: Builder, slab: Slab, inputs: Sequence[Rel], state: State) -> Outputs:
        below = self.inputs[0].values
        computed = [value(builder, output, below, self.node.input) for output in self.node.outputs]
        outputs = list(zip(self.values, computed, strict=True))
        rest = self.same(*self.columns[len(self.values) :])
        return builder.select("map", inputs[0], [*outputs, *rest]), {}
