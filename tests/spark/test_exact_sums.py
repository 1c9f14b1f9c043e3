"""Sums and averages are exact and rounded once: by every algorithm, in any order, over any slabs."""

from __future__ import annotations

import random
from collections.abc import Callable
from decimal import Decimal

import pytest
from compared import Row, check_same, few, given_to, plan_of
from hypothesis import given
from hypothesis import strategies as st
from slabs import on_spark

from continua import Session
from continua.logical.evaluate import context_of, evaluate
from continua.logical.node import Node
from continua.model.element import Tuple
from continua.model.instant import Instant
from continua.model.timeline import Timeline
from continua.model.values import NAN, single
from continua.runtime.engine import Engine

pytestmark = pytest.mark.spark

INFINITY = float("inf")
FLOATS = "SUM(x) AS s, AVG(x) AS a, SUM(f) AS sf, AVG(l) AS al"
DISTINCT = "SUM(DISTINCT x) AS s, AVG(DISTINCT x) AS a, COUNT(*) AS n"
WINDOWS = {
    "": "chronons, which coincide",
    "WINDOW(RANGE 4)": "blocks",
    "WINDOW(FIXED 4)": "blocks that end together",
    "WINDOW(RANGE UNBOUNDED)": "what never ends",
    "WINDOW(ROWS 3)": "tiers",
    "WINDOW(RANGE 5 SLIDE 3)": "tiers",
}


@pytest.fixture(scope="module")
def session() -> Session:
    session = Session(engine="reference")
    session.sql(
        "CREATE STREAM r (k INT, x DOUBLE, f FLOAT, l BIGINT, d DECIMAL(30,10), e DECIMAL(38,0), "
        "g DECIMAL(38,38), t BIGINT) ORDERED BY t"
    )
    return session


def on_both(
    engine: Engine, plan: Node, rows: list[Row], cuts: list[int]
) -> tuple[Timeline, Timeline]:
    held = given_to(plan, rows)
    return on_spark(engine, plan, held, cuts), evaluate(plan, context_of(plan, held.__getitem__))


# What adding up in some order gets wrong: values that cancel out, and those that are no binary
# fractions; halves of the last bit, which are rounded to even; zeros of either sign.
doubles = st.one_of(
    st.sampled_from([1e16, 1.0, -1e16, 0.1, 0.2, 0.3, 2.0**53, 2.0**-60, -0.0, 3e-9, 1e18, None]),
    st.floats(-9e18, 9e18, allow_subnormal=False).filter(lambda x: x == 0 or abs(x) > 1e-22),
)
rows = st.lists(
    st.tuples(
        st.sampled_from([1, 2]),
        doubles,
        st.sampled_from([single(0.1), 16777216.0, None]),
        st.sampled_from([2**53 + 1, 2**53, 1, -(2**60), None]),
        st.integers(0, 9),
    ).map(lambda row: (*row[:4], None, None, None, row[4])),
    min_size=1,
    max_size=12,
)


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("calls", [FLOATS, DISTINCT])
def test_floating_sums(engine: Engine, session: Session, window: str, calls: str) -> None:
    plan = plan_of(session, f"SELECT k, {calls} FROM r {window} GROUP BY k")

    @few(2)
    @given(rows=rows, cuts=st.lists(st.integers(1, 12), max_size=2, unique=True))
    def same(rows: list[Row], cuts: list[int]) -> None:
        found, expected = on_both(engine, plan, rows, cuts)
        assert found == expected

    same()


def in_two_orders(
    engine: Engine, plan: Node, window: str, values: list[float | None]
) -> list[tuple[Timeline, Timeline]]:
    given = [(1, x, None, None, None, None, None, t % 5) for t, x in enumerate(values * 3)]
    found = []
    for cuts in ([], [1, 3]):
        if "ROWS" not in window:
            # A window that counts rows asks for their order.
            random.Random(len(cuts)).shuffle(given)
        found.append(on_both(engine, plan, given, cuts))
    return found


@pytest.mark.parametrize("window", WINDOWS)
def test_numbers_great_and_small(engine: Engine, session: Session, window: str) -> None:
    """Also beyond the grid, and those that are no numbers."""
    plan = plan_of(session, f"SELECT SUM(x) AS s, AVG(x) AS a FROM r {window}")
    values = [1e300, -1e300, 1e-300, 7e22, 1e-30, 5e-324, 0.1, 2.5, 1e200, -3.3e190, None]
    found = in_two_orders(engine, plan, window, values)
    assert found[0][0] == found[1][0] or "ROWS" in window
    for ours, reference in found:
        check_same(ours, reference)
    special = [NAN, INFINITY, -INFINITY, 1.0]
    for first in special:
        for second in special:
            pair = [(1, x, None, None, None, None, None, 1) for x in (first, second)]
            ours, reference = on_both(engine, plan, pair, [])
            assert ours == reference


@pytest.mark.parametrize(
    ("window", "distinct"),
    [
        ("", ""),
        ("WINDOW(RANGE UNBOUNDED)", ""),
        ("WINDOW(ROWS 3)", ""),
        ("", "DISTINCT "),
    ],
)
def test_variances(engine: Engine, session: Session, window: str, distinct: str) -> None:
    """The same in any order and over any slabs, and what they should be up to rounding."""
    calls = ("VARIANCE", "STDDEV_POP")
    listed = ", ".join(f"{name}({distinct}x) AS v{i}" for i, name in enumerate(calls))
    plan = plan_of(session, f"SELECT {listed}, COUNT(*) AS n FROM r {window}")
    values = [0.1, 1e9 + 0.1, 1e9 + 0.7, 2.5, 1e-9, None, -7.25, 2e30, 1e-40]
    found = in_two_orders(engine, plan, window, values)
    assert found[0][0] == found[1][0]
    for ours, reference in found:
        for t in range(12):
            (a,), (b,) = ([*side.at(Instant(t))] or [Tuple(())] for side in (ours, reference))
            assert a.values == pytest.approx(b.values, rel=1e-8, abs=1e-12)


@pytest.mark.parametrize("window", ["", "WINDOW(ROWS 2)"])
@pytest.mark.parametrize("distinct", ["", "DISTINCT "])
def test_variances_of_the_greatest_integers(
    engine: Engine, session: Session, window: str, distinct: str
) -> None:
    """As doubles these are 2⁶³, the last number on the grid, or nearly so."""
    calls = f"VAR_POP({distinct}l) AS v, STDDEV({distinct}l) AS s"
    plan = plan_of(session, f"SELECT {calls} FROM r {window}")
    values = [(0, 2**63 - 1), (1, -(2**63)), (2, 2**63 - 1), (2, 2**63 - 3), (3, 2**63 - 2**20)]
    given = [(1, None, None, number, None, None, None, t) for t, number in values]
    for cuts in ([], [1, 2]):
        found, expected = on_both(engine, plan, given, cuts)
        check_same(found, expected)
    assert [row.values for row in found.at(Instant(0))] == [(0.0, None)]


@pytest.mark.parametrize("window", ["", "WINDOW(PARTITION BY k ROWS 3)"])
def test_equal_values_do_not_vary(engine: Engine, session: Session, window: str) -> None:
    """However many bits they have, and however many there are; nor does one value, be it huge."""
    drawn = random.Random(3)
    values = [drawn.uniform(0, 10.0 ** (k % 9)) for k in range(60)]
    given = [
        (k, x, None, None, None, None, None, 1)
        for k, x in enumerate(values)
        for _ in range(drawn.choice([1, 2, 3, 7]))
    ]
    given.append((60, 1e300, None, None, None, None, None, 1))
    plan = plan_of(session, f"SELECT k, VAR_POP(x) AS v FROM r {window} GROUP BY k")
    found, _ = on_both(engine, plan, given, [])
    assert {row.values for row in found.at(Instant(1))} == {(k, 0.0) for k in range(61)}


@pytest.mark.parametrize("cuts", [[], [3], [1, 2, 4]])
def test_what_has_gone_leaves_no_trace(engine: Engine, session: Session, cuts: list[int]) -> None:
    """Even where its square is infinite."""
    plan = plan_of(session, "SELECT VAR_POP(x) AS v, SUM(x) AS s FROM r WINDOW(ROWS 2)")
    values = [1e200, 2.0, 4.0, 4.0, NAN, 0.5, 0.5]
    given = [(1, x, None, None, None, None, None, t) for t, x in enumerate(values)]
    found, expected = on_both(engine, plan, given, cuts)
    check_same(found, expected)
    shown = [value.values for t in (2, 3, 6) for value in found.at(Instant(t))]
    assert shown == [(1.0, 6.0), (0.0, 8.0), (0.0, 1.0)]


@pytest.mark.parametrize("window", WINDOWS)
def test_decimals_of_many_digits(engine: Engine, session: Session, window: str) -> None:
    plan = plan_of(
        session,
        "SELECT SUM(d) AS s, AVG(d) AS a, AVG(e) AS m, SUM(e) AS n, SUM(g) AS g, AVG(g) AS h "
        f"FROM r {window}",
    )
    texts = [
        ("0.0000000001", "99999999999999999999999999999999", "0." + "1" * 38),
        ("0.0000000002", "-7", "-0." + "3" * 38),
        ("12345678901234567890.0123456789", "12", "0"),
    ]
    given = [
        (1, None, None, None, Decimal(d), Decimal(e), Decimal(g), t)
        for t, (d, e, g) in enumerate([*texts, *texts[:2]])
    ]
    for cuts in ([], [2, 4]):
        found, expected = on_both(engine, plan, given, cuts)
        assert found == expected


def test_what_users_saw(sessions: Callable[[], Session]) -> None:
    session = sessions()
    session.sql("""
        CREATE STREAM s (x DOUBLE, d DECIMAL(30,10), t INT) SOURCE rows(
            (1e16, 0.0000000001, 1), (1.0, 0.0000000002, 1), (-1e16, NULL, 1),
            (0.1, NULL, 2), (0.2, NULL, 2), (0.3, NULL, 2)) ORDERED BY t""")
    found = session.sql("SELECT SUM(x) AS x, SUM(d) AS d FROM s").history()
    assert [row[:2] for row in found] == [(1.0, Decimal("3E-10")), (0.6, None)]
