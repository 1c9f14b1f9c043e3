"""Delayed: each tuple at the first multiple of a step that is not before it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from continua.logical.delayed import Delayed as LogicalDelayed
from continua.physical.builder import Builder
from continua.physical.extent import CHRONON, Extent
from continua.physical.operator import Outputs, WholeTuples
from continua.physical.range_window import WAITING
from continua.physical.relation import Rel
from continua.physical.slab import Slab
from continua.physical.sweep_area import State, SweepArea, extract
from continua.physical.validity import START, Validity


@dataclass(frozen=True, eq=False)
class Delayed(WholeTuples[LogicalDelayed]):
    """What comes after the last multiple of a slab waits for the next one."""

    carries_out = (LogicalDelayed,)

    @property
    def of_elements(self) -> bool:
        return True

    @property
    def lasts(self) -> Extent:
        return CHRONON

    @property
    def areas(self) -> tuple[SweepArea, ...]:
        return (WAITING,)

    def advance(self, builder: Builder, slab: Slab, inputs: Sequence[Rel], state: State) -> Outputs:
        at = START.up_to_multiple(self.node.step)
        identity = [("id", f"struct({START} AS came, id AS delayed)")] if self.identified else []
        outputs = [*self.same(*self.values), *identity, *Validity(at, at.next).outputs]
        delayed = builder.select("delayed", inputs[0], outputs)
        return extract(builder, slab, WAITING, state, delayed)
