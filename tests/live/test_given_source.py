"""The source of docs/sources.md, which a package of its own gives, in runs that stop and go on."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from installed import installed

from continua import ContinuaError, Session
from continua.runtime.live.running import Running

pytestmark = pytest.mark.spark

PACKAGE = Path(__file__).resolve().parents[2] / "docs" / "data" / "access_log"

QUERY = """
    SELECT path, COUNT(*) AS n, SUM(bytes) AS bytes FROM requests WINDOW(RANGE 10 SECONDS)
    GROUP BY path
"""


@pytest.fixture(autouse=True)
def _installed(tmp_path: Path) -> Iterator[None]:
    with installed(PACKAGE, tmp_path / "site"):
        yield


def declared(folder: Path, policy: str = "KEEP") -> str:
    return f"""
        CREATE STREAM requests (path STRING, bytes INT, time TIMESTAMP)
        SOURCE access_log('{folder}/logs', parameters => FALSE)
        ORDERED BY time ON ERROR {policy};
    """


@pytest.fixture
def start(live: Callable[[], Session], tmp_path: Path) -> Callable[[], Running]:
    (tmp_path / "logs").mkdir()

    def started() -> Running:
        session = live()
        session.sql(declared(tmp_path))
        session.sql(f"CREATE SINK k USING json OPTIONS (path '{tmp_path}/k') AS CHANGES")
        session.sql(f"INSERT INTO k {QUERY}")
        return session.start(tmp_path / "checkpoint", once=True)

    return started


def drop(folder: Path, name: str, *lines: str) -> None:
    text = "".join(f"{line}\n" for line in lines).encode()
    (folder / "partial").write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    (folder / "partial").rename(folder / "logs" / name)


def request(second: int, path: str, size: int) -> str:
    return f'h - - [02/Mar/2026:08:00:{second:02} +0000] "GET {path} HTTP/1.1" 200 {size}'


def changes(folder: Path) -> list[str]:
    return sorted(
        line for file in (folder / "k").glob("*.json") for line in file.read_text().splitlines()
    )


def test_live_is_history_once(
    start: Callable[[], Running], sessions: Callable[[], Session], tmp_path: Path
) -> None:
    drop(tmp_path, "1.log", request(1, "/a?x", 5), "who knows", request(4, "/b", 6))
    running = start()
    running.wait()
    running.stop()
    drop(tmp_path, "2.LOG.gz", request(4, "/a", 7), request(9, "/a", 8))
    drop(tmp_path, "3.txt", "no log")
    running = start()
    running.finish()
    bad = [tuple(row) for row in running.rejected("requests").collect()]
    counts = running.progress.sources["requests"]
    running.stop()
    assert bad == [("1.log:2", "not a line of an access log", "who knows")]
    assert (counts.rows, counts.late, counts.bad) == (4, 0, 1)
    session = sessions()
    session.sql(declared(tmp_path))
    session.sql(f"CREATE SINK h USING json OPTIONS (path '{tmp_path}/h.json') AS CHANGES")
    session.sql(f"INSERT INTO h {QUERY}")
    assert changes(tmp_path) == sorted((tmp_path / "h.json").read_text().splitlines())
    assert json.loads(changes(tmp_path)[0]).keys() == {"path", "n", "bytes", "change", "at"}


def test_positions_are_those_of_the_files(live: Callable[[], Session], tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    drop(tmp_path, "b.log", request(1, "/third", 1))
    drop(tmp_path, "a.log", request(1, "/first", 1), request(1, "/second", 1))
    session = live()
    session.sql(declared(tmp_path))
    session.sql(f"CREATE SINK k USING json OPTIONS (path '{tmp_path}/k') AS CHANGES")
    session.sql("INSERT INTO k SELECT path FROM requests WINDOW(ROWS 1)")
    running = session.start(tmp_path / "checkpoint", once=True)
    running.finish()
    running.stop()
    assert [json.loads(line)["path"] for line in changes(tmp_path)] == ["/third"]


def test_a_bad_record_stops_a_run_that_says_so(live: Callable[[], Session], tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    drop(tmp_path, "1.log", request(1, "/a", 5), "who knows")
    session = live()
    session.sql(declared(tmp_path, "FAIL"))
    session.sql(f"CREATE SINK k USING json OPTIONS (path '{tmp_path}/k')")
    session.sql(f"INSERT INTO k {QUERY}")
    running = session.start(tmp_path / "checkpoint", once=True)
    with pytest.raises(ContinuaError, match=r"1\.log, line 2: not a line of an access log"):
        running.wait()
    running.stop()
