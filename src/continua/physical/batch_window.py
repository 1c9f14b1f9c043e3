"""BATCH: the last batch seen in the stream (Astral table 1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from continua.logical.batch_window import BatchWindow as LogicalBatchWindow
from continua.physical.arrival import for_next_slab
from continua.physical.builder import Builder
from continua.physical.extent import ANY, Extent
from continua.physical.operator import Form, Outputs, WholeTuples
from continua.physical.relation import EMPTY, Rel, Window
from continua.physical.slab import Slab
from continua.physical.sweep_area import State, SweepArea
from continua.physical.validity import END, OF_L, OF_R, START, Validity

BATCH = SweepArea("batch", START, "all", "a later batch has come")


@dataclass(frozen=True, eq=False)
class BatchWindow(WholeTuples[LogicalBatchWindow]):
    """A tuple closes at the next distinct time of the stream; the last batch of a slab stays open.

    Distinct times are put in order by themselves: they are fewer and narrower than tuples.
    """

    carries_out = (LogicalBatchWindow,)

    @property
    def form(self) -> Form:
        return Form.CHANGES

    @property
    def lasts(self) -> Extent:
        return ANY

    @property
    def areas(self) -> tuple[SweepArea, ...]:
        return (BATCH,)

    def advance(self, builder: Builder, slab: Slab, inputs: Sequence[Rel], state: State) -> Outputs:
        new = builder.select("new", inputs[0], self.same(*self.carried, START))
        if new is EMPTY:
            return EMPTY, state
        rows = BATCH.insert(builder, state, new)
        batches = builder.group("batches", rows, [START])
        ends = builder.windowed(
            "ends",
            batches,
            [(START, START), (END, f"lead({START}) OVER w")],
            w=Window((), START),
        )
        below = [(name, f"l.{name}") for name in (*self.carried, START)]
        same = OF_L.start.equals(OF_R.start)
        closing = builder.join("closing", "INNER", rows, ends, same, [*below, (END, OF_R.end)])
        fresh = slab.starts_inside()
        outputs = [*self.same(*self.carried), *Validity(START.when(fresh), END).outputs]
        result = builder.select("window", closing, outputs, f"({fresh}) OR {END.known}")
        last = builder.select("last", closing, self.same(*new.columns), END.unknown)
        return result, for_next_slab(slab, BATCH, last)
