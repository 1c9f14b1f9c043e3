"""ROWS n: the last tuples of a stream or of each partition (Jain §4.5.1, §4.5.3; TODS Fig. 5).

A tuple opens with the first state that contains it and closes with the first state that contains
the n-th tuple after it: `lead(opens, n)` in the order of arrival. Without a slide every batch makes
a state, so a tuple opens at its own time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from continua.logical.row_window import RowWindow as LogicalRowWindow
from continua.physical.arrival import CLOSES, OPENS, arrival_order, changed, for_next_slab
from continua.physical.builder import Builder
from continua.physical.extent import ANY, Extent
from continua.physical.instant import unknown
from continua.physical.operator import Form, Outputs, WholeTuples
from continua.physical.relation import EMPTY, UP_TO_ROW, Rel, Window
from continua.physical.row_slide import with_states
from continua.physical.slab import Slab
from continua.physical.sweep_area import Renewed, State, SweepArea, of_keys, unchanged
from continua.physical.validity import START

LAST = SweepArea("last", f"{START}, id", "same partition", "n later ones are in a state")
MOST = 2**31 - 1
"""Spark looks no further ahead than this many rows, and sorts no more in one partition."""


@dataclass(frozen=True, eq=False)
class RowWindow(WholeTuples[LogicalRowWindow]):
    """Openings and closings, at the cost of the new tuples and the last ones of their partitions.

    A tuple that n others of its own state follow is never valid, but it counts.
    """

    carries_out = (LogicalRowWindow,)

    @property
    def form(self) -> Form:
        return Form.CHANGES

    @property
    def lasts(self) -> Extent:
        return ANY

    @property
    def areas(self) -> tuple[SweepArea, ...]:
        return (LAST,)

    def advance(self, builder: Builder, slab: Slab, inputs: Sequence[Rel], state: State) -> Outputs:
        (arrived,) = inputs
        partition = tuple(dict.fromkeys(self.values[i] for i in self.node.partition))
        if arrived is EMPTY:
            return EMPTY, unchanged(LAST, state, partition)
        below = self.inputs[0].carried
        sliding = (self.node.slide or 1) > 1
        waiting = [(OPENS, unknown()), ("weight", "1L")] if sliding else []
        new = builder.select("new", arrived, [*self.same(*below), (START, START), *waiting])
        held = of_keys(builder, LAST, state, partition, new)
        rows = builder.union("rows", held, new)
        if self.node.slide is not None and sliding:
            rows = with_states(builder, rows, partition, self.node.slide)
        followed = self._followed(builder, rows, partition, sliding)
        last = self._last(builder, followed, rows.columns)
        left = Renewed(last.columns, last, partition, "FALSE") if partition else last
        return self._changes(builder, slab, followed), for_next_slab(slab, LAST, left)

    def _followed(
        self, builder: Builder, rows: Rel, partition: Sequence[str], sliding: bool
    ) -> Rel:
        """Each tuple with the instant at which it closes, and whether n others have followed."""
        n = min(self.node.rows, MOST)
        w = Window(tuple(partition), arrival_order(self.inputs[0]))
        opens = OPENS if sliding else START
        names = [name for name in rows.columns if name not in (OPENS, "weight")]
        outputs = [*self.same(*names), (OPENS, opens)]
        if sliding:
            # Of tuples in no state yet, only the last n are kept: the first of them counts for
            # those before it.
            counted = f"sum(IF({OPENS.unknown}, weight, 0L)) OVER upto"
            first = f"{OPENS.unknown} AND lead(TRUE, {n - 1}) OVER w"
            outputs.append(("weight", f"IF({first}, {counted}, weight)"))
        outputs += [
            (CLOSES, f"lead({opens}, {n}) OVER w"),
            ("passed", f"lead(TRUE, {n}, FALSE) OVER w"),
        ]
        upto = replace(w, frame=UP_TO_ROW)
        return builder.windowed("followed", rows, outputs, w=w, upto=upto)

    def _changes(self, builder: Builder, slab: Slab, followed: Rel) -> Rel:
        stay, some = changed(slab)
        outputs = [*self.same(*self.carried), *stay.outputs]
        return builder.select("window", followed, outputs, some)

    def _last(self, builder: Builder, followed: Rel, columns: Sequence[str]) -> Rel:
        stays = f"{CLOSES.unknown} AND NOT ({OPENS.unknown} AND passed)"
        return builder.select("last", followed, self.same(*columns), stays)
