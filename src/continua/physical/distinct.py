"""Distinct: of equal elements, the part of each interval not yet covered (TODS §7.5.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from continua.logical.distinct import Distinct as LogicalDistinct
from continua.physical.builder import Builder
from continua.physical.extent import Extent
from continua.physical.instant import Instant, greatest
from continua.physical.operator import NodeOperator, Outputs
from continua.physical.range_window import WAITING
from continua.physical.relation import BEFORE_ROW, EMPTY, Rel, Window
from continua.physical.slab import Slab
from continua.physical.sweep_area import State, SweepArea, extract
from continua.physical.validity import END, OWN, START, Validity

COVER = SweepArea("cover", END, "equal tuple")


@dataclass(frozen=True, eq=False)
class Distinct(NodeOperator[LogicalDistinct]):
    """An element adds what lies beyond the greatest end of its predecessors by (start, end)."""

    carries_out = (LogicalDistinct,)

    @property
    def lasts(self) -> Extent:
        extent = self.inputs[0].extent
        return extent if extent.aligned or extent.endless else extent.cut

    @property
    def areas(self) -> tuple[SweepArea, ...]:
        extent = self.inputs[0].extent
        return () if extent.aligned else (COVER,) if extent.endless else (COVER, WAITING)

    def advance(self, builder: Builder, slab: Slab, inputs: Sequence[Rel], state: State) -> Outputs:
        extent = self.inputs[0].extent
        if extent.aligned:
            return self._grouped(builder, inputs[0]), {}
        below = [*self.values, *OWN]
        new = builder.select("new", inputs[0], self.same(*below))
        found = COVER.insert(builder, state, new)
        if found is EMPTY:
            return EMPTY, {}
        cover = self._cover(builder, found)
        if extent.endless:
            # What lasts for ever is covered from the first of equal elements on.
            outputs = [*self._with_identity(), *OWN.outputs]
            first = builder.select("distinct", cover, outputs, slab.starts_inside())
            return first, COVER.purge(builder, slab, cover)
        covered = builder.windowed(
            "covered",
            found,
            [*self.same(*below), ("until", f"{END.latest} OVER w")],
            w=Window(self.values, OWN.order, BEFORE_ROW),
        )
        until = Instant("until")
        outputs = [*self._with_identity(), *Validity(greatest(START, until), END).outputs]
        # What was in the cover before the slab has been handed out already.
        added = slab.starts_inside(also=f"({until.unknown} OR {END.after(until)})")
        result = builder.select("distinct", covered, outputs, added)
        output, waiting = extract(builder, slab, WAITING, state, result)
        return output, {**COVER.purge(builder, slab, cover), **waiting}

    def _grouped(self, builder: Builder, rel: Rel) -> Rel:
        """Intervals that coincide or are disjoint: equal rows are what there is to remove."""
        rows = builder.group("distinct", rel, [*self.values, *OWN])
        return builder.select("distinct", rows, [*self._with_identity(), *OWN.outputs])

    def _with_identity(self) -> list[tuple[str, str]]:
        """A value is the same tuple while it lasts."""
        return [*self.same(*self.values), *self.by_value(self.values)]

    def _cover(self, builder: Builder, found: Rel) -> Rel:
        """Of each value the least start and the greatest end are enough."""
        hull = Validity(START.earliest, END.latest)
        some = None if self.values else "count(*) > 0"
        return builder.group("cover", found, self.values, hull.outputs, some)
