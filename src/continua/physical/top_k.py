"""Top-k: of the rows valid at an instant, the first k in an order (TODS §7.5.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from continua.logical.top_k import SortKey
from continua.logical.top_k import TopK as LogicalTopK
from continua.physical.builder import Builder
from continua.physical.expression import compile_expression
from continua.physical.extent import Extent
from continua.physical.operator import NodeOperator, Outputs
from continua.physical.relation import EMPTY, Rel, Window
from continua.physical.slab import Slab
from continua.physical.stretches import stretches
from continua.physical.sweep_area import State, SweepArea
from continua.physical.validity import END, START

ALIVE = SweepArea("alive", END, "any")


@dataclass(frozen=True, eq=False)
class TopK(NodeOperator[LogicalTopK]):
    """The rows of every stretch in order; ties are broken by the row, then by its identity."""

    carries_out = (LogicalTopK,)

    @property
    def lasts(self) -> Extent:
        extent = self.inputs[0].extent
        return extent if extent.aligned else extent.cut

    @property
    def areas(self) -> tuple[SweepArea, ...]:
        return () if self.inputs[0].extent.aligned else (ALIVE,)

    def advance(self, builder: Builder, slab: Slab, inputs: Sequence[Rel], state: State) -> Outputs:
        extent = self.inputs[0].extent
        if extent.aligned:
            return self._first(builder, inputs[0]), {}
        alive = ALIVE.insert(builder, state, inputs[0])
        split = stretches(builder, slab, alive, (), extent.longest)
        return self._first(builder, split), ALIVE.purge(builder, slab, alive, inputs[0])

    def _first(self, builder: Builder, rows: Rel) -> Rel:
        """The first k of the rows that have the same interval."""
        if rows is EMPTY:
            return EMPTY
        order = [self._ordered(builder, key) for key in self.node.keys]
        order += [f"{column} ASC NULLS FIRST" for column in self.carried]
        place = ("place", "row_number() OVER w")
        w = Window((START,), ", ".join(order) or "1")
        ranked = builder.windowed("ranked", rows, [*self.same(*self.columns), place], w=w)
        return builder.select("top", ranked, self.same(*self.columns), f"place <= {self.node.k}")

    def _ordered(self, builder: Builder, key: SortKey) -> str:
        text = compile_expression(builder, key.expression, self.values)
        nulls = "FIRST" if key.nulls_first else "LAST"
        return f"{text} {'DESC' if key.descending else 'ASC'} NULLS {nulls}"
