"""Aggregation where intervals coincide or are disjoint: Spark's own GROUP BY."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from continua.physical.aggregate.aggregation import Aggregation, layered
from continua.physical.aggregate.calls import Decomposition, over_group
from continua.physical.builder import Builder
from continua.physical.extent import Extent
from continua.physical.operator import Outputs
from continua.physical.relation import EMPTY, Rel
from continua.physical.slab import Slab
from continua.physical.sweep_area import State
from continua.physical.validity import OWN, START


@dataclass(frozen=True, eq=False)
class AlignedAggregate(Aggregation):
    """One row per group and interval; elements of one interval all start in the same slab."""

    @property
    def lasts(self) -> Extent:
        return self.inputs[0].extent

    @property
    def whole(self) -> bool:
        return super().whole or (bool(self.node.calls) and self.inputs[0].whole)

    @property
    def identity(self) -> list[tuple[str, str]]:
        """Between the two ends of its interval the set of a group does not change."""
        if not self.identified or not self.node.calls:
            return super().identity
        return [("id", f"struct({', '.join((*self.keys, START))})")]

    def advance(self, builder: Builder, slab: Slab, inputs: Sequence[Rel], state: State) -> Outputs:
        elements = self.prepared(builder, inputs[0])
        if elements is EMPTY:
            return EMPTY, {}
        return grouped(self, builder, elements), {}


def grouped(operator: Aggregation, builder: Builder, elements: Rel) -> Rel:
    """The aggregates of elements that have the same keys and the same interval."""
    made: list[tuple[Decomposition, list[str]]] = []
    partials: list[tuple[str, str]] = []
    for i, call in enumerate(operator.node.calls):
        decomposition, parts = over_group(builder, call, operator.columns_for(call))
        elements = layered(builder, elements, [decomposition.before])
        names = [f"g{i}p{j}" for j in range(len(parts))]
        partials += zip(names, parts, strict=True)
        made.append((decomposition, names))
    groups = builder.group("groups", elements, (*operator.keys, *OWN), partials)
    return operator.from_partials(builder, "aggregate", groups, made, OWN.outputs)
