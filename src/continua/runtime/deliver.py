"""The three forms in which a result is handed out: intervals, changes, inserted rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from continua.errors import ContinuaError, did_you_mean
from continua.logical.node import Node
from continua.model.instant import MINUS_INFINITY, Time
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
    # What ends makes room before what starts at the same time.
    found.sort(key=lambda c: (c[0], c[1] == "+", [order_key(value) for value in c[2]]))
    listed = [(*values, sign, _value(time, t)) for t, sign, values in found]
    return Result.of((*schema, Column("change", STRING), _time_column("at", time)), listed)


def inserts(rows: Sequence[Valid], schema: Schema, time: TimeDomain | None) -> Result:
    """A row per tuple that becomes valid; what is valid from the beginning is no insertion."""
    found = [row for row in _seen(rows, time) if row.start != MINUS_INFINITY]
    # When a row ends does not matter: it is not said.
    found.sort(key=lambda row: (row.start, [order_key(value) for value in row.values]))
    listed = [(*values, _value(time, start)) for values, start, _ in found]
    return Result.of((*schema, _time_column("at", time)), listed)


def default_delivery(plan: Node) -> str:
    """What a sink gets that does not say what it wants (design §4)."""
    return "INSERTS" if plan.chronon else "INTERVALS"


DELIVERIES = {"INTERVALS": intervals, "CHANGES": changes, "INSERTS": inserts}


def delivered_columns(plan: Node, delivery: str) -> tuple[str, ...]:
    """The names of the columns that a sink gets."""
    return DELIVERIES[delivery]((), plan.schema, plan.time).columns


def check_delivery(delivery: str) -> None:
    """Raises unless there is such a form of delivery."""
    if delivery not in DELIVERIES:
        hint = did_you_mean(str(delivery), DELIVERIES, f"it is one of {', '.join(DELIVERIES)}")
        raise ContinuaError("WRONG_ARGUMENTS", f"there is no delivery {delivery}", hint=hint)
