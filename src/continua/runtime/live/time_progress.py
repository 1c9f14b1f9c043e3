"""Progress: how far the time of a graph has come, from what its sources have shown (design §7)."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from continua.model.catalog import Relation
from continua.physical.slab import BEGINNING, FOREVER


def progress(streams: Mapping[Relation, int], idle: Collection[Relation]) -> int:
    """The time before which nothing more is expected: rows at or beyond it have to wait.

    Per stream it is the greatest time seen minus the slack; rows of that very time may yet come.
    The least of the streams counts. A stream that is idle holds nobody back, unless all are.
    """
    reached = {stream: _behind(seen, stream.slack) for stream, seen in streams.items()}
    awake = [time for stream, time in reached.items() if stream not in idle]
    return min(awake) if awake else max(reached.values(), default=FOREVER)


def _behind(seen: int, slack: int) -> int:
    return seen if seen in (BEGINNING, FOREVER) else max(seen - slack, BEGINNING + 1)
