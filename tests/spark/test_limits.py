"""At the ends of time both engines give the same rows, or refuse with the same words."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from continua import ContinuaError, Session

pytestmark = pytest.mark.spark

GREATEST = 2**63 - 2
LEAST = -(2**62)

LATE = (
    f"BIGINT) SOURCE rows((1, 0.5, {GREATEST - 9}), (2, 1.5, {GREATEST - 4}), (3, 2.5, {GREATEST}))"
)
APART = f"BIGINT) SOURCE rows((1, 0.5, {LEAST}), (2, 1.5, {LEAST + 3}), (3, 2.5, 5), (4, 3.5, {GREATEST}))"
YEARS = (
    "TIMESTAMP) SOURCE rows((1, 0.5, '0001-01-01'), (2, 1.5, '9999-12-31 12:00:00'),"
    " (3, 2.5, '9999-12-31 23:59:59.999999'))"
)

Sessions = Callable[[], Session]


def outcome(session: Session, source: str, query: str) -> object:
    """The rows of a query, or its error."""
    try:
        session.sql(f"CREATE STREAM s (v INT, d DOUBLE, t {source} ORDERED BY t")
        return list(session.sql(query).history())
    except ContinuaError as error:
        return error.code, error.message, error.hint, error.span and error.span.text


@pytest.mark.parametrize("source", [LATE, APART], ids=["late", "apart"])
@pytest.mark.parametrize(
    "query",
    [
        "SELECT v FROM s",
        "SELECT v FROM s WINDOW(RANGE 10)",
        "SELECT v FROM s WINDOW(RANGE 9223372036854775807)",
        "SELECT v FROM s WINDOW(RANGE 10 SLIDE 4)",
        "SELECT v FROM s WINDOW(RANGE 3 SLIDE 7)",
        "SELECT v FROM s WINDOW(RANGE UNBOUNDED SLIDE 5)",
        "SELECT v FROM s WINDOW(FIXED 7)",
        "SELECT COUNT(*), SUM(v), AVG(d), MAX(d), MEDIAN(v) FROM s WINDOW(RANGE 10)",
        "SELECT COUNT(*), MAX(d) FROM s WINDOW(RANGE 9223372036854775807)",
        "SELECT COUNT(*), MAX(d) FROM s WINDOW(FIXED 7)",
        "SELECT a.v, b.v FROM s WINDOW(RANGE 10) a JOIN s WINDOW(RANGE 6) b ON a.v <= b.v",
        "SELECT a.v FROM s [RANGE 9223372036854775807] a JOIN s WINDOW(RANGE 6) b ON a.v = b.v",
        "SELECT DISTINCT v FROM s WINDOW(RANGE 10)",
        "SELECT v FROM s WINDOW(RANGE 10) EXCEPT SELECT v FROM s WINDOW(RANGE 6)",
        "SELECT * FROM TUMBLE(s, 5)",
        "SELECT COUNT(*) FROM TUMBLE(s, 5)",
        "SELECT * FROM HOP(s, 2, 6)",
        "SELECT * FROM TUMBLE(s, 5, 3)",
        "SELECT * FROM HOP(s, 2, 6, -1)",
        "SELECT * FROM TUMBLE(s, 2305843009213693952, 2305843009213693951)",
        "SELECT COUNT(*) FROM SESSION(s, 3)",
    ],
)
def test_whole_numbers(sessions: Sessions, source: str, query: str) -> None:
    ours = outcome(Session(engine="reference"), source, query)
    assert outcome(sessions(), source, query) == ours


@pytest.mark.parametrize(
    "query",
    [
        "SELECT v FROM s",
        "SELECT v FROM s WINDOW(RANGE 1 DAY)",
        "SELECT COUNT(*), AVG(d) FROM s WINDOW(RANGE 1 DAY)",
        "SELECT v FROM s WINDOW(RANGE 1 DAY SLIDE 7 HOURS)",
        "SELECT COUNT(*), AVG(d) FROM s WINDOW(FIXED 1 DAY)",
        "SELECT v FROM s WINDOW(RANGE 106751991 DAYS)",
        "SELECT a.v, b.v FROM s [RANGE 1 DAY] a JOIN s WINDOW(RANGE 2 DAYS) b ON a.v <= b.v",
        "SELECT * FROM TUMBLE(s, 7 DAYS)",
        "SELECT COUNT(*) FROM TUMBLE(s, 1 DAY)",
        "SELECT * FROM HOP(s, 1 HOUR, 2 HOURS)",
        "SELECT * FROM TUMBLE(s, 1 DAY, -8 HOURS)",
        "SELECT * FROM TUMBLE(s, 1 DAY, 8 HOURS)",
        "SELECT * FROM SESSION(s, 1 MINUTE)",
    ],
)
def test_years(sessions: Sessions, query: str) -> None:
    ours = outcome(Session(engine="reference"), YEARS, query)
    assert outcome(sessions(), YEARS, query) == ours


def test_what_ends_after_the_greatest_time_never_ends(sessions: Sessions) -> None:
    for session in (Session(engine="reference"), sessions()):
        found = outcome(session, LATE, "SELECT v FROM s WINDOW(RANGE 5)")
        assert found == [
            (1, GREATEST - 9, GREATEST - 4),
            (2, GREATEST - 4, None),
            (3, GREATEST, None),
        ]


@pytest.mark.parametrize("time", [2**63 - 1, LEAST - 1, -(2**63) + 1])
def test_no_time_stands_for_an_infinity(sessions: Sessions, time: int) -> None:
    source = f"BIGINT) SOURCE rows((1, 0.5, {time}))"
    ours = outcome(Session(engine="reference"), source, "SELECT v FROM s")
    assert isinstance(ours, tuple)
    assert ours[0] == "BAD_ROW"
    assert outcome(sessions(), source, "SELECT v FROM s") == ours


@pytest.mark.parametrize(
    "expression",
    [
        "DATE '9999-12-31' + INTERVAL '1' DAY",
        "TIMESTAMP '0001-01-01' - INTERVAL '1' MICROSECOND",
        "timestamp_micros(9223372036854775807)",
        "CAST(253402300800 AS TIMESTAMP)",
        "CAST('12:30' AS TIMESTAMP)",
        "CAST('now' AS TIMESTAMP)",
        "CAST('today' AS DATE)",
        "TIMESTAMP '2026-01-01' > 'now'",
        "CAST('2026-03-01 08:00:00 Europe/Paris' AS TIMESTAMP)",
        "CAST('٣' AS DECIMAL(5, 2))",
        "CAST('٣' AS INT)",
    ],
)
def test_the_same_error_at_the_same_place(sessions: Sessions, expression: str) -> None:
    query = f"SELECT {expression} AS x FROM s"
    ours = outcome(Session(engine="reference"), LATE, query)
    assert isinstance(ours, tuple)
    assert ours[0] == "EVALUATION"
    assert all(ours), "a message, a hint and a place"
    assert outcome(sessions(), LATE, query) == ours


def test_a_day_that_only_spark_computes(sessions: Sessions) -> None:
    with pytest.raises(ContinuaError) as caught:
        sessions().sql("SELECT date_add(DATE '9999-12-31', 1) AS x").history()
    assert caught.value.code == "EVALUATION"
    assert "9999" in caught.value.message
