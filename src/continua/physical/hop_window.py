"""HOP and TUMBLE: a copy of the element for every window that contains it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from continua.logical.hop_window import HopWindow as LogicalHopWindow
from continua.physical.builder import Builder
from continua.physical.extent import ANY, LONGEST, Extent
from continua.physical.instant import floor_to, instant
from continua.physical.operator import Outputs, WholeTuples
from continua.physical.range_window import WAITING
from continua.physical.relation import Rel
from continua.physical.shown_times import moment
from continua.physical.slab import Slab
from continua.physical.sweep_area import State, SweepArea, extract
from continua.physical.validity import START, Validity
from continua.physical.years import within


@dataclass(frozen=True, eq=False)
class HopWindow(WholeTuples[LogicalHopWindow]):
    """A copy is valid during `[window_end, window_end + slide)`: visible when complete."""

    carries_out = (LogicalHopWindow,)

    @property
    def lasts(self) -> Extent:
        slide = self.node.slide
        if slide > LONGEST:
            return ANY
        # Windows end at multiples of the slide, shifted all alike: intervals never half overlap.
        return Extent(uniform=slide, aligned=True, longest=slide)

    @property
    def areas(self) -> tuple[SweepArea, ...]:
        return (WAITING,)

    def advance(self, builder: Builder, slab: Slab, inputs: Sequence[Rel], state: State) -> Outputs:
        slide, size, offset = self.node.slide, self.node.size, self.node.offset
        domain = self.node.input.time
        assert domain is not None
        last = floor_to(START.t, slide, offset)
        carried = self.inputs[0].carried
        rel = inputs[0]
        first = f"{floor_to(f'({START.t} - {size}L)', slide, offset)} + {slide}L"
        if slide == size:
            rel = builder.select("hop", rel, [*self.same(*carried), ("opens", last)])
        else:
            if slide > size:
                # Between the windows there are gaps.
                rel = builder.where("some", rel, f"{first} <= {last}")
            windows, outputs = f"sequence({first}, {last}, {slide}L)", self.same(*carried, "opens")
            rel = builder.exploded("hop", rel, windows, "opens", outputs)
        # Where a window has no bounds that can be seen, its copies are an error, seen or not.
        ends = f"{within('opens', domain.first, domain.last - size)} + {size}L"
        builder.limits |= dict.fromkeys((first, last, ends), domain.outside(self.node.span))
        width = len(self.values)
        bounds = [moment(domain, "opens"), moment(domain, ends)]
        outputs = [
            *self.same(*self.values[: width - 2]),
            *zip(self.values[width - 2 :], bounds, strict=True),
            *([("id", f"struct({ends} AS window, id AS copied)")] if self.identified else ()),
            *Validity(instant(ends), instant("opens").later(size + slide)).outputs,
        ]
        copies = builder.select("window", rel, outputs)
        return extract(builder, slab, WAITING, state, copies)
