"""HOP and TUMBLE: a copy of the element for every window that contains it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from continua.logical.hop_window import HopWindow as LogicalHopWindow
from continua.model.schema import TimeDomain
from continua.physical.extent import Extent
from continua.physical.operator import NodeOperator, Outputs
from continua.physical.range_window import WAITING
from continua.physical.script import Rel, Script
from continua.physical.slab import Slab, floor_to
from continua.physical.sweep_area import State, SweepArea, extract


@dataclass(frozen=True, eq=False)
class HopWindow(NodeOperator[LogicalHopWindow]):
    """A copy is valid during `[window_end, window_end + slide)`: visible when complete."""

    carries_out = (LogicalHopWindow,)

    @property
    def extent(self) -> Extent:
        slide = self.node.slide
        # Windows end at multiples of the slide, shifted all alike: intervals never half overlap.
        return Extent(uniform=slide, aligned=True, longest=slide)

    @property
    def areas(self) -> tuple[SweepArea, ...]:
        return (WAITING,)

    def advance(self, script: Script, slab: Slab, inputs: Sequence[Rel], state: State) -> Outputs:
        slide, size = self.node.slide, self.node.size
        time = self.node.input.time
        assert time is not None
        last = floor_to("start", slide)
        kept = self.inputs[0].carried
        rel = inputs[0]
        if slide == size:
            rel = script.select("hop", rel, [*self.same(*kept), ("opens", last)])
        elif rel.columns:
            first = f"{floor_to(f'(start - {size}L)', slide)} + {slide}L"
            opens = f"explode(sequence({first}, {last}, {slide}L))"
            # A slide longer than the size leaves gaps between the windows.
            some = None if slide <= size else f"{first} <= {last}"
            rel = script.select("hop", rel, [*self.same(*kept), ("opens", opens)], some)
        width = len(self.values)
        bounds = [moment(time, "opens"), moment(time, f"(opens + {size}L)")]
        outputs = [
            *self.same(*self.values[: width - 2]),
            *zip(self.values[width - 2 :], bounds, strict=True),
            *(self.same("id") if self.identified else ()),
            ("start", f"opens + {size}L"),
            ("end", f"opens + {size + slide}L"),
        ]
        copies = script.select("window", rel, outputs)
        return extract(script, slab, WAITING, state, copies)


def moment(time: TimeDomain, t: str) -> str:
    """SQL: a time as users see it, in the units of the time attribute."""
    return t if time.integral else f"timestamp_micros({t})"
