"""Times within the years that a value can have, 1 to 9999; Spark's own go on beyond them.

A time that is not inside is moved out of the numbers of 64 bits, which Spark takes for an
overflow. That takes four additions, and names the time once.
"""

from __future__ import annotations

from datetime import datetime

from continua.model.schema import to_micros

FIRST, LAST = to_micros(datetime.min), to_micros(datetime.max)
"""The least and the greatest time in microseconds."""

_LEAST, _GREATEST = -(2**63), 2**63 - 1


def within(t: str, first: int, last: int, safe: bool = False) -> str:
    """SQL: a BIGINT that lies between two; what does not is an overflow, or NULL if `safe`."""
    for limit in (_GREATEST - last, _LEAST - first):
        if limit > 0:
            t = _minus(_plus(t, limit, safe), limit, safe)
        elif limit < 0:
            t = _plus(_minus(t, -limit, safe), -limit, safe)
    return t


def within_years(timestamp: str, safe: bool = False) -> str:
    """SQL: a TIMESTAMP of the years 1 to 9999; any other is an overflow, or NULL if `safe`."""
    return f"timestamp_micros({within(f'unix_micros({timestamp})', FIRST, LAST, safe)})"


def _plus(t: str, n: int, safe: bool) -> str:
    return f"try_add({t}, {n}L)" if safe else f"({t} + {n}L)"


def _minus(t: str, n: int, safe: bool) -> str:
    return f"try_subtract({t}, {n}L)" if safe else f"({t} - {n}L)"


def steps(fragment: str) -> bool:
    """Whether a fragment of SQL that overflowed moves a time to see whether it is inside."""
    return fragment.rstrip(")").endswith((f" {_GREATEST - LAST}L", f" {FIRST - _LEAST}L"))
