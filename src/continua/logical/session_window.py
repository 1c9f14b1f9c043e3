"""Session windows: runs of tuples whose times are at most a gap apart, as in Flink and Spark."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from continua.logical.node import Context
from continua.logical.window import CopyingWindow
from continua.model.element import Tuple, Values
from continua.model.instant import interval
from continua.model.timeline import Timeline


@dataclass(frozen=True)
class SessionWindow(CopyingWindow):
    """SESSION(s, gap [, key]): a session ends a gap after its last tuple.

    The tuples of a session, with its bounds, are valid for one granule from its end: it is visible
    when complete.
    """

    gap: int
    key: tuple[int, ...] = ()

    @property
    def label(self) -> str:
        names = [self.input.schema.columns[i].name for i in self.key]
        by = f" by {', '.join(names)}" if names else ""
        return f"window session {self.length(self.gap)}{by}"

    def meaning(self, inputs: Sequence[Timeline], context: Context) -> Timeline:
        time = self.input.time
        assert time is not None
        sessions: dict[Values, list[list[tuple[Tuple, int, int]]]] = defaultdict(list)
        for e, at, n in inputs[0].openings():
            runs = sessions[tuple(e.values[i] for i in self.key)]
            if not runs or at.t - runs[-1][-1][1] > self.gap:
                runs.append([])
            runs[-1].append((e, int(at.t), n))
        elements = []
        for run in (run for runs in sessions.values() for run in runs):
            start, end = run[0][1], run[-1][1] + self.gap
            bounds = self.bounds(start, end)
            for e, _, n in run:
                copy = e.derive(e.values + bounds, end)
                elements.append((copy, interval(end, end + (time.granule or 1)), n))
        return Timeline.of(elements)
