"""Instantaneous queries: the snapshot of a query at a time that has been reached."""

from __future__ import annotations

from datetime import datetime

from continua.errors import ContinuaError, Span
from continua.logical.expr.moment import moment
from continua.logical.scan import Scan
from continua.model.instant import INFINITY, Time
from continua.model.schema import TimeDomain
from continua.physical.instant import BEGINNING, FOREVER
from continua.runtime.live.report import Progress
from continua.runtime.query import Query
from continua.runtime.result import Result


def snapshot_of(query: Query, at: object, span: Span | None, progress: Progress | None) -> Result:
    """The rows valid at a time, by default that of the progress.

    progress: that of what runs live; without it, and of streams that do not run, the progress is
    the greatest time in the data.
    """
    time = query.plan.time
    if time is None:
        return query.snapshot()
    first, last = query.evaluation.bounds()
    reached = _reached(query, progress)
    last = last if reached is None else reached
    if at is None:
        return query.snapshot() if reached is None else query.snapshot(_shown(time, reached))
    t = moment(at, time, span)
    if query.plan.streaming:
        _check(t, first, last, time, span)
    return query.snapshot(_shown(time, t))


def _reached(query: Query, progress: Progress | None) -> Time | None:
    """The last time that is final, if all streams of a query run live."""
    if progress is None or not BEGINNING < progress.watermark < FOREVER:
        return None
    streams = {
        node.relation.key
        for node in query.plan.walk()
        if isinstance(node, Scan) and node.relation.is_stream
    }
    run = {name.lower() for name in progress.sources}
    return progress.watermark - 1 if streams and streams <= run else None


def _check(t: int, first: Time, last: Time, time: TimeDomain, span: Span | None) -> None:
    if first == INFINITY:
        message, hint = "there is no history yet: the streams have no rows", None
    elif t < first:
        message = f"history begins at {_shown(time, first)}, which is after {_shown(time, t)}"
        hint = "before that there is nothing to look at"
    elif t > last:
        message = f"{_shown(time, t)} has not been reached: the progress is {_shown(time, last)}"
        hint = "without AT it is the snapshot at the progress"
    else:
        return
    raise ContinuaError("OUTSIDE_HISTORY", message, span, hint=hint)


def _shown(time: TimeDomain, t: Time) -> int | datetime:
    """A finite time as users write it."""
    found = time.value(t)
    assert isinstance(found, int | datetime)
    return found
