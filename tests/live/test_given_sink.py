"""The sink of docs/sinks.md, which a package of its own gives, in runs that stop, break and go on."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from installed import installed

from continua import ContinuaError, Session
from continua.runtime.live.running import Running

pytestmark = pytest.mark.spark

PACKAGE = Path(__file__).resolve().parents[2] / "docs" / "data" / "sqlite_sink"


@pytest.fixture(autouse=True)
def _installed(tmp_path: Path) -> Iterator[None]:
    with installed(PACKAGE, tmp_path / "site"):
        yield


@pytest.fixture
def start(live: Callable[[], Session], tmp_path: Path) -> Callable[..., Running]:
    (tmp_path / "r").mkdir()

    def started(checkpoint: str = "checkpoint") -> Running:
        session = live()
        session.sql(f"""
            CREATE STREAM r (v INT, t BIGINT) SOURCE json('{tmp_path}/r') ORDERED BY t;
            CREATE SINK s USING sqlite OPTIONS (path '{tmp_path}/results.db');
            INSERT INTO s SELECT v FROM r
        """)
        return session.start(tmp_path / checkpoint, once=True)

    return started


def drop(folder: Path, name: str, *times: int) -> None:
    lines = [json.dumps({"v": t, "t": t}) + "\n" for t in times]
    (folder / "partial").write_text("".join(lines))
    (folder / "partial").rename(folder / "r" / f"{name}.json")


def stored(folder: Path) -> dict[int, list[int]]:
    """The times that are in the database, by slabs."""
    found: dict[int, list[int]] = {}
    with sqlite3.connect(folder / "results.db") as database:
        for slab, row in database.execute("SELECT slab, row FROM results WHERE query = 's'"):
            found.setdefault(slab, []).append(json.loads(row)["at"])
    return found


def test_every_result_is_there_once(start: Callable[..., Running], tmp_path: Path) -> None:
    drop(tmp_path, "1", 1, 5)
    running = start()
    running.wait()
    running.stop()
    before = stored(tmp_path)
    drop(tmp_path, "2", 6, 9)
    running = start()  # which publishes the last slab again
    running.wait()
    assert {slab: stored(tmp_path)[slab] for slab in before} == before
    running.finish()
    running.stop()
    assert sorted(t for times in stored(tmp_path).values() for t in times) == [1, 5, 6, 9]


def test_what_a_lost_slab_has_published_is_forgotten(
    start: Callable[..., Running], tmp_path: Path
) -> None:
    drop(tmp_path, "1", 1, 5)
    running = start()
    running.wait()
    running.heartbeat("r", 6)
    running.stop()
    (newest,) = max((tmp_path / "checkpoint" / "slabs").iterdir()).glob("*.parquet")
    newest.write_bytes(b"")
    assert len(stored(tmp_path)) == 2
    running = start()
    running.wait()
    assert len(stored(tmp_path)) == 1, "the heartbeat is lost with its slab"
    running.finish()
    running.stop()
    assert sorted(t for times in stored(tmp_path).values() for t in times) == [1, 5]


def test_another_run_is_refused(start: Callable[..., Running], tmp_path: Path) -> None:
    drop(tmp_path, "1", 1, 5)
    running = start()
    running.wait()
    running.stop()
    before = stored(tmp_path)
    with pytest.raises(ContinuaError, match=r"results\.db has results of another run") as caught:
        start("another")
    assert caught.value.span is not None
    assert stored(tmp_path) == before
