"""Clips: the part of every element's validity in which it is to be there."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from continua.logical.during import During as LogicalDuring
from continua.logical.temporal_filter import TemporalFilter as LogicalTemporalFilter
from continua.physical.builder import Builder
from continua.physical.extent import Extent
from continua.physical.guarded import value
from continua.physical.instant import BEGINNING, FOREVER, TIME, Instant, instant, time
from continua.physical.operator import N, NodeOperator, Outputs
from continua.physical.range_window import WAITING
from continua.physical.relation import Rel, typed
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
    def of_elements(self) -> bool:
        return self.node.chronon and self.inputs[0].of_elements

    @property
    def lasts(self) -> Extent:
        extent = self.inputs[0].extent
        return extent if self.node.chronon else extent.cut

    @property
    def areas(self) -> tuple[SweepArea, ...]:
        return () if self.node.chronon else (WAITING,)

    @abstractmethod
    def parts(self, builder: Builder, rel: Rel) -> tuple[Rel, Validity]:
        """The rows that are there at all, with what tells when each is to be there; and that."""

    def advance(self, builder: Builder, slab: Slab, inputs: Sequence[Rel], state: State) -> Outputs:
        rel, part = self.parts(builder, inputs[0])
        common = OWN.common(part)
        stays = OWN if self.node.chronon else common
        outputs = [*self.same(*self.carried), *stays.outputs]
        result = builder.select("clipped", rel, outputs, common.lasts)
        return (result, {}) if self.node.chronon else extract(builder, slab, WAITING, state, result)


@dataclass(frozen=True, eq=False)
class During(Clip[LogicalDuring]):
    """The part of time is the same for all."""

    carries_out = (LogicalDuring,)

    def parts(self, builder: Builder, rel: Rel) -> tuple[Rel, Validity]:
        return rel, Validity(instant(self.node.since), instant(self.node.until))


@dataclass(frozen=True, eq=False)
class TemporalFilter(Clip[LogicalTemporalFilter]):
    """The part of time is reckoned from a value of the tuple."""

    carries_out = (LogicalTemporalFilter,)

    def parts(self, builder: Builder, rel: Rel) -> tuple[Rel, Validity]:
        node, columns = self.node, self.inputs[0].values
        moment = value(builder, node.value, columns, node.input)
        if not node.value.type.integral:
            moment = typed(f"unix_micros({moment})", TIME)
        outputs = [*self.same(*self.carried), ("moment", moment), *OWN.outputs]
        found = builder.select("moments", rel, outputs)
        since, until = node.part
        part = Validity(_moved(since, BEGINNING), _moved(until, FOREVER))
        return builder.where("known", found, "moment IS NOT NULL"), part


def _moved(by: int | None, bound: int) -> Instant:
    """So much later than the moment; a bound that there is none is an infinity."""
    if by is None:
        return instant(bound)
    if by == 0:
        return instant("moment")
    beyond = time(FOREVER if by > 0 else BEGINNING)
    return instant(f"coalesce(try_add(moment, {by}L), {beyond})")
