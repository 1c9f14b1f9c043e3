"""SNAPSHOT OF, DURING and NOW() on Spark, over history and live."""

from __future__ import annotations

from pathlib import Path

import pytest

from continua import ContinuaError, Session
from continua.runtime.result import Result

pytestmark = pytest.mark.spark

STREAM = "CREATE STREAM s (a INT, ts TIMESTAMP) SOURCE rows({}) ORDERED BY ts"
ROWS = ", ".join(f"({a}, '2026-01-01 00:00:{second:02}')" for a, second in [(1, 1), (2, 3), (3, 6)])


def snapshot(session: Session, text: str) -> list[tuple[object, ...]]:
    found = session.sql(f"SNAPSHOT OF {text}")
    assert isinstance(found, Result)
    return list(found)


def test_over_history() -> None:
    spark, reference = Session(), Session(engine="reference")
    for session in (spark, reference):
        session.sql(STREAM.format(ROWS))
    texts = [
        "SELECT a, NOW() - INTERVAL '1' SECOND AS before FROM s WHERE NOW() > '2026-01-01 00:00:02'",
        "SELECT a FROM s [UNBOUNDED] WHERE ts > NOW() - INTERVAL '4' SECONDS",
        "SELECT a FROM s [RANGE 5 SECONDS] "
        "DURING ['2026-01-01 00:00:02', '2026-01-01 00:00:04.500')",
        "SELECT COUNT(*) AS n FROM s [UNBOUNDED] WHERE NOW() BETWEEN ts + INTERVAL '1' SECOND "
        "AND ts + INTERVAL '3' SECOND DURING ['2026-01-01 00:00:02', '2026-01-02')",
    ]
    for text in texts:
        assert list(spark.query(text).history()) == list(reference.query(text).history())
        for at in ("", " AT '2026-01-01 00:00:04'"):
            assert snapshot(spark, text + at) == snapshot(reference, text + at)
    with pytest.raises(ContinuaError) as caught:
        snapshot(spark, "SELECT a FROM s AT '2026-01-01 00:00:07'")
    assert "has not been reached: the progress is 2026-01-01 00:00:06" in caught.value.message


def test_while_queries_run_the_progress_is_theirs(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    session = Session(live=True)
    session.sql(f"""
        CREATE STREAM s (a INT, t INT) SOURCE csv('{folder}') ORDERED BY t SLACK 3;
        CREATE STREAM other (a INT, t INT) SOURCE rows((1, 1), (2, 20)) ORDERED BY t""")
    session.foreach_slab(session.query("SELECT a FROM s"), lambda slab, rows: None)
    (folder / "1.csv").write_text("a,t\n1,1\n2,5\n3,9\n")
    running = session.start(tmp_path / "checkpoint", once=True)
    try:
        assert running.wait()
        # What is before 6 is final.
        assert snapshot(session, "SELECT a FROM s [RANGE 10]") == [(1,), (2,)]
        assert snapshot(session, "SELECT a FROM s [RANGE 10] AT 4") == [(1,)]
        assert snapshot(session, "SELECT a FROM other") == [(2,)]
        (found,) = session.tell("SNAPSHOT OF SELECT COUNT(*) FROM s [RANGE 10]")
        assert list(found) == [(2,)]
        with pytest.raises(ContinuaError) as caught:
            snapshot(session, "SELECT a FROM s AT 6")
        assert "6 has not been reached: the progress is 5" in caught.value.message
    finally:
        running.stop()
