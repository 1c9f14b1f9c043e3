"""The sliding aggregate, in blocks (design §6): nothing is subtracted, one shuffle.

Where all elements last W, those valid at an instant of the block `[kW, (k+1)W)` have started in
the block and not after it, or end in the block after it. So inside a block the aggregate at a
boundary combines a running aggregate of the starts, upwards, with one of the ends, downwards.
Blocks are independent: one group, or no group at all, is computed in parallel over time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from continua.physical.aggregate.aggregation import ALIVE, ByComponents, clipped
from continua.physical.aggregate.both_ways import both_ways
from continua.physical.operator import Outputs
from continua.physical.relation import EMPTY, UP_TO_PEERS, Rel, Window
from continua.physical.script import Script
from continua.physical.slab import Slab, floor_to, later
from continua.physical.sweep_area import State, SweepArea


@dataclass(frozen=True, eq=False)
class BlockAggregate(ByComponents):
    """Elements of one length; or such as end with their block, of which only starts are needed."""

    @property
    def areas(self) -> tuple[SweepArea, ...]:
        return (ALIVE,)

    def advance(self, script: Script, slab: Slab, inputs: Sequence[Rel], state: State) -> Outputs:
        new = self.prepared(script, inputs[0])
        elements = ALIVE.insert(script, state, new)
        if elements is EMPTY:
            return self.also_over_nothing(script, slab, EMPTY), {}
        extent = self.inputs[0].extent
        if extent.section is not None:
            pieces = self._upwards(script, self.parted(script, elements), extent.section)
        else:
            assert extent.uniform is not None
            length = extent.uniform
            boundaries = self._boundaries(script, elements, length)
            pieces = both_ways(self, script, boundaries, later("block", length))
        inside = clipped(script, slab, pieces)
        result = self.evaluated(script, "aggregate", inside, self.same("start", "end"))
        kept = ALIVE.purge(script, slab, elements, new)
        return self.also_over_nothing(script, slab, result), kept

    @property
    def _columns(self) -> tuple[str, ...]:
        return (*self.keys, *self.partials, "start", "end")

    def _upwards(self, script: Script, elements: Rel, size: int) -> Rel:
        """All elements of a block end with it."""
        by = (*self.keys, floor_to("start", size))
        up = [
            (name, component.aggregated(component.value, " OVER up"))
            for component, name in self.components.items()
        ]
        next_ = ("next", "lead(start) OVER peers")
        swept = script.windowed(
            "swept",
            elements,
            [*self.grouping, *up, *self.same("start", "end"), next_],
            up=Window(by, "start", UP_TO_PEERS),
            peers=Window(by, "start"),
        )
        outputs = [
            *self.same(*self.keys, *self.partials, "start"),
            ("end", "coalesce(next, end)"),
        ]
        return script.select("pieces", swept, outputs, "next IS DISTINCT FROM start")

    def _boundaries(self, script: Script, elements: Rel, length: int) -> Rel:
        """Each start in its block, and each end in the next one."""
        block = floor_to("start", length)
        arguments = list(self.arguments.values())
        starts = f"struct({block} AS block, start AS at, FALSE AS ends)"
        ends = f"struct({later(block, length)} AS block, end AS at, TRUE AS ends)"
        outputs = [
            *self.same(*self.keys, *arguments),
            *((name, f"b.{name}") for name in ("block", "at", "ends")),
        ]
        return script.exploded("boundaries", elements, f"array({starts}, {ends})", "b", outputs)
