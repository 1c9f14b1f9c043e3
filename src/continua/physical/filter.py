"""Filter: the elements that fulfil a predicate (TODS §7.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from continua.logical.filter import Filter as LogicalFilter
from continua.physical.builder import Builder
from continua.physical.guarded import condition
from continua.physical.operator import EitherForm, Outputs
from continua.physical.relation import Rel
from continua.physical.slab import Slab
from continua.physical.sweep_area import State


@dataclass(frozen=True, eq=False)
class Filter(EitherForm[LogicalFilter]):
    carries_out = (LogicalFilter,)

    @property
    def net(self) -> bool:
        return self.inputs[0].net

    def advance(self, builder: Builder, slab: Slab, inputs: Sequence[Rel], state: State) -> Outputs:
        predicate = condition(builder, self.node.predicate, self.values, self.node.input)
        return builder.where("filter", inputs[0], predicate), {}
