"""FROM α TO β EVERY r: Astral's sequence of windows (definition 19).

Windows stand back to back, so an element that is in the windows from number `first` to number
`last` is valid from e_first, or its own time if that is later, until e_{last + 1}. Both numbers
follow from the bounds, and e_j lies `j·r` after e_0: in time, or in positions of tuples.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from continua.logical.sequence_window import SequenceWindow as LogicalSequenceWindow
from continua.physical.arrival import CLOSES, OPENS, arrival_order, changed, for_next_slab
from continua.physical.builder import Builder
from continua.physical.expression import all_of
from continua.physical.extent import ANY, Extent
from continua.physical.instant import (
    FOREVER,
    Instant,
    bucket_of,
    ceil_to,
    greatest,
    instant,
    time,
    unknown,
)
from continua.physical.operator import Form, Outputs, WholeTuples
from continua.physical.range_window import WAITING
from continua.physical.relation import EMPTY, UP_TO_ROW, Output, Rel, Window
from continua.physical.slab import Slab
from continua.physical.sweep_area import State, SweepArea, extract
from continua.physical.validity import OF_R, START, Validity

COUNTED = SweepArea("counted", "", "all", "never: one row")
"""The position of the last tuple, and where e_0 lies if the data say so."""
ANCHOR = Instant("anchor")
"""The instant of e_0, where it is that of a position."""
ROWS = SweepArea("rows", "position", "position of e_j", "e_{last + 1} <= w₁")


@dataclass(frozen=True)
class Windows:
    """SQL: the numbers of the windows an element is in; without `last` there is no last one."""

    first: str
    last: str | None
    some: str
    """Whether it is in any."""


def windows_of(node: LogicalSequenceWindow) -> Windows:
    """α(j) ≤ p ≤ β(j), or α(j) < t ≤ β(j), solved for j."""
    first, last, conditions = "0L", None, []
    upper, lower = node.upper, node.lower
    above = f"({'position' if upper.in_rows else START.t} - {upper.offset}L)"
    below = f"({'position' if lower.in_rows else f'({START.t} - 1L)'} - {lower.offset}L)"
    if upper.slope:
        first = f"greatest(0L, {ceil_to(above, upper.slope)} div {upper.slope}L)"
    else:
        conditions.append(f"{above} <= 0L")
    if lower.slope:
        last = bucket_of(below, lower.slope)
        conditions.append(f"{first} <= {last}")
    else:
        conditions.append(f"{below} >= 0L")
    return Windows(first, last, all_of(*conditions))


@dataclass(frozen=True, eq=False)
class SequenceWindow(WholeTuples[LogicalSequenceWindow]):
    """With EVERY in time, ends are known with e_0; in rows, they come with the rows."""

    carries_out = (LogicalSequenceWindow,)

    @property
    def form(self) -> Form:
        return Form.CHANGES if self.node.every_in_rows else Form.PIECES

    @property
    def lasts(self) -> Extent:
        return ANY

    @property
    def areas(self) -> tuple[SweepArea, ...]:
        waiting = () if self.node.every_in_rows else (WAITING,)
        counted = (COUNTED,) if self._counts else ()
        rows = (ROWS,) if self.node.every_in_rows or self._anchored_by_data else ()
        return *counted, *rows, *waiting

    @property
    def _counts(self) -> bool:
        """Whether positions matter."""
        node = self.node
        return node.lower.in_rows or node.upper.in_rows or node.every_in_rows

    @property
    def _anchored_by_data(self) -> bool:
        """Whether e_0 is given in one domain and EVERY in the other."""
        return self.node.upper.in_rows != self.node.every_in_rows

    def advance(self, builder: Builder, slab: Slab, inputs: Sequence[Rel], state: State) -> Outputs:
        new = self._numbered(builder, inputs[0], COUNTED.held(state))
        counted = self._counted(builder, new, COUNTED.held(state))
        stand = self._by_rows if self.node.every_in_rows else self._by_time
        result, waiting = stand(builder, slab, new, counted, state)
        return result, {**for_next_slab(slab, COUNTED, counted), **waiting}

    def _numbered(self, builder: Builder, arrived: Rel, before: Rel) -> Rel:
        """The new rows with their positions in the stream, from 0 on."""
        below = (*self.inputs[0].carried, START)
        if not self._counts or arrived is EMPTY:
            return builder.select("new", arrived, self.same(*below))
        last = "-1L"
        if before is not EMPTY:
            last = "coalesce(last, -1L)"
            outputs = [*((c, f"l.{c}") for c in arrived.columns), ("last", "r.last")]
            arrived = builder.join("beside", "CROSS", arrived, before, None, outputs)
        return builder.windowed(
            "numbered",
            arrived,
            [*self.same(*below), ("position", f"{last} + count(*) OVER w")],
            w=Window((), arrival_order(self.inputs[0]), UP_TO_ROW),
        )

    def _counted(self, builder: Builder, new: Rel, before: Rel) -> Rel:
        """The last position, and e_0: the instant of a position, or the position at a time."""
        if not self._counts or new is EMPTY:
            return before
        b = self.node.upper.offset
        if self.node.upper.in_rows:
            anchor: Output = (ANCHOR, START.when(f"position = {b}L").latest)
        else:
            anchor = ("anchor", f"max(IF({START.not_after(instant(b))}, position, NULL))")
        counted = builder.group("counted", new, (), [("last", "max(position)"), anchor])
        if before is EMPTY:
            return counted
        both = builder.union("counted", counted, before)
        latest = [("last", "max(last)"), (anchor[0], f"max({anchor[0]})")]
        return builder.group("counted", both, (), latest)

    def _by_time(
        self, builder: Builder, slab: Slab, new: Rel, counted: Rel, state: State
    ) -> Outputs:
        waiting: State = {}
        anchor = f"{self.node.upper.offset}L"
        if self._anchored_by_data:
            # Until the row of e_0 has come, no window stands.
            anchor = ANCHOR.t
            rows = ROWS.insert(builder, state, new)
            new = self._beside(builder, rows, counted)
            before = builder.select("before", new, self.same(*rows.columns), ANCHOR.unknown)
            waiting = for_next_slab(slab, ROWS, before)
            new = builder.where("anchored", new, ANCHOR.known)
        windows = windows_of(self.node)
        first, after = instant(self._evaluated(anchor, windows.first)), self._left(anchor, windows)
        if self._anchored_by_data:
            # e_0 may be any batch of its time; those that come so much later are at first ones.
            first = Instant(f"IF({windows.first} = 0, {ANCHOR}, {first})")
        during = Validity(greatest(START, first), instant(after))
        outputs = [*self.same(*self.carried), *during.outputs]
        result = builder.select("window", new, outputs, all_of(windows.some, during.lasts))
        result, later = extract(builder, slab, WAITING, state, result)
        return result, {**waiting, **later}

    def _by_rows(
        self, builder: Builder, slab: Slab, new: Rel, counted: Rel, state: State
    ) -> Outputs:
        windows = windows_of(self.node)
        unopened = [*self.same(*new.columns), (OPENS, unknown())]
        rows = ROWS.insert(builder, state, builder.select("new", new, unopened, windows.some))
        b = self.node.upper.offset
        if rows is EMPTY or (not self.node.upper.in_rows and slab.end <= b):
            return EMPTY, for_next_slab(slab, ROWS, rows)
        anchor = f"{b}L"
        columns = rows.columns
        if self._anchored_by_data:
            anchor = "coalesce(anchor, -1L)"
            rows = self._beside(builder, rows, counted)
        left = self._left(anchor, windows)
        since = self._evaluated(anchor, windows.first)
        opened = START.when(f"{since} <= position")
        if not self.node.upper.in_rows:
            anchored = greatest(START, instant(b))
            opened = Instant(f"IF({windows.first} = 0, {anchored}, {opened})")
        placed = builder.select(
            "placed",
            rows,
            [
                *self.same(*(name for name in columns if name != OPENS)),
                (OPENS, OPENS.otherwise(opened)),
                ("since", since),
                ("until", left),
            ],
            f"{left} > position",
        )
        met = self._met(builder, placed, new, columns)
        stay, some = changed(slab)
        outputs = [*self.same(*self.carried), *stay.outputs]
        result = builder.select("window", met, outputs, some)
        open_ = f"{CLOSES.unknown} AND ({OPENS.unknown} OR until < {time(FOREVER)})"
        waiting = builder.select("open", met, self.same(*columns), open_)
        return result, for_next_slab(slab, ROWS, waiting)

    def _met(self, builder: Builder, placed: Rel, new: Rel, columns: Sequence[str]) -> Rel:
        """The rows with the instants of the positions they wait for, which are all to come."""
        if new is EMPTY:
            same = self.same(*columns, "until")
            return builder.select("met", placed, [*same, (CLOSES, unknown())])
        node = self.node
        instants = new
        if node.upper.in_rows and node.every > 1:
            due = f"pmod(position - {node.upper.offset}L, {node.every}L) = 0"
            instants = builder.where("instants", new, due)
        known = Instant(f"l.{OPENS}")
        opened = builder.join(
            "opened",
            "LEFT",
            placed,
            instants,
            f"{known.unknown} AND l.since = r.position",
            [
                (name, known.otherwise(OF_R.start) if name == OPENS else f"l.{name}")
                for name in (*columns, "until")
            ],
        )
        outputs = [*((name, f"l.{name}") for name in opened.columns), (CLOSES, OF_R.start)]
        return builder.join("met", "LEFT", opened, instants, "l.until = r.position", outputs)

    def _beside(self, builder: Builder, rows: Rel, counted: Rel) -> Rel:
        """The rows, each with where e_0 lies."""
        if rows is EMPTY:
            return EMPTY
        outputs = [*((c, f"l.{c}") for c in rows.columns), ("anchor", "r.anchor")]
        return builder.join("beside", "CROSS", rows, counted, None, outputs)

    def _evaluated(self, anchor: str, j: str) -> str:
        """SQL: where e_j lies; what no time or position reaches is never evaluated."""
        later = f"try_add({anchor}, try_multiply({j}, {self.node.every}L))"
        return f"coalesce({later}, {time(FOREVER)})"

    def _left(self, anchor: str, windows: Windows) -> str:
        """SQL: where the first window without the element is evaluated, if ever."""
        if windows.last is None:
            return time(FOREVER)
        return self._evaluated(anchor, f"({windows.last} + 1L)")
