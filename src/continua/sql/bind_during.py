"""Binds DURING: a query as it was during a range of time."""

from __future__ import annotations

from continua.errors import ContinuaError
from continua.logical.during import During
from continua.logical.expr.moment import moment
from continua.logical.node import Node
from continua.sql import clauses as c


def bind_during(plan: Node, clause: c.During) -> Node:
    """The plan of a query, clipped to the range."""
    time = plan.time
    if time is None:
        message = "DURING needs something that varies in time, and this is static"
        raise ContinuaError("NOT_A_STREAM", message, clause.span)
    since, until = (moment(m.value, time, m.span) for m in (clause.since, clause.until))
    if since >= until:
        what = "is empty" if since == until else "ends before it begins"
        hint = "DURING [t1, t2) is from t1 on, until just before t2"
        raise ContinuaError("WRONG_WINDOW", f"the range {what}", clause.span, hint=hint)
    return During(plan, since, until, span=clause.span)
