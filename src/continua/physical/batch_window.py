"""BATCH: the last batch seen in the stream (Astral table 1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from continua.logical.batch_window import BatchWindow as LogicalBatchWindow
from continua.physical.arrival import kept
from continua.physical.extent import ANY, Extent
from continua.physical.operator import Form, NodeOperator, Outputs
from continua.physical.relation import EMPTY, Rel, Window
from continua.physical.script import Script
from continua.physical.slab import Slab
from continua.physical.sweep_area import State, SweepArea

BATCH = SweepArea("batch", "start", "all", "a later batch has come")


@dataclass(frozen=True, eq=False)
class BatchWindow(NodeOperator[LogicalBatchWindow]):
    """A tuple closes at the next distinct time of the stream; the last batch of a slab stays open.

    Distinct times are put in order by themselves: they are fewer and narrower than tuples.
    """

    carries_out = (LogicalBatchWindow,)

    @property
    def form(self) -> Form:
        return Form.CHANGES

    @property
    def extent(self) -> Extent:
        return ANY

    @property
    def areas(self) -> tuple[SweepArea, ...]:
        return (BATCH,)

    def advance(self, script: Script, slab: Slab, inputs: Sequence[Rel], state: State) -> Outputs:
        new = script.select("new", inputs[0], self.same(*self.carried, "start"))
        if new is EMPTY:
            return EMPTY, state
        rows = BATCH.insert(script, state, new)
        batches = script.group("batches", rows, ["start"])
        ends = script.windowed(
            "ends",
            batches,
            [("start", "start"), ("end", "lead(start) OVER w")],
            w=Window((), "start"),
        )
        below = [(name, f"l.{name}") for name in (*self.carried, "start")]
        closing = script.join(
            "closing", "INNER", rows, ends, "l.start = r.start", [*below, ("end", "r.end")]
        )
        fresh = slab.starts_inside("start")
        outputs = [
            *self.same(*self.carried),
            ("start", f"IF({fresh}, start, NULL)"),
            ("end", "end"),
        ]
        result = script.select("window", closing, outputs, f"({fresh}) OR end IS NOT NULL")
        last = script.select("last", closing, self.same(*new.columns), "end IS NULL")
        return result, kept(slab, BATCH, last)
