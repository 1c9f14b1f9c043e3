"""Windows that set the validity of an element from its own time alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from continua.logical.fixed_window import FixedWindow as LogicalFixedWindow
from continua.logical.range_window import RangeWindow as LogicalRangeWindow
from continua.physical.extent import ENDLESS, Extent, lasting
from continua.physical.operator import NodeOperator, Outputs
from continua.physical.script import Rel, Script
from continua.physical.slab import FOREVER, Slab, ceil_to, floor_to, time
from continua.physical.sweep_area import State, SweepArea, extract

WAITING = SweepArea("waiting", "start", "start < w₁", "start < w₁")
"""Outputs that start at or beyond the end of the slab."""


@dataclass(frozen=True, eq=False)
class RangeWindow(NodeOperator[LogicalRangeWindow]):
    """RANGE w: `[t, t+w)`; with SLIDE s both bounds move up to multiples of s."""

    carries_out = (LogicalRangeWindow,)

    @property
    def extent(self) -> Extent:
        size, slide = self.node.size, self.node.slide or 1
        if size is None:
            return ENDLESS
        return lasting(size) if size % slide == 0 else Extent(longest=size + slide)

    @property
    def areas(self) -> tuple[SweepArea, ...]:
        return (WAITING,) if self.node.slide else ()

    def advance(self, script: Script, slab: Slab, inputs: Sequence[Rel], state: State) -> Outputs:
        size, slide = self.node.size, self.node.slide or 1
        start = ceil_to("start", slide)
        end = time(FOREVER) if size is None else ceil_to(f"(start + {size}L)", slide)
        outputs = [*self.same(*self.carried), ("start", start), ("end", end)]
        nonempty = f"{start} < {end}" if slide > 1 else None
        result = script.select("window", inputs[0], outputs, nonempty)
        return extract(script, slab, WAITING, state, result) if self.node.slide else (result, {})


@dataclass(frozen=True, eq=False)
class FixedWindow(NodeOperator[LogicalFixedWindow]):
    """FIXED w: until the next multiple of w (COMAD §2.6)."""

    carries_out = (LogicalFixedWindow,)

    @property
    def extent(self) -> Extent:
        return Extent(longest=self.node.size, section=self.node.size)

    def advance(self, script: Script, slab: Slab, inputs: Sequence[Rel], state: State) -> Outputs:
        end = f"{floor_to('start', self.node.size)} + {self.node.size}L"
        outputs = [*self.same(*self.carried), ("start", "start"), ("end", end)]
        return script.select("window", inputs[0], outputs), {}
