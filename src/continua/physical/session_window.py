"""SESSION: runs of tuples at most a gap apart, visible when complete."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from continua.logical.session_window import SessionWindow as LogicalSessionWindow
from continua.physical.arrival import for_next_slab
from continua.physical.builder import Builder
from continua.physical.extent import Extent, lasting
from continua.physical.instant import instant
from continua.physical.operator import Outputs, WholeTuples
from continua.physical.relation import EMPTY, Rel, Window
from continua.physical.shown_times import moment
from continua.physical.slab import Slab
from continua.physical.sweep_area import State, SweepArea
from continua.physical.validity import START, Validity
from continua.physical.years import within

OPEN = SweepArea("open", START, "same key, at most the gap apart", "session end < w₁")


@dataclass(frozen=True, eq=False)
class SessionWindow(WholeTuples[LogicalSessionWindow]):
    """The tuples of a session are valid for one granule from its end, a gap after the last."""

    carries_out = (LogicalSessionWindow,)

    @property
    def lasts(self) -> Extent:
        return lasting(self._granule)

    @property
    def areas(self) -> tuple[SweepArea, ...]:
        return (OPEN,)

    @property
    def _granule(self) -> int:
        time = self.node.input.time
        assert time is not None
        return time.granule or 1

    def advance(self, builder: Builder, slab: Slab, inputs: Sequence[Rel], state: State) -> Outputs:
        below = (*self.inputs[0].carried, START)
        new = builder.select("new", inputs[0], self.same(*below))
        rows = OPEN.insert(builder, state, new)
        if rows is EMPTY:
            return EMPTY, {}
        sessions = self._sessions(builder, rows)
        domain = self.node.input.time
        assert domain is not None
        end = within(f"(last + {self.node.gap}L)", domain.first, domain.last)
        over = instant(end)
        builder.limits[end] = domain.outside(self.node.span)
        *values, opens, closes = self.values
        outputs = [
            *self.same(*values),
            (opens, moment(domain, "opens")),
            (closes, moment(domain, end)),
            *([("id", f"struct({end} AS window, id AS copied)")] if self.identified else ()),
            *Validity(over, over.later(self._granule)).outputs,
        ]
        # A tuple a whole gap after the last one would still belong to the session.
        complete = builder.select("window", sessions, outputs, over.before(slab.until))
        incomplete = over.not_before(slab.until)
        waiting = builder.select("waiting", sessions, self.same(*below), incomplete)
        return complete, for_next_slab(slab, OPEN, waiting)

    def _sessions(self, builder: Builder, rows: Rel) -> Rel:
        """Each tuple with the first and the last time of its session."""
        same = self.same(*rows.columns)
        key = tuple(self.values[i] for i in self.node.key)
        w = Window(key, START)
        before = ("before", f"lag({START.t}) OVER w")
        followed = builder.windowed("followed", rows, [*same, before], w=w)
        near = f"try_subtract({START.t}, before) <= {self.node.gap}L"
        opens = ("opens", f"max(IF({near}, NULL, {START.t})) OVER w")
        opened = builder.windowed("opened", followed, [*same, opens], w=w)
        last = ("last", f"max({START.t}) OVER session")
        return builder.windowed(
            "sessions",
            opened,
            [*same, ("opens", "opens"), last],
            session=Window((*key, "opens")),
        )
