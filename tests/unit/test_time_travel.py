"""SNAPSHOT OF and DURING, as users write them."""

from __future__ import annotations

import pytest

from continua import Query, Session
from continua.runtime.result import Result


@pytest.fixture
def session() -> Session:
    session = Session(engine="reference")
    session.sql("""
        CREATE STREAM s (a INT, t INT) SOURCE rows((1, 1), (2, 3), (3, 6), (1, 8)) ORDERED BY t;
        CREATE STREAM e (a INT, at TIMESTAMP)
        SOURCE rows((1, '2026-01-01'), (2, '2026-01-02')) ORDERED BY at;
        CREATE STREAM none (a INT, t INT) ORDERED BY t;
        CREATE TABLE k (a INT); INSERT INTO k VALUES (3);
        CREATE TABLE v (a INT, since INT, til INT)
        SOURCE rows((1, NULL, 4), (2, 4, 9), (3, 9, NULL)) VALID FROM since TO til
    """)
    return session


def rows(session: Session, text: str) -> list[tuple[object, ...]]:
    found = session.sql(text)
    assert isinstance(found, Result)
    return list(found)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT a FROM s [RANGE 4] AT 3", [(1,), (2,)]),
        ("SELECT a FROM s [RANGE 4] AT 1", [(1,)]),
        ("SELECT a FROM s [RANGE 4] AT 8", [(1,), (3,)]),
        # The progress, by default.
        ("SELECT a FROM s [RANGE 4]", [(1,), (3,)]),
        ("(SELECT a FROM s [RANGE 4]) AT 4", [(1,), (2,)]),
        ("SELECT COUNT(*) FROM s [RANGE 4] AT 6", [(2,)]),
        ("SELECT a FROM s AT 5", []),
        ("SELECT a FROM s [RANGE 4] ORDER BY a DESC AT 3", [(2,), (1,)]),
        ("ISTREAM (SELECT a FROM s [RANGE 4]) AT 3", [(2,)]),
        ("WITH x AS (SELECT a FROM s [RANGE 4]) SELECT a FROM x AT 4", [(1,), (2,)]),
        ("SELECT a FROM s [RANGE 9] DURING [1, 7) AT 6", [(1,), (2,), (3,)]),
        ("SELECT a FROM s [RANGE 9] DURING [1, 7) AT 7", []),
        # Of tables alone the history is what they say; what is static is always the same.
        ("SELECT a FROM v AT 0", [(1,)]),
        ("SELECT a FROM v AT 100", [(3,)]),
        ("SELECT a FROM v", [(3,)]),
        ("SELECT a FROM k AT 5", [(3,)]),
        ("SELECT a FROM k", [(3,)]),
        ("SELECT a FROM none", []),
        # A column may be called as the word is.
        ("SELECT a, at FROM e [RANGE 2 DAYS] WHERE at < '2026-01-02' ORDER BY at AT '2026-01-02'", 1),
        ("SELECT a at FROM e AT DATE '2026-01-01'", [(1,)]),
        ("SELECT a AS at FROM e", [(2,)]),
        ("SELECT a FROM e AT TIMESTAMP '2026-01-02 00:00:00'", [(2,)]),
    ],
)  # fmt: skip
def test_snapshots(session: Session, text: str, expected: object) -> None:
    found = rows(session, f"SNAPSHOT OF {text}")
    assert (len(found) if isinstance(expected, int) else found) == expected


def test_a_snapshot_has_no_columns_of_time(session: Session) -> None:
    found = session.sql("SNAPSHOT OF SELECT a FROM s AT 1")
    assert isinstance(found, Result)
    assert found.columns == ("a",)


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        ("SELECT a FROM s DURING [3, 8)", "stream", [(2, 3), (3, 6)]),
        ("SELECT a FROM s [RANGE 4] DURING [3, 6)", "relation", [(1, 3, 5), (2, 3, 6)]),
        ("SELECT a FROM s [UNBOUNDED] DURING [7, 8)", "relation", [(a, 7, 8) for a in (1, 2, 3)]),
        # The result is clipped: what came before the range is in the counts.
        ("SELECT COUNT(*) AS n FROM s [RANGE 4] DURING [3, 6)", "relation", [(2, 3, 5), (1, 5, 6)]),
        ("SELECT COUNT(*) AS n FROM (SELECT a FROM s DURING [3, 8)) [RANGE 4]", "relation",
         [(1, 3, 6), (2, 6, 7), (1, 7, 10)]),
        ("ISTREAM (SELECT a FROM s [RANGE 4]) DURING [3, 7)", "stream", [(2, 3), (3, 6)]),
        ("ISTREAM (SELECT a FROM s [RANGE 4] DURING [3, 7))", "stream", [(1, 3), (2, 3), (3, 6)]),
        ("SELECT a FROM s [RANGE 9] WHERE a IN (SELECT a FROM s [RANGE 9] DURING [3, 4))",
         "relation", [(1, 3, 4), (2, 3, 4)]),
        ("SELECT a, (SELECT COUNT(*) FROM s [RANGE 9] DURING [3, 8)) AS n FROM s", "stream",
         [(1, None, 1), (2, 2, 3), (3, 3, 6), (1, None, 8)]),
        ("SELECT a FROM s [RANGE 2] UNION ALL SELECT a FROM k DURING [3, 7)", "relation",
         [(2, 3, 5), (3, 3, 7), (3, 6, 7)]),
        ("SELECT a FROM v DURING [3, 5)", "relation", [(1, 3, 4), (2, 4, 5)]),
        ("SELECT a FROM s [RANGE 4] ORDER BY a DESC DURING [3, 5)", "relation",
         [(2, 3, 5), (1, 3, 5)]),
        ("SELECT a FROM e DURING ['2026-01-02', DATE '2026-01-03')", "stream", None),
    ],
)  # fmt: skip
def test_during(
    session: Session, text: str, kind: str, expected: list[tuple[object, ...]] | None
) -> None:
    query = session.sql(text)
    assert isinstance(query, Query)
    assert query.kind == kind
    found = list(query.history())
    assert len(found) == 1 if expected is None else found == expected


def test_a_derived_stream_may_be_a_part_of_the_history(session: Session) -> None:
    session.sql("CREATE STREAM part AS SELECT a FROM s [RANGE 4] DURING [3, 6)")
    query = session.query("SELECT a FROM part")
    assert list(query.history()) == [(1, 3, 5), (2, 3, 6)]
    assert "during [3, 6)" in query.explain()


def test_times_are_shown_as_they_are_written(session: Session) -> None:
    explained = session.query("SELECT a FROM e DURING ['2026-01-01', '2026-01-02')").explain()
    assert "during [2026-01-01 00:00:00, 2026-01-02 00:00:00)" in explained


@pytest.mark.parametrize("d", [1, 3, 100])
def test_newer_than_d_is_a_range_of_d(session: Session, d: int) -> None:
    newer = f"SELECT COUNT(*) AS n FROM s [UNBOUNDED] WHERE t > NOW() - {d}"
    assert (
        session.query(newer).timeline()
        == session.query(f"SELECT COUNT(*) AS n FROM s [RANGE {d}]").timeline()
    )


@pytest.mark.parametrize(
    ("condition", "same"),
    [
        ("NOW() < t + 4", "t > NOW() - 4"),
        ("NOW() - 4 < t", "t > NOW() - 4"),
        ("-4 + NOW() < t", "t > NOW() - 4"),
        ("(t > ((NOW() - 5)) + 1)", "t > NOW() - 4"),
        ("NOW() - 2 * 2 < t", "t > NOW() - 4"),
        ("t BETWEEN NOW() - 3 AND NOW()", "t >= NOW() - 3 AND t <= NOW()"),
        ("NOW() BETWEEN t AND t + 3", "t >= NOW() - 3 AND t <= NOW()"),
        ("t BETWEEN NOW() - 3 AND 5", "t <= 5 AND t >= NOW() - 3"),
        ("CURRENT_TIMESTAMP - 1 = t", "t + 1 = now()"),
    ],
)
def test_ways_to_compare(session: Session, condition: str, same: str) -> None:
    texts = [f"SELECT a FROM s [UNBOUNDED] WHERE {text}" for text in (condition, same)]
    found, expected = (session.query(text).timeline() for text in texts)
    assert found == expected


def test_now_of_batches_is_their_time() -> None:
    session = Session(engine="reference")
    session.sql("""
        CREATE STREAM s (a INT, t INT) SOURCE rows((1, 1), (2, 1), (3, 4)) ORDERED BY t
        SIMULTANEITY TUPLE""")
    query = session.query("SELECT a, NOW() AS n FROM s WHERE a > NOW() - 3")
    assert [row[:2] for row in query.history()] == [(1, 1), (2, 1), (3, 4)]
    last = session.query("SELECT a FROM s [ROWS 1] WHERE NOW() < a + 3")
    assert list(last.history()) == [(1, 1, 0, 1, 1), (2, 1, 1, 4, 0), (3, 4, 0, 6, 0)]
    found = session.sql("SNAPSHOT OF SELECT a FROM s [ROWS 1] AT 1")
    assert isinstance(found, Result)
    assert list(found) == [(2,)]


def test_a_function_of_that_name_is_the_users(session: Session) -> None:
    session.udf("now", lambda: 7, "INT")
    assert list(session.query("SELECT now() AS n FROM s [RANGE 1]").snapshot(at=1)) == [(7,)]
