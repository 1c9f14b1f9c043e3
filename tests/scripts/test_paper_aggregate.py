"""TODS §7.5.2, example 13: an aggregate by its initializer, merger, combiner and evaluator."""

from __future__ import annotations

from functools import reduce

import pytest

from continua import Session

Partial = tuple[float, int]


def init(e: float) -> Partial:
    return (e, 1)


def merge(partial: Partial, e: float) -> Partial:
    s, c = partial
    return (s + e, c + 1)


def combine(a: Partial, b: Partial) -> Partial:
    return (a[0] + b[0], a[1] + b[1])


def evaluate(partial: Partial) -> float:
    s, c = partial
    return s / c


# Table VI (a), with a = 1, b = 10, c = 100, d = 1000.
S1 = [(100.0, 1, 8), (1.0, 5, 11), (1000.0, 6, 14), (1.0, 9, 10), (10.0, 12, 17)]


@pytest.fixture
def session() -> Session:
    session = Session(engine="reference")
    session.udaf("average", init, merge, combine, evaluate, "DOUBLE")
    rows = ", ".join(map(str, S1))
    session.sql(
        f"CREATE STREAM S1 (x DOUBLE, t_s INT, t_e INT) SOURCE rows({rows}) ORDERED BY t_s UNTIL t_e"
    )
    return session


def test_average_of_table_6(session: Session) -> None:
    assert list(session.sql("SELECT average(x) AS average FROM S1").history()) == [
        (100.0, 1, 5),
        (50.5, 5, 6),
        (367.0, 6, 8),
        (500.5, 8, 9),
        (334.0, 9, 10),
        (500.5, 10, 11),
        (1000.0, 11, 12),
        (505.0, 12, 14),
        (10.0, 14, 17),
    ]


def test_average_is_the_listed_one(session: Session) -> None:
    own = session.sql("SELECT AVERAGE(x) AS a FROM S1").timeline()
    assert own == session.sql("SELECT AVG(x) AS a FROM S1").timeline()


def test_average_is_that_of_every_snapshot(session: Session) -> None:
    query = session.sql("SELECT average(x) AS a, COUNT(*) AS n FROM S1")
    for t in range(20):
        valid = [x for x, start, end in S1 if start <= t < end]
        expected = [(sum(valid) / len(valid), len(valid))] if valid else []
        assert list(query.snapshot(at=t)) == expected


def test_combiner_agrees_with_the_merger() -> None:
    values = [x for x, _, _ in S1]
    merged = reduce(merge, values[1:], init(values[0]))
    for cut in range(1, len(values)):
        left = reduce(merge, values[1:cut], init(values[0]))
        right = reduce(merge, values[cut + 1 :], init(values[cut]))
        assert combine(left, right) == merged


def test_groups_windows_and_nulls() -> None:
    session = Session(engine="reference")
    session.udaf("average", init, merge, combine, evaluate, "DOUBLE")
    session.sql(
        """CREATE STREAM s (k STRING, x DOUBLE, t INT)
        SOURCE rows(('p', 1, 1), ('p', 3, 2), ('q', 5, 2), ('p', NULL, 3)) ORDERED BY t"""
    )
    query = session.sql("SELECT k, average(x) AS a FROM s WINDOW(RANGE 2) GROUP BY k")
    assert list(query.history()) == [
        ("p", 1.0, 1, 2),
        ("p", 2.0, 2, 3),
        ("q", 5.0, 2, 4),
        ("p", 3.0, 3, 4),
        ("p", None, 4, 5),
    ]


def test_several_arguments_and_another_type() -> None:
    """A weighted average: an aggregate of two arguments gets them one by one."""
    session = Session(engine="reference")
    session.udaf(
        "weighted",
        lambda x, w: (x * w, w),
        lambda p, x, w: (p[0] + x * w, p[1] + w),
        combine,
        lambda p: f"{p[0] / p[1]:.2f}",
        "STRING",
    )
    session.sql(
        "CREATE STREAM s (x DOUBLE, w DOUBLE, t INT) SOURCE rows((1, 1, 1), (4, 2, 1)) ORDERED BY t"
    )
    query = session.sql("SELECT weighted(x, w) AS a FROM s")
    assert str(query.schema) == "(a STRING)"
    assert list(query.history()) == [("3.00", 1)]
