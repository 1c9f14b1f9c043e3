"""The three forms in which a result is handed out: intervals, changes, insertions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from continua.errors import ContinuaError, Span, did_you_mean
from continua.logical.node import Node
from continua.logical.window import CopyingWindow, Window
from continua.model.element import Values
from continua.model.instant import Instant
from continua.model.schema import Column, Schema
from continua.model.types import INT, STRING, TIMESTAMP
from continua.model.values import order_key
from continua.runtime.evaluation import Valid
from continua.runtime.result import Result


def _columns(plan: Node, **columns: str) -> tuple[Column, ...]:
    """The columns for instants: a time and, where it may have several, the number of a batch."""
    found: list[Column] = []
    for time, batch in columns.items():
        found.append(Column(time, plan.time.result_type if plan.time else TIMESTAMP))
        found += [Column(batch, INT)] * plan.batched
    return tuple(found)


def _at(plan: Node, at: Instant) -> Values:
    """The instant in these columns; None if it is an infinity."""
    return _shown(plan, plan.time.value(at.t) if plan.time else None, at)


def _until(plan: Node, end: Instant) -> Values:
    """The same of an end: what ends after the greatest time never does."""
    return _shown(plan, plan.time.end(end.t) if plan.time else None, end)


def _shown(plan: Node, time: object, at: Instant) -> Values:
    if not plan.batched:
        return (time,)
    return (time, None if time is None else at.i)


def _seen(rows: Sequence[Valid], plan: Node) -> Iterator[Valid]:
    """The rows, without those that start after the greatest time that can be seen."""
    return (row for row in rows if plan.time is None or plan.time.seen(row.start.t))


def intervals(rows: Sequence[Valid], plan: Node) -> Result:
    """The canonical form: every row with the interval during which it is valid."""
    bounds = _columns(plan, valid_from="batch_from", valid_to="batch_to")
    found = [
        (*values, *_at(plan, start), *_until(plan, end)) for values, start, end in _seen(rows, plan)
    ]
    return Result(plan.schema + Schema(bounds), tuple(found))


def changes(rows: Sequence[Valid], plan: Node) -> Result:
    """A row per change: `+` when a tuple becomes valid, `-` when it ceases to be."""
    found: list[tuple[Instant, str, Values]] = []
    for values, start, end in _seen(rows, plan):
        found.append((start, "+", values))
        if _until(plan, end)[0] is not None:
            found.append((end, "-", values))
    # What ends makes room before what starts at the same instant.
    found.sort(key=lambda c: (c[0], c[1] == "+", [order_key(value) for value in c[2]]))
    columns = (*plan.schema, Column("change", STRING), *_columns(plan, at="batch"))
    return Result.of(columns, [(*values, sign, *_at(plan, at)) for at, sign, values in found])


def inserts(rows: Sequence[Valid], plan: Node) -> Result:
    """A row per element of a stream."""
    columns = (*plan.schema, *_columns(plan, at="batch"))
    return Result.of(columns, [(*row.values, *_at(plan, row.start)) for row in _seen(rows, plan)])


def shown(rows: Sequence[Valid], plan: Node) -> Result:
    """A result as users see it: the elements of a stream, a relation with intervals."""
    return inserts(rows, plan) if plan.chronon else intervals(rows, plan)


def default_delivery(plan: Node) -> str:
    """What a sink gets that does not say what it wants (design §4).

    What is visible when a window is complete is inserted once, and does not change.
    """
    windows = [node for node in plan.walk() if isinstance(node, Window)]
    when_complete = windows and all(isinstance(window, CopyingWindow) for window in windows)
    return "INSERTS" if plan.chronon or when_complete else "INTERVALS"


DELIVERIES: Final = {"INTERVALS": intervals, "CHANGES": changes, "INSERTS": inserts}


def delivered_columns(plan: Node, delivery: str) -> tuple[str, ...]:
    """The names of the columns that a sink gets."""
    return DELIVERIES[delivery]((), plan).columns


def check_delivery(delivery: str, plan: Node, span: Span | None = None) -> None:
    """Raises unless there is such a form of delivery, and for such a plan."""
    if delivery not in DELIVERIES:
        hint = did_you_mean(str(delivery), DELIVERIES, f"it is one of {', '.join(DELIVERIES)}")
        raise ContinuaError("WRONG_ARGUMENTS", f"there is no delivery {delivery}", hint=hint)
    if delivery == "CHANGES" and plan.chronon:
        message = "CHANGES are those of a relation, and the result of this query is a stream"
        hint = "INSERTS hands on its elements"
        raise ContinuaError("WRONG_ARGUMENTS", message, span, hint=hint)
