"""Binds the clauses on a stream reference: places windows in the plan (TODS §5.1, §8.2.2)."""

from __future__ import annotations

from collections.abc import Sequence

from continua.errors import ContinuaError, Span, did_you_mean
from continua.logical.batch_window import BatchWindow
from continua.logical.delayed import Delayed
from continua.logical.fixed_window import FixedWindow
from continua.logical.hop_window import HopWindow
from continua.logical.node import Node
from continua.logical.now_window import NowWindow
from continua.logical.range_window import RangeWindow
from continua.logical.row_window import RowWindow
from continua.logical.sequence_window import Linear, SequenceWindow
from continua.logical.session_window import SessionWindow
from continua.logical.split import Split
from continua.logical.streamer import PeriodicStreamer, Streamer
from continua.model.schema import TimeDomain
from continua.sql import clauses as c
from continua.sql.tokens import Name

LONGEST = 2**63 - 1
"""The greatest length of a window, in units of time."""

MOST_COPIES = 100_000
"""Windows of one HOP that a tuple may be in: a day of seconds is fewer."""

_TOO_LONG = f"a duration has at most {LONGEST} units of time"


def bind_clause(plan: Node, clause: c.Clause, what: str) -> Node:
    """A clause on a stream: its operator becomes the topmost of the stream's plan."""
    if isinstance(clause, c.Streamer):
        if plan.time is None:
            message = f"{clause.kind} needs something that varies in time, and this is static"
            raise ContinuaError("NOT_A_STREAM", message, clause.span)
        if clause.every is not None:
            return PeriodicStreamer(plan, clause.every.positive(plan.time), span=clause.span)
        return Streamer(plan, clause.kind, clause.mode, span=clause.span)
    if not plan.streaming or plan.time is None:
        raise ContinuaError(
            "NOT_A_STREAM",
            f"a window stands on a stream, and {what} is a table",
            clause.span,
            hint="leave the window out: a table is valid by itself",
        )
    if isinstance(clause, c.Now) and plan.chronon:
        return NowWindow(plan, span=clause.span)
    return _bind_window(_chronons(plan, clause.span, what), plan.time, clause)


def _chronons(plan: Node, span: Span, what: str) -> Node:
    """The stream as a chronon stream: as it is, or split at its granule."""
    if plan.chronon:
        return plan
    assert plan.time is not None
    if plan.time.granule is None:
        raise ContinuaError(
            "NO_GRANULE",
            f"{what} is not a stream of instants: a window over it would repeat its tuples every "
            "microsecond",
            span,
            hint="declare GRANULE (as in GRANULE 1 SECOND) on its streams, or window ISTREAM of it",
        )
    return Split(plan, plan.time.granule, span=span)


def _bind_window(plan: Node, time: TimeDomain, clause: c.Clause) -> Node:
    span = clause.span
    match clause:
        case c.Now():
            return RangeWindow(plan, 1, span=span)
        case c.Range(size, slide, partition):
            _positions(plan, partition)  # a range is the same in every partition
            width = _length(size, time) if size else None
            step = _length(slide, time) if slide else None
            _check_sum(width or 0, step or 0, span)
            return RangeWindow(plan, width, step, span=span)
        case c.Fixed(size):
            return FixedWindow(plan, _length(size, time), span=span)
        case c.Rows(rows, slide, partition):
            by = _positions(plan, partition)
            if not isinstance(slide, c.Duration):
                return RowWindow(plan, rows, slide, by, span=span)
            return RowWindow(
                Delayed(plan, _length(slide, time), span=span), rows, None, by, span=span
            )
        case c.Batch():
            return BatchWindow(plan, span=span)
        case c.Sequence(lower, upper, every):
            rate = _bound(every, time, span)
            return SequenceWindow(
                plan,
                _bound(lower, time, span),
                _bound(upper, time, span),
                rate.offset,
                rate.in_rows,
                span=span,
            )
        case c.Hop(slide, size, offset):
            width = _length(size, time)
            step = _length(slide, time) if slide else width
            if width > step * MOST_COPIES:
                message = f"every tuple would be in {-(-width // step)} windows"
                hint = f"a size is at most {MOST_COPIES} times the slide; RANGE copies nothing"
                raise ContinuaError("WRONG_WINDOW", message, span, hint=hint)
            _check_sum(width, step, span)
            moved = offset.units(time) if offset else 0
            return HopWindow(plan, step, width, moved % step, span=span)
        case c.Session(gap, key):
            return SessionWindow(plan, _length(gap, time), _positions(plan, key), span=span)
    raise AssertionError(clause)


def _length(duration: c.Duration, time: TimeDomain) -> int:
    """A duration in units of time, of which there are no more than times."""
    units = duration.positive(time)
    if units > LONGEST:
        hint = "RANGE UNBOUNDED never ends"
        raise ContinuaError("WRONG_WINDOW", _TOO_LONG, duration.span, hint=hint)
    return units


def _check_sum(size: int, slide: int, span: Span) -> None:
    """The last window that a tuple is in ends up to a slide after its size."""
    if size + slide > LONGEST:
        message = f"size and slide together: {_TOO_LONG}"
        raise ContinuaError("WRONG_WINDOW", message, span, hint="RANGE UNBOUNDED never ends")


def _bound(bound: c.Bound, time: TimeDomain, span: Span) -> Linear:
    if bound.unit == "ROWS":
        return Linear(bound.slope, bound.offset, in_rows=True)
    if time.integral != (bound.unit in (None, "TIME")):
        hint = "bare numbers for integer time, a unit for timestamps, ROWS for positions"
        message = f"the bound {bound} does not fit the stream's time"
        raise ContinuaError("WRONG_WINDOW", message, span, hint=hint)
    scale = c.MICROS.get(bound.unit or "", 1)
    return Linear(bound.slope * scale, bound.offset * scale, in_rows=False)


def _positions(plan: Node, names: Sequence[Name]) -> tuple[int, ...]:
    return tuple(position_of(plan, name, "to partition by") for name in names)


def position_of(plan: Node, name: Name, purpose: str) -> int:
    """Where the column of a name stands in a plan's tuples."""
    known = [column.lower() for column in plan.schema.names]
    if name.text.lower() not in known:
        raise ContinuaError(
            "UNKNOWN_COLUMN",
            f"there is no column {name.text} {purpose}",
            name.span,
            hint=did_you_mean(name.text, plan.schema.names),
        )
    return known.index(name.text.lower())
