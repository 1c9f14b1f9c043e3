"""The sliding aggregate, in blocks (design §6): nothing is subtracted, one shuffle.

Where all elements last W, those valid at an instant of the block `[kW, (k+1)W)` have started in
the block and not after it, or end in the block after it. So inside a block the aggregate at a
boundary combines a running aggregate of the starts, upwards, with one of the ends, downwards.
Blocks are independent: one group, or no group at all, is computed in parallel over time.
"""

from __future__ import annotations

from dataclasses import dataclass

from continua.physical.aggregate.aggregation import ByComponents, OfAlive, clipped
from continua.physical.aggregate.both_ways import BLOCK, both_ways
from continua.physical.boundaries import AT, NEXT, boundaries, following
from continua.physical.builder import Builder
from continua.physical.instant import floor_to, instant, later
from continua.physical.relation import UP_TO_PEERS, Rel, Window
from continua.physical.slab import Slab
from continua.physical.validity import END, OWN, START, Validity


@dataclass(frozen=True, eq=False)
class BlockAggregate(OfAlive, ByComponents):
    """Elements of one length; or such as end with their block, of which only starts are needed."""

    def pieces(self, builder: Builder, slab: Slab, alive: Rel) -> Rel:
        extent = self.inputs[0].extent
        if extent.section is not None:
            pieces = self._upwards(builder, self.parted(builder, alive), extent.section)
        else:
            assert extent.uniform is not None
            length = extent.uniform
            ends = self._boundaries(builder, alive, length)
            pieces = both_ways(self, builder, ends, instant(BLOCK).later(length))
        inside = clipped(builder, slab, pieces)
        return self.evaluated(builder, "aggregate", inside, OWN.outputs)

    def _upwards(self, builder: Builder, elements: Rel, size: int) -> Rel:
        """All elements of a block end with it."""
        by = (*self.keys, floor_to(START.t, size))
        up = [
            (name, component.aggregated(component.value, " OVER up"))
            for component, name in self.components.items()
        ]
        swept = builder.windowed(
            "swept",
            elements,
            [*self.grouping, *up, *OWN.outputs, following("peers", START)],
            up=Window(by, START, UP_TO_PEERS),
            peers=Window(by, START),
        )
        piece = Validity(START, NEXT.otherwise(END))
        outputs = [*self.same(*self.keys, *self.partials), *piece.outputs]
        return builder.select("pieces", swept, outputs, NEXT.differs_from(START))

    def _boundaries(self, builder: Builder, elements: Rel, length: int) -> Rel:
        """Each start in its block, and each end in the next one."""
        block = floor_to(START.t, length)
        ends = {BLOCK: (block, later(block, length)), AT: OWN, "ends": ("FALSE", "TRUE")}
        passed = self.same(*self.keys, *self.arguments.values())
        return boundaries(builder, elements, passed, ends)
