"""A static relation given in the text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from continua.logical.values import Values as LogicalValues
from continua.physical.builder import Builder
from continua.physical.expression import literal
from continua.physical.extent import ENDLESS, Extent
from continua.physical.instant import FOREVER, instant
from continua.physical.operator import Outputs, WholeTuples
from continua.physical.relation import EMPTY, Rel
from continua.physical.slab import Slab
from continua.physical.sweep_area import State


@dataclass(frozen=True, eq=False)
class Values(WholeTuples[LogicalValues]):
    """Rows that are valid always: they start with the first slab."""

    carries_out = (LogicalValues,)

    @property
    def lasts(self) -> Extent:
        return ENDLESS

    def advance(self, builder: Builder, slab: Slab, inputs: Sequence[Rel], state: State) -> Outputs:
        if slab.start != slab.origin or not self.node.rows:
            return EMPTY, {}
        rows = []
        for phi, row in enumerate(self.node.rows):
            cells = [literal(v, t) for v, t in zip(row, self.schema.types, strict=True)]
            identity = [f"{phi}L"] if self.identified else []
            rows.append([*cells, *identity, slab.since, instant(FOREVER)])
        return builder.values("values", self.columns, rows), {}
