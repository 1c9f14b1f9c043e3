"""The three forms in which a logical stream is handed out: intervals, changes, inserted rows."""

from __future__ import annotations

from continua.model.instant import INFINITY, MINUS_INFINITY
from continua.model.schema import Column, Schema, TimeDomain
from continua.model.timeline import Timeline
from continua.model.types import STRING, TIMESTAMP
from continua.model.values import order_key
from continua.runtime.result import Result


def _value(time: TimeDomain | None, t: int | float) -> object:
    return time.value(t) if time else None


def _time_column(name: str, time: TimeDomain | None) -> Column:
    return Column(name, time.result_type if time else TIMESTAMP)


def intervals(timeline: Timeline, schema: Schema, time: TimeDomain | None) -> Result:
    """The canonical form: every row with the interval during which it is valid."""
    bounds = (_time_column("valid_from", time), _time_column("valid_to", time))
    rows = [
        (*e.values, _value(time, start.t), _value(time, end.t))
        for e, (start, end) in timeline.canonical()
    ]
    return Result.of((*schema, *bounds), rows)


def changes(timeline: Timeline, schema: Schema, time: TimeDomain | None) -> Result:
    """A row per change: `+` when a tuple becomes valid, `-` when it ceases to be."""
    found = []
    for e, (start, end) in timeline.canonical():
        found.append((start.t, "+", e.values))
        if end.t != INFINITY:
            found.append((end.t, "-", e.values))
    # What ends makes room before what starts at the same time.
    found.sort(key=lambda c: (c[0], c[1] == "+", [order_key(value) for value in c[2]]))
    rows = [(*values, sign, _value(time, t)) for t, sign, values in found]
    return Result.of((*schema, Column("change", STRING), _time_column("at", time)), rows)


def inserts(timeline: Timeline, schema: Schema, time: TimeDomain | None) -> Result:
    """A row per tuple that becomes valid; what is valid from the beginning is no insertion."""
    rows = [
        (*e.values, _value(time, start.t))
        for e, (start, _) in timeline.canonical()
        if start.t != MINUS_INFINITY
    ]
    return Result.of((*schema, _time_column("at", time)), rows)


DELIVERIES = {"INTERVALS": intervals, "CHANGES": changes, "INSERTS": inserts}
