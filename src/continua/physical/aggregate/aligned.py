"""Aggregation where intervals coincide or are disjoint: Spark's own GROUP BY."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from continua.physical.aggregate.aggregation import Aggregation
from continua.physical.aggregate.calls import whole
from continua.physical.extent import Extent
from continua.physical.operator import Outputs
from continua.physical.script import EMPTY, Rel, Script
from continua.physical.slab import Slab
from continua.physical.sweep_area import State


@dataclass(frozen=True, eq=False)
class AlignedAggregate(Aggregation):
    """One row per group and interval; elements of one interval all start in the same slab."""

    @property
    def extent(self) -> Extent:
        return self.inputs[0].extent

    def advance(self, script: Script, slab: Slab, inputs: Sequence[Rel], state: State) -> Outputs:
        elements = self.prepared(script, inputs[0])
        if elements is EMPTY:
            return EMPTY, {}
        return grouped(self, script, elements), {}


def grouped(operator: Aggregation, script: Script, elements: Rel) -> Rel:
    """The aggregates of elements that have the same keys and the same interval."""
    calls = [whole(script, call, operator.columns_for(call)) for call in operator.node.calls]
    outputs = [*operator.results(script, calls), *operator.same("start", "end")]
    listed = ", ".join(f"{e} AS {name}" for name, e in outputs)
    text = f"SELECT {listed} FROM {elements.name} GROUP BY {operator.listed_keys}start, end"
    return script.define("aggregate", text, operator.columns, [elements])
