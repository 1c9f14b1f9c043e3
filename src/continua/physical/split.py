"""Split: a stream as chronons at the multiples of a granule (TODS §8.2.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from continua.logical.split import Split as LogicalSplit
from continua.physical.builder import Builder
from continua.physical.extent import CHRONON, Extent
from continua.physical.instant import ceil_to, floor_to, instant, time
from continua.physical.operator import Outputs, WholeTuples
from continua.physical.relation import EMPTY, Rel
from continua.physical.slab import Slab
from continua.physical.sweep_area import State, SweepArea
from continua.physical.validity import END, OWN, START, Validity

LASTING = SweepArea("lasting", END, "valid at a multiple of the granule")


@dataclass(frozen=True, eq=False)
class Split(WholeTuples[LogicalSplit]):
    """One chronon for every multiple of the granule at which an element is valid.

    What is sampled lies in the slab, and between the least and the greatest time of the streams
    that the query reads, by their names: queries that read others are sampled at other times.
    Its cost follows the granules that elements cover.
    """

    streams: tuple[str, ...]
    carries_out = (LogicalSplit,)

    @property
    def extent(self) -> Extent:
        return CHRONON

    @property
    def areas(self) -> tuple[SweepArea, ...]:
        return (LASTING,)

    def advance(self, builder: Builder, slab: Slab, inputs: Sequence[Rel], state: State) -> Outputs:
        rows = LASTING.insert(builder, state, inputs[0])
        lasting = LASTING.purge(builder, slab, rows, inputs[0])
        first, last = slab.sampled(self.streams)
        if first > last:
            return EMPTY, lasting
        granule = self.node.granule
        low = ceil_to(f"greatest({START.t}, {time(first)})", granule)
        high = floor_to(f"least({OWN.last_time}, {time(last)})", granule)
        sampled = builder.where("sampled", rows, f"{low} <= {high}")
        instants = f"sequence({low}, {high}, {granule}L)"
        identity = [("id", "struct(id AS split, at)")] if self.identified else []
        chronon = Validity(instant("at"), instant("at").next)
        outputs = [*self.same(*self.values), *identity, *chronon.outputs]
        return builder.exploded("split", sampled, instants, "at", outputs), lasting
