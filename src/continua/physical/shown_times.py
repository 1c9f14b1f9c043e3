"""Times as users see them, in results and in the columns of windows."""

from __future__ import annotations

from continua.model.schema import TimeDomain
from continua.physical.instant import Instant, time
from continua.physical.validity import END


def bound(domain: TimeDomain, at: Instant, infinity: int) -> str:
    """SQL: a bound of an interval as users see it; NULL if it is infinite, or an end after the
    greatest time that can be seen."""
    finite = f"nullif({at.t}, {time(infinity)})"
    if not domain.integral and at == END:
        finite = f"IF({at.t} > {domain.last}L, NULL, {at.t})"
    return moment(domain, finite)


def seen(domain: TimeDomain | None, start: Instant) -> str | None:
    """SQL: whether what starts or changes then is seen: not after the greatest time."""
    return None if domain is None or domain.integral else f"{start.t} <= {domain.last}L"


def moment(domain: TimeDomain, t: str) -> str:
    """SQL: a time as users see it, in the units of the time attribute."""
    return t if domain.integral else f"timestamp_micros({t})"
