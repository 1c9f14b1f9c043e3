"""Clips: the part of every element's validity in which it is to be there."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from continua.logical.during import During as LogicalDuring
from continua.physical.builder import Builder
from continua.physical.extent import Extent
from continua.physical.instant import instant
from continua.physical.operator import N, NodeOperator, Outputs
from continua.physical.range_window import WAITING
from continua.physical.relation import Rel
from continua.physical.slab import Slab
from continua.physical.sweep_area import State, SweepArea, extract
from continua.physical.validity import OWN, Validity


@dataclass(frozen=True, eq=False)
class Clip(NodeOperator[N]):
    """`[greatest(start, since), least(end, until))`, where that is something.

    What comes to be valid later than its element began waits for its slab. The elements of a
    chronon stream are there as they are, or not at all.
    """

    @property
    def whole(self) -> bool:
        return super().whole or self.inputs[0].whole

    @property
    def lasts(self) -> Extent:
        extent = self.inputs[0].extent
        return extent if self.node.chronon else extent.cut

    @property
    def areas(self) -> tuple[SweepArea, ...]:
        return () if self.node.chronon else (WAITING,)

    @abstractmethod
    def part(self, builder: Builder) -> Validity:
        """When a row is to be there; unknown, if never."""

    def advance(self, builder: Builder, slab: Slab, inputs: Sequence[Rel], state: State) -> Outputs:
        common = OWN.common(self.part(builder))
        if self.node.chronon:
            return builder.where("clipped", inputs[0], common.lasts), {}
        outputs = [*self.same(*self.carried), *common.outputs]
        result = builder.select("clipped", inputs[0], outputs, common.lasts)
        return extract(builder, slab, WAITING, state, result)


@dataclass(frozen=True, eq=False)
class During(Clip[LogicalDuring]):
    """The part of time is the same for all."""

    carries_out = (LogicalDuring,)

    def part(self, builder: Builder) -> Validity:
        return Validity(instant(self.node.since), instant(self.node.until))
