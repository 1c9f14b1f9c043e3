"""Observers are told of every slab, and cannot stop or change what runs."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

import pytest

from continua import ContinuaError, Progress, Session
from continua.runtime.live.running import Running

pytestmark = pytest.mark.spark

Observer = Callable[[Progress], object]


@pytest.fixture
def start(live: Callable[[], Session], tmp_path: Path) -> Callable[..., Running]:
    (tmp_path / "r").mkdir()

    def started(*observers: Observer) -> Running:
        session = live()
        session.sql(f"""
            CREATE STREAM r (v INT, t BIGINT) SOURCE json('{tmp_path}/r') ORDERED BY t;
            CREATE SINK s USING json OPTIONS (path '{tmp_path}/s') AS CHANGES;
            INSERT INTO s SELECT v FROM r WINDOW(RANGE 2)
        """)
        return session.start(tmp_path / "checkpoint", once=True, observers=observers)

    return started


def drop(folder: Path, name: str, *times: int) -> None:
    lines = [f'{{"v": {t}, "t": {t}}}\n' for t in times]
    (folder / "partial").write_text("".join(lines))
    (folder / "partial").rename(folder / "r" / f"{name}.json")


def take_all(running: Running, folder: Path) -> None:
    """Three batches, of which each becomes a slab, and the end."""
    for number, times in enumerate([(1, 2), (3, 7), (9,)]):
        drop(folder, str(number), *times)
        running.run(once=True)
        running.wait()
    running.finish()
    running.stop()


def test_all_slabs_are_told_in_their_order(start: Callable[..., Running], tmp_path: Path) -> None:
    told: list[Progress] = []
    take_all(start(told.append), tmp_path)
    assert [progress.slab for progress in told] == [1, 2, 3, 4, 5]
    assert [p.sources["r"].rows for p in told[1:]] == [2, 4, 5, 5]
    assert [progress.watermark for progress in told[1:4]] == [2, 7, 9]
    assert [sum(progress.rows_out.values()) for progress in told] == [0, 1, 5, 1, 3]


def test_an_observer_that_fails_is_passed_over(
    start: Callable[..., Running], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    told: list[Progress] = []

    def fails(progress: Progress) -> None:
        raise ZeroDivisionError("of mine")

    with caplog.at_level(logging.WARNING, "continua"):
        take_all(start(fails, told.append), tmp_path)
    assert len(told) == 5, "the other is told all the same"
    assert "an observer of slab 2 raised ZeroDivisionError: of mine" in caplog.text


def test_an_observer_cannot_change_what_runs(start: Callable[..., Running], tmp_path: Path) -> None:
    refused: list[str] = []

    def meddles(progress: Progress) -> None:
        if progress.slab > 1:
            with pytest.raises(ContinuaError, match="cannot change or stop what runs") as caught:
                running.stop()
            with pytest.raises(ContinuaError, match="cannot change or stop what runs"):
                running.wait()
            refused.append(caught.value.code)

    running = start(meddles)
    take_all(running, tmp_path)
    assert refused == ["WRONG_ARGUMENTS"] * 4
    assert running.status == "ended"


def test_what_is_no_function_is_refused(start: Callable[..., Running]) -> None:
    with pytest.raises(ContinuaError, match="an observer: 3 cannot be called"):
        start(3)
