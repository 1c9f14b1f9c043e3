"""Timed: every element of a stream with its time as one more column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from continua.logical.timed import Timed as LogicalTimed
from continua.physical.builder import Builder
from continua.physical.expression import spark_type
from continua.physical.operator import Outputs, WholeTuples
from continua.physical.relation import Rel, typed
from continua.physical.shown_times import moment
from continua.physical.slab import Slab
from continua.physical.sweep_area import State
from continua.physical.validity import OWN, START


@dataclass(frozen=True, eq=False)
class Timed(WholeTuples[LogicalTimed]):
    """An element begins at its own time."""

    carries_out = (LogicalTimed,)

    @property
    def of_elements(self) -> bool:
        return True

    def advance(self, builder: Builder, slab: Slab, inputs: Sequence[Rel], state: State) -> Outputs:
        domain = self.node.input.time
        assert domain is not None
        now = typed(moment(domain, START.t), spark_type(domain.result_type))
        *values, name = self.values
        identity = self.same("id") if self.identified else []
        outputs = [*self.same(*values), (name, now), *identity, *OWN.outputs]
        return builder.select("timed", inputs[0], outputs), {}
