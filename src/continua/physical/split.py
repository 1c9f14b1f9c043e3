"""Split: a stream as chronons at the multiples of a granule (TODS §8.2.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from continua.logical.split import Split as LogicalSplit
from continua.physical.boundaries import AT, BOUNDARY, boundaries
from continua.physical.builder import Builder
from continua.physical.extent import CHRONON, Extent
from continua.physical.instant import batch_of, ceil_to, floor_to, instant, time
from continua.physical.operator import Outputs, WholeTuples
from continua.physical.relation import EMPTY, Rel
from continua.physical.slab import Slab
from continua.physical.sweep_area import State, SweepArea
from continua.physical.validity import END, START, Validity

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
    def of_elements(self) -> bool:
        return True

    @property
    def lasts(self) -> Extent:
        return CHRONON

    @property
    def areas(self) -> tuple[SweepArea, ...]:
        return (LASTING,)

    def advance(self, builder: Builder, slab: Slab, inputs: Sequence[Rel], state: State) -> Outputs:
        rows = LASTING.insert(builder, state, inputs[0])
        lasting = LASTING.purge(builder, slab, rows, inputs[0])
        first, last = slab.sampled(self.streams)
        if rows is EMPTY or first > last:
            return EMPTY, lasting
        granule = self.node.granule
        low = ceil_to(f"greatest({START.t}, {time(first)})", granule)
        # What ends within a time is not there after the last batch of it.
        high = floor_to(f"least({END.t} - 1L, {time(last)})", granule)
        sampled = builder.where("sampled", rows, f"{low} <= {high}")
        multiples = f"sequence({low}, {high}, {granule}L)"
        outputs = [*self.same(*self.inputs[0].carried), ("t", "t")]
        at_times = builder.exploded("times", sampled, multiples, "t", outputs)
        chronons = self._after_batches(builder, rows, at_times)
        identity = [("id", f"struct(id AS split, {AT})")] if self.identified else []
        outputs = [*self.same(*self.values), *identity, *Validity(AT, AT.next).outputs]
        return builder.select("split", chronons, outputs), lasting

    def _after_batches(self, builder: Builder, rows: Rel, at_times: Rel) -> Rel:
        """The rows with the instants `at` of their times `t`: of several batches the last in which
        anything changes."""
        known = self.same(*(name for name in at_times.columns if name != "t"))
        if not self.batched:
            return builder.select("instants", at_times, [*known, (AT, instant("t"))])
        found = boundaries(
            builder,
            rows,
            self.same(*self.values),
            {AT: (START, END), "n": ("1L", "-1L")},
            f"{BOUNDARY.i} > 0",
        )
        changes = builder.group("changes", found, [*self.values, AT], [("n", "sum(n)")])
        times = builder.select("times", changes, [("t", AT.t), ("i", AT.i)], "n <> 0")
        last = builder.group("last", times, ["t"], [("i", "max(i)")])
        at = (AT, batch_of("l.t", "coalesce(r.i, 0)"))
        outputs = [*((name, f"l.{name}") for name, _ in known), at]
        return builder.join("instants", "LEFT", at_times, last, "l.t = r.t", outputs)
