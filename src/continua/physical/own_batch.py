"""The elements of a stream in their own batches alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from continua.logical.own_batch import OwnBatch as LogicalOwnBatch
from continua.physical.builder import Builder
from continua.physical.extent import CHRONON, Extent
from continua.physical.operator import Outputs, WholeTuples
from continua.physical.relation import Rel
from continua.physical.slab import Slab
from continua.physical.sweep_area import State
from continua.physical.validity import START, Validity


@dataclass(frozen=True, eq=False)
class OwnBatch(WholeTuples[LogicalOwnBatch]):
    carries_out = (LogicalOwnBatch,)

    @property
    def lasts(self) -> Extent:
        return CHRONON

    def advance(self, builder: Builder, slab: Slab, inputs: Sequence[Rel], state: State) -> Outputs:
        outputs = [*self.same(*self.carried), *Validity(START, START.following).outputs]
        return builder.select("own_batch", inputs[0], outputs), {}
