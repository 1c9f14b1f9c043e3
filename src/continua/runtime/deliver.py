"""The three forms in which a result is handed out: intervals, changes, insertions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from continua.errors import ContinuaError, Span, did_you_mean
from continua.logical.node import Node
from continua.logical.window import CopyingWindow, Window
from continua.model.instant import Time
from continua.model.schema import Column, Schema, TimeDomain
from continua.model.types import STRING, TIMESTAMP
from continua.model.values import order_key
from continua.runtime.evaluation import Valid
from continua.runtime.result import Result


def _value(time: TimeDomain | None, t: Time) -> object:
    return time.value(t) if time else None


def _seen(rows: Sequence[Valid], time: TimeDomain | None) -> Iterator[Valid]:
    """The rows, without those that start after the greatest time that can be seen."""
    return (row for row in rows if time is None or time.seen(row.start))


def _end(time: TimeDomain | None, t: Time) -> object:
    return time.end(t) if time else None


def _time_column(name: str, time: TimeDomain | None) -> Column:
    return Column(name, time.result_type if time else TIMESTAMP)


def with_bounds(schema: Schema, time: TimeDomain | None) -> Schema:
    """The columns of a result with intervals."""
    return schema + Schema((_time_column("valid_from", time), _time_column("valid_to", time)))


def intervals(rows: Sequence[Valid], schema: Schema, time: TimeDomain | None) -> Result:
    """The canonical form: every row with the interval during which it is valid."""
    found = [
        (*values, _value(time, start), _end(time, end)) for values, start, end in _seen(rows, time)
    ]
    return Result(with_bounds(schema, time), tuple(found))


def changes(rows: Sequence[Valid], schema: Schema, time: TimeDomain | None) -> Result:
    """A row per change: `+` when a tuple becomes valid, `-` when it ceases to be."""
    found: list[tuple[Time, str, tuple[object, ...]]] = []
    for values, start, end in _seen(rows, time):
        found.append((start, "+", values))
        if _end(time, end) is not None:
            found.append((end, "-", values))
    # At one time, `-` comes before `+`.
    found.sort(key=lambda c: (c[0], c[1] == "+", [order_key(value) for value in c[2]]))
    listed = [(*values, sign, _value(time, t)) for t, sign, values in found]
    return Result.of((*schema, Column("change", STRING), _time_column("at", time)), listed)


def inserts(rows: Sequence[Valid], schema: Schema, time: TimeDomain | None) -> Result:
    """A row per element of a stream."""
    listed = [(*values, _value(time, start)) for values, start, _ in _seen(rows, time)]
    return Result.of((*schema, _time_column("at", time)), listed)


def shown(rows: Sequence[Valid], plan: Node) -> Result:
    """A result as users see it: the elements of a stream, a relation with intervals."""
    form = inserts if plan.chronon else intervals
    return form(rows, plan.schema, plan.time)


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
    return DELIVERIES[delivery]((), plan.schema, plan.time).columns


def check_delivery(delivery: str, plan: Node, span: Span | None = None) -> None:
    """Raises unless there is such a form of delivery, and for such a plan."""
    if delivery not in DELIVERIES:
        hint = did_you_mean(str(delivery), DELIVERIES, f"it is one of {', '.join(DELIVERIES)}")
        raise ContinuaError("WRONG_ARGUMENTS", f"there is no delivery {delivery}", hint=hint)
    if delivery == "CHANGES" and plan.chronon:
        message = "CHANGES are those of a relation, and the result of this query is a stream"
        hint = "INSERTS hands on its elements"
        raise ContinuaError("WRONG_ARGUMENTS", message, span, hint=hint)
