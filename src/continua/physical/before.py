"""Before: what was valid right before a time begins, so that a join meets nothing of the time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from continua.logical.before import Before as LogicalBefore
from continua.physical.builder import Builder
from continua.physical.extent import Extent
from continua.physical.operator import NodeOperator, Outputs
from continua.physical.relation import Rel
from continua.physical.slab import Slab
from continua.physical.sweep_area import State, SweepArea, extract
from continua.physical.validity import END, OWN, START, Validity

WAITING = SweepArea("waiting", START, "none", "start < w₁")


@dataclass(frozen=True, eq=False)
class Before(NodeOperator[LogicalBefore]):
    """An element is seen from the time after its start until the time after its end has begun.

    What starts at the last time of a slab waits for the next one. Elements start with a tuple of a
    stream, none at the beginning.
    """

    carries_out = (LogicalBefore,)

    @property
    def lasts(self) -> Extent:
        return self.inputs[0].extent.cut

    @property
    def areas(self) -> tuple[SweepArea, ...]:
        return (WAITING,)

    def advance(self, builder: Builder, slab: Slab, inputs: Sequence[Rel], state: State) -> Outputs:
        outputs = [*self.same(*self.carried), *Validity(START.later(1), END.later(1)).outputs]
        moved = builder.where("before", builder.select("moved", inputs[0], outputs), OWN.lasts)
        return extract(builder, slab, WAITING, state, moved)
