"""Union: the elements of both inputs (TODS §7.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from continua.logical.union import Union as LogicalUnion
from continua.physical.builder import Builder
from continua.physical.extent import Extent, either
from continua.physical.operator import EitherForm, Outputs
from continua.physical.relation import Rel
from continua.physical.slab import Slab
from continua.physical.sweep_area import State
from continua.physical.validity import OWN


@dataclass(frozen=True, eq=False)
class Union(EitherForm[LogicalUnion]):
    carries_out = (LogicalUnion,)

    @property
    def lasts(self) -> Extent:
        left, right = self.inputs
        return either(left.extent, right.extent)

    def advance(self, builder: Builder, slab: Slab, inputs: Sequence[Rel], state: State) -> Outputs:
        left, right = inputs
        if self.identified:
            left = self._tagged(builder, left, "struct(0 AS side, id AS left, NULL AS right)")
            right = self._tagged(builder, right, "struct(1 AS side, NULL AS left, id AS right)")
        return builder.union("union", left, right), {}

    def _tagged(self, builder: Builder, rel: Rel, identity: str) -> Rel:
        """The identities of the two sides could coincide."""
        outputs = [*self.same(*self.values), ("id", identity), *OWN.outputs]
        return builder.select("tagged", rel, outputs)
