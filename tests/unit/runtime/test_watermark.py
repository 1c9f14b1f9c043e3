"""How far time has come, and which segments are written anew."""

from __future__ import annotations

import pytest

from continua import Session
from continua.model.catalog import Relation
from continua.physical.instant import BEGINNING, FOREVER
from continua.runtime.live import segments
from continua.runtime.live.segments import Segment, Stored, by_age, with_segments
from continua.runtime.live.watermark import watermark


def stream(name: str, slack: int = 0) -> Relation:
    session = Session(engine="reference")
    session.sql(f"CREATE STREAM {name} (v INT, t BIGINT) ORDERED BY t SLACK {slack}")
    found = session._workspace.catalog.find(name)
    assert isinstance(found, Relation)
    return found


R, Q = stream("r"), stream("q", slack=5)


@pytest.mark.parametrize(
    ("seen", "idle", "expected"),
    [
        ({}, [], FOREVER),
        ({R: 9}, [], 9),
        ({R: 9, Q: 20}, [], 9),
        ({R: 30, Q: 20}, [], 15),
        ({R: 9, Q: 20}, [R], 15),
        ({R: 9, Q: 20}, [R, Q], 15),
        ({R: BEGINNING, Q: 20}, [], BEGINNING),
        ({R: BEGINNING, Q: 20}, [R], 15),
        ({Q: BEGINNING + 2}, [], BEGINNING + 1),
        ({Q: FOREVER}, [], FOREVER),
    ],
)
def test_the_slowest_stream_counts(
    seen: dict[Relation, int], idle: list[Relation], expected: int
) -> None:
    assert watermark(seen, idle) == expected


def stored(*rows: int) -> Stored:
    found = tuple(Segment(slab, n, 8 * n) for slab, n in enumerate(rows, 1))
    return Stored(("c0", "end"), found)


@pytest.mark.parametrize(
    ("rows", "older"),
    [
        ((), 0),
        ((3,), 0),
        ((11,), 1),
        ((11, 3), 1),
        ((30, 12, 8), 2),
        ((30, 8, 12), 3),
        ((12, 8, 8), 0),
        ((100, 40, 17, 9, 9), 2),
    ],
)
def test_small_segments_are_written_anew(
    monkeypatch: pytest.MonkeyPatch, rows: tuple[int, ...], older: int
) -> None:
    monkeypatch.setattr(segments, "MOST_ROWS_REWRITTEN", 10)
    whole = stored(*rows)
    stays, young = by_age(whole)
    assert len(stays.segments) == older
    assert (*stays.segments, *young.segments) == whole.segments
    assert with_segments(stays, young) == (whole if rows else None)
