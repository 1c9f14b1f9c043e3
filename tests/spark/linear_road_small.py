"""A small day on the expressway of Linear Road, and what must be sent on it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pyarrow as pa
from linear_road_by_hand import Road, Sent
from statements import declare
from traffic import Traffic

from continua import Session

CROWDED = 4
DURATION = 900

QUERIES = {
    "tolls": "SELECT vid, t, dir, seg, lav, toll FROM toll_notifications",
    "alerts": "SELECT vid, t, dir, seg, accident FROM accident_alerts",
    "balances": "SELECT vid, t, qid, balance FROM answers",
}


@cache
def reports() -> pa.Table:
    small = Traffic(
        vehicles=40,
        duration=DURATION,
        segments=8,
        roomy=6,
        accident_every=240,
        accident_lasts=240,
        asking=10,
        seed=5,
    )
    return small.table()


@cache
def sent() -> Sent:
    return Road(reports().to_pylist(), CROWDED).sent()


def declared(session: Session, folder: Path) -> Session:
    """A session with the queries over reports in a folder."""
    declare(session, folder, CROWDED)
    return session


def ordered(rows: Iterable[Iterable[object]]) -> list[tuple[object, ...]]:
    """Rows without the time at which they were sent, which is one of their columns too."""
    return sorted((tuple(row)[:-1] for row in rows), key=str)


def wanted(name: str) -> list[tuple[object, ...]]:
    return sorted(getattr(sent(), name), key=str)
