"""Windows that set the validity of an element from its own time alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from continua.logical.fixed_window import FixedWindow as LogicalFixedWindow
from continua.logical.range_window import RangeWindow as LogicalRangeWindow
from continua.physical.builder import Builder
from continua.physical.extent import ANY, ENDLESS, LONGEST, Extent, lasting
from continua.physical.instant import FOREVER, instant
from continua.physical.operator import Outputs, WholeTuples
from continua.physical.relation import Rel
from continua.physical.slab import Slab
from continua.physical.sweep_area import State, SweepArea, extract
from continua.physical.validity import START, Validity

WAITING = SweepArea("waiting", START, "start < w₁", "start < w₁")
"""Outputs that start at or beyond the end of the slab."""


@dataclass(frozen=True, eq=False)
class RangeWindow(WholeTuples[LogicalRangeWindow]):
    """RANGE w: `[t, t+w)`; with SLIDE s both bounds move up to multiples of s."""

    carries_out = (LogicalRangeWindow,)

    @property
    def lasts(self) -> Extent:
        size, slide = self.node.size, self.node.slide or 1
        if size is None:
            return ENDLESS
        exactly = size % slide == 0 or size + slide > LONGEST
        found = lasting(size) if exactly else Extent(longest=size + slide)
        return replace(found, stepped=slide > 1)

    @property
    def areas(self) -> tuple[SweepArea, ...]:
        return (WAITING,) if self.node.slide else ()

    def advance(self, builder: Builder, slab: Slab, inputs: Sequence[Rel], state: State) -> Outputs:
        size, slide = self.node.size, self.node.slide or 1
        start, end, some = START, instant(FOREVER), None
        if size is not None:
            # Up to a multiple of the slide from start + size on, which may be no number.
            rest = f"pmod({START.t}, {slide}L) + {size % slide}L"
            up = f"({size}L + pmod(-({rest}), {slide}L))"
            end = START.later(size if slide == 1 else up)
        if slide > 1:
            start = START.up_to_multiple(slide)
            some = start.before(end)
        outputs = [*self.same(*self.carried), *Validity(start, end).outputs]
        result = builder.select("window", inputs[0], outputs, some)
        return extract(builder, slab, WAITING, state, result) if self.node.slide else (result, {})


@dataclass(frozen=True, eq=False)
class FixedWindow(WholeTuples[LogicalFixedWindow]):
    """FIXED w: until the next multiple of w (COMAD §2.6)."""

    carries_out = (LogicalFixedWindow,)

    @property
    def lasts(self) -> Extent:
        size = self.node.size
        return ANY if size > LONGEST else Extent(longest=size, section=size)

    def advance(self, builder: Builder, slab: Slab, inputs: Sequence[Rel], state: State) -> Outputs:
        size = self.node.size
        end = START.later(f"({size}L - pmod({START.t}, {size}L))")
        outputs = [*self.same(*self.carried), *Validity(START, end).outputs]
        return builder.select("window", inputs[0], outputs), {}
