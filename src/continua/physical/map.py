"""Map: every element with new values (TODS §7.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from continua.logical.map import Map as LogicalMap
from continua.physical.expression import compile_expression
from continua.physical.operator import EitherForm, Outputs
from continua.physical.script import Rel, Script
from continua.physical.slab import Slab
from continua.physical.sweep_area import State


@dataclass(frozen=True, eq=False)
class Map(EitherForm[LogicalMap]):
    carries_out = (LogicalMap,)

    def advance(self, script: Script, slab: Slab, inputs: Sequence[Rel], state: State) -> Outputs:
        below = self.inputs[0].values
        computed = [compile_expression(script, output, below) for output in self.node.outputs]
        outputs = list(zip(self.values, computed, strict=True))
        kept = self.same(*self.columns[len(self.values) :])
        return script.select("map", inputs[0], [*outputs, *kept]), {}
