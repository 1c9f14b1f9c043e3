"""State without bound is found where an operator would keep everything, and only there."""

import pytest

import continua


@pytest.fixture
def session() -> continua.Session:
    session = continua.Session(engine="reference")
    session.sql("""
        CREATE STREAM s (k INT, v INT, t INT) ORDERED BY t;
        CREATE STREAM r (k INT, t INT) ORDERED BY t;
        CREATE TABLE d (k INT)
    """)
    return session


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM s [UNBOUNDED] JOIN r [RANGE 5] USING (k)",
        "SELECT * FROM r LEFT JOIN s WINDOW(RANGE UNBOUNDED) ON r.k = s.k",
        "SELECT DISTINCT k FROM s [UNBOUNDED]",
        "SELECT k FROM s [UNBOUNDED] EXCEPT ALL SELECT k FROM r",
        "SELECT MEDIAN(v) FROM s [UNBOUNDED]",
        "SELECT COUNT(DISTINCT v) FROM s [UNBOUNDED]",
        "SELECT * FROM s [UNBOUNDED] WHERE k IN (SELECT k FROM r [RANGE 5])",
        "SELECT * FROM (SELECT k + 1 AS k FROM s [UNBOUNDED] WHERE v > 1) JOIN r USING (k)",
        "SELECT DISTINCT k FROM s WINDOW(FROM 0 TO 10*j EVERY 10)",
        "SELECT k FROM (SELECT k FROM s [UNBOUNDED]) WINDOW(RANGE 5)",
        "SELECT DISTINCT k FROM s [UNBOUNDED] DURING [1, 9)",
        "SELECT DISTINCT k FROM s [UNBOUNDED] WHERE t < NOW() - 5",
    ],
)
def test_found(session: continua.Session, query: str) -> None:
    shown = session.sql(query).explain()
    assert "warning[UNBOUNDED_STATE]" in shown
    assert "^" in shown.splitlines()[-2]
    assert "hint: bound the window" in shown
    session.sql("SET unbounded_state = 'allow'")
    assert "UNBOUNDED_STATE" not in session.sql(query).explain()


def test_a_default_window_is_told_with_what_made_it(session: continua.Session) -> None:
    session.sql("SET default_window = 'unbounded'")
    *_, message, _, _, _, underlined, hint = (
        session.sql("SELECT * FROM s JOIN d USING (k) WHERE k IN (SELECT k FROM r [RANGE 5])")
        .explain()
        .split("\n")
    )
    assert message.endswith(
        "of s for ever: s has no window here, and default_window is 'unbounded'"
    )
    assert underlined.index("^") == len("1 | SELECT * FROM ")
    assert underlined.count("^") == 1
    assert "give s one (RANGE 1 DAY), SET default_window = 'now', or SET unbounded_state" in hint


def test_a_declared_default_is_told_too(session: continua.Session) -> None:
    session.sql("CREATE STREAM u (k INT, t INT) ORDERED BY t DEFAULT WINDOW UNBOUNDED")
    shown = session.sql("SELECT DISTINCT k FROM u").explain()
    assert "u has no window here, and is declared with DEFAULT WINDOW UNBOUNDED" in shown
    assert "declare it without a default window" in shown


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM s [UNBOUNDED] WHERE v > 1",
        "SELECT SUM(v), COUNT(*), MAX(v) FROM s [UNBOUNDED]",
        "SELECT k, SUM(v) FROM s [UNBOUNDED] GROUP BY k",
        "SELECT * FROM s [UNBOUNDED] JOIN d USING (k)",
        "SELECT * FROM s [RANGE 5] JOIN r [RANGE 5] USING (k)",
        "SELECT DISTINCT k FROM s [ROWS 5]",
        "SELECT k FROM s [UNBOUNDED] ORDER BY v LIMIT 3",
        "SELECT DISTINCT n FROM (SELECT COUNT(*) AS n FROM s [UNBOUNDED])",
        "SELECT k FROM s [UNBOUNDED] UNION ALL SELECT k FROM r",
        "SELECT DISTINCT k FROM (SELECT * FROM s [UNBOUNDED] DURING [1, 9))",
        "SELECT DISTINCT k FROM s [UNBOUNDED] WHERE t > NOW() - 5",
        "SELECT DISTINCT k FROM s [UNBOUNDED] WHERE t + 5 = NOW()",
        "SELECT * FROM s [UNBOUNDED] x, s [UNBOUNDED] y "
        "WHERE x.k = y.k AND x.t > NOW() - 5 AND NOW() <= y.t + 9",
    ],
)
def test_not_found(session: continua.Session, query: str) -> None:
    assert "UNBOUNDED_STATE" not in session.sql(query).explain()
