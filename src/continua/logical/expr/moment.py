"""Times that users write down, in the units of a stream's time."""

from __future__ import annotations

from datetime import datetime

from continua.errors import ContinuaError, Span
from continua.logical.expr.cast import ValueProblem, accept
from continua.model.schema import TimeDomain, to_micros


def moment(value: object, time: TimeDomain, span: Span | None = None) -> int:
    """The time that a number, a text or a datetime stands for."""
    try:
        found = accept(value, time.result_type)
    except ValueProblem:
        found = None
    if isinstance(found, datetime):
        return to_micros(found)
    if isinstance(found, int):
        return found
    wanted = "an integer" if time.integral else "a timestamp"
    shown = "NULL" if value is None else repr(value)
    message = f"the time of this query is {wanted}, not {shown}"
    hint = f"as in {'3' if time.integral else repr('2026-01-01 12:00')}"
    raise ContinuaError("TYPE_MISMATCH", message, span, hint=hint)
