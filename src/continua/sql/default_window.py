"""Streams without a window: NOW, or unbounded below operators that relate tuples to each other.

Filter, map and UNION ALL look at every tuple by itself, so over a stream they give a stream,
whatever the default. A join, an aggregate, DISTINCT, another set operation, top-k or a subquery in
an expression relates the tuples that are valid at an instant, and a comparison with NOW() the
instant to the tuples. There, users of RisingWave and Flink mean all tuples so far by the name of a
stream; `SET default_window = 'unbounded'` and a stream's DEFAULT WINDOW UNBOUNDED let them say so
(design §4).
"""

from __future__ import annotations

from dataclasses import replace

from continua.errors import ContinuaError, Span
from continua.logical.as_of_join import AsOfJoin
from continua.logical.during import During
from continua.logical.filter import Filter
from continua.logical.granulated import Granulated
from continua.logical.map import Map
from continua.logical.node import Node
from continua.logical.range_window import RangeWindow
from continua.logical.scan import Scan
from continua.logical.spread import Spread
from continua.logical.streamer import PeriodicStreamer, Streamer
from continua.logical.timed import Timed
from continua.logical.union import Union


def with_default_windows(plan: Node, unbounded: bool) -> Node:
    """An input of an operator that relates tuples, its streams without a window made unbounded.

    unbounded: whether all are; else only those that are declared so. They are found through the
    operators that look at every tuple by itself. Any other has been given its windows when it was
    made, and a window that is written ends the search.
    """
    match plan:
        case Scan() | Spread() if plan.chronon and _declared_unbounded(plan):
            return RangeWindow(plan, None, default_of="stream", span=plan.span)
        case Scan() | Streamer() | PeriodicStreamer() | Spread() | AsOfJoin() if (
            plan.chronon and unbounded
        ):
            return RangeWindow(plan, None, default_of="setting", span=plan.span)
        case Filter() | Map() | Granulated():
            return replace(plan, input=with_default_windows(plan.input, unbounded))
        case Union():
            left, right = (with_default_windows(side, unbounded) for side in plan.inputs)
            return replace(plan, left=left, right=right)
        case Timed() if with_default_windows(plan.input, unbounded) != plan.input:
            raise now_of_what_lasts(plan.span)
        case During():
            found = with_default_windows(plan.input, unbounded)
            return plan if found == plan.input else _during(plan, found)
    return plan


def _declared_unbounded(plan: Node) -> bool:
    """Whether it is a stream that is declared so, in whatever batches."""
    while isinstance(plan, Spread):
        plan = plan.streams[plan.output]
    return isinstance(plan, Scan) and plan.relation.unbounded_default


def now_of_what_lasts(span: Span | None) -> ContinuaError:
    """The error of NOW() where rows are valid for more than an instant."""
    message = "NOW() varies while a row is valid: here it can only be compared"
    hint = (
        "a condition by itself, as in WHERE ts > NOW() - INTERVAL '1' HOUR; over a stream without "
        "a window NOW() is the time of the element"
    )
    return ContinuaError("UNSUPPORTED", message, span, hint=hint)


def _during(plan: During, found: Node) -> Node:
    """A part of a history; default windows stand on what is in that part of their streams.

    found: what it is a part of, with its default windows.
    """
    match found:
        case RangeWindow() if found.default_of is not None:
            return replace(found, input=replace(plan, input=found.input))
        case Filter() | Map() | Granulated():
            return replace(found, input=_during(plan, found.input))
        case Union():
            left, right = (_during(plan, side) for side in found.inputs)
            return replace(found, left=left, right=right)
    return replace(plan, input=found)
