"""Aggregates on Spark, by every algorithm, give what the reference gives."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest
from compared import Row, assert_same, few, given_to, plan_of
from hypothesis import given
from hypothesis import strategies as st
from pyspark.errors import ArithmeticException
from slabs import on_spark

from continua import Session
from continua.logical.aggregate import Aggregate
from continua.logical.node import Node
from continua.model.values import NAN
from continua.physical.aggregate.aligned import AlignedAggregate
from continua.physical.aggregate.blocks import BlockAggregate
from continua.physical.aggregate.endless import EndlessAggregate
from continua.physical.aggregate.running import RunningAggregate
from continua.physical.aggregate.split import StretchAggregate
from continua.physical.aggregate.tiers import TieredAggregate
from continua.physical.operator import Form, Operator
from continua.physical.plan import physical_plan
from continua.runtime.engine import Engine

pytestmark = pytest.mark.spark

COLUMNS = "k STRING, i INT, l BIGINT, x DOUBLE, d DECIMAL(10,2), t BIGINT"
EXACT = "COUNT(*), COUNT(i), SUM(i), AVG(i), SUM(l), AVG(l), SUM(d), AVG(d)"
COMBINED = "MIN(x), MAX(k), SUM(x), AVG(x), VARIANCE(i), VAR_POP(x), STDDEV(x), STDDEV_POP(l)"
HOLISTIC = "MEDIAN(i), COUNT(DISTINCT i), SUM(DISTINCT l), AVG(DISTINCT i), LONGEST(k)"

QUERIES = {
    f"SELECT k, {EXACT} FROM r WINDOW(RANGE 3) GROUP BY k": RunningAggregate,
    f"SELECT {EXACT} FROM r WINDOW(RANGE 5 SLIDE 3)": RunningAggregate,
    f"SELECT i + 1, k, {COMBINED} FROM r WINDOW(RANGE 4) GROUP BY i + 1, k": BlockAggregate,
    f"SELECT {EXACT}, {COMBINED} FROM r WINDOW(RANGE 4 SLIDE 2)": BlockAggregate,
    f"SELECT k, {COMBINED} FROM r WINDOW(FIXED 4) GROUP BY k": BlockAggregate,
    f"SELECT k, {EXACT}, {COMBINED} FROM r WINDOW(RANGE UNBOUNDED) GROUP BY k": EndlessAggregate,
    f"SELECT k, {EXACT}, {COMBINED} FROM r WINDOW(RANGE 5 SLIDE 3) GROUP BY k": TieredAggregate,
    f"SELECT k, {COMBINED} FROM r WINDOW(ROWS 2) GROUP BY k": TieredAggregate,
    f"SELECT {COMBINED} FROM ((SELECT * FROM r WINDOW(RANGE 20)) UNION ALL (SELECT * FROM r WINDOW(RANGE 3)))": TieredAggregate,
    f"SELECT k, {COMBINED}, {HOLISTIC} FROM r WINDOW(RANGE 5 SLIDE 3) GROUP BY k": StretchAggregate,
    f"SELECT {HOLISTIC} FROM r WINDOW(RANGE UNBOUNDED)": StretchAggregate,
    "SELECT k, COUNT(DISTINCT i), SUM(DISTINCT i) FROM r WINDOW(RANGE 4) GROUP BY k": RunningAggregate,
    f"SELECT k, window_end, {EXACT}, {HOLISTIC} FROM TUMBLE(r, 4) GROUP BY k, window_end": AlignedAggregate,
    f"SELECT {COMBINED}, {HOLISTIC} FROM r": AlignedAggregate,
}

rows = st.lists(
    st.tuples(
        st.sampled_from(["a", "bb", None]),
        st.sampled_from([1, 2, -7, None]),
        st.sampled_from([2**62, -(2**62), 5, None]),
        st.sampled_from([0.5, -1.25, 1e16, NAN, None]),
        st.sampled_from([Decimal("1.25"), Decimal("-99999999.99"), None]),
        st.integers(-6, 9),
    ),
    max_size=7,
)
cuts = st.lists(st.integers(-4, 12), max_size=2, unique=True)


@pytest.fixture(scope="module")
def session() -> Session:
    session = Session(engine="reference")
    session.sql(f"CREATE STREAM r ({COLUMNS}) SOURCE rows(('a',1,1,1,1,1)) ORDERED BY t")
    session.udaf("longest", len, lambda n, v: max(n, len(v)), max, lambda n: n, "INT")
    return session


def overflows(rows: list[Row]) -> bool:
    """Whether some set of the rows has a sum beyond BIGINT."""
    values = [value for _k, _i, value, *_rest in rows if isinstance(value, int)]
    return max(sum(v for v in values if v > 0), -sum(v for v in values if v < 0)) >= 2**63 - 1


@pytest.mark.parametrize("sql", QUERIES)
def test_every_algorithm_over_any_slabs(engine: Engine, session: Session, sql: str) -> None:
    plan = plan_of(session, sql)
    assert QUERIES[sql] in {type(operator) for operator in operators(physical_plan(plan))}

    @few(5)
    @given(rows=rows.filter(lambda r: not overflows(r)), cuts=cuts, form=st.sampled_from(Form))
    def same(rows: list[Row], cuts: list[int], form: Form) -> None:
        assert_same(engine, plan, rows, cuts, form)

    same()


def operators(root: Operator) -> list[Operator]:
    return [root, *(o for child in root.inputs for o in operators(child))]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT COUNT(*), SUM(l), AVG(d) FROM r WINDOW(RANGE 2)",
        "SELECT COUNT(i), MIN(x), VARIANCE(i) FROM r WINDOW(RANGE 2)",
        "SELECT COUNT(*), MAX(x) FROM r",
        "SELECT COUNT(*), VAR_POP(x) FROM r WINDOW(RANGE UNBOUNDED)",
        "SELECT MEDIAN(x), COUNT(k) FROM r WINDOW(RANGE 3 SLIDE 2)",
    ],
)
@pytest.mark.parametrize("given", [[], [("a", 1, 1, 0.5, None, -3), (None, 2, 5, 1.5, None, 4)]])
def test_a_total_is_there_over_nothing(
    engine: Engine, session: Session, sql: str, given: list[Row]
) -> None:
    plan = total(plan_of(session, sql))
    for form in Form:
        assert_same(engine, plan, given, [], form)
        assert_same(engine, plan, given, [-2, 3], form)


def total(plan: Node) -> Node:
    """The aggregate as in an expression subquery."""
    found = next(node for node in plan.walk() if isinstance(node, Aggregate))
    return replace(found, total=True)


def row(t: int, **given: object) -> Row:
    return (*(given.get(name) for name in "kilxd"), t)


@pytest.mark.parametrize("cuts", [(), (2, 4)])
def test_an_expired_value_leaves_no_error(
    engine: Engine, session: Session, cuts: tuple[int, ...]
) -> None:
    plan = plan_of(session, "SELECT SUM(x), AVG(x) FROM r WINDOW(RANGE 3)")
    given = [row(0, x=1e16), row(1, x=1.0), row(2, x=0.25), row(4, x=0.125)]
    assert_same(engine, plan, given, cuts, Form.PIECES)


@pytest.mark.parametrize("window", ["WINDOW(RANGE 3)", ""])
def test_only_the_total_can_overflow(engine: Engine, session: Session, window: str) -> None:
    plan = plan_of(session, f"SELECT SUM(l), AVG(l) FROM r {window}")
    given = [row(1, l=2**63 - 1), row(1, l=2**63 - 1), row(1, l=-(2**63)), row(1, l=-5)]
    assert_same(engine, plan, given, (), Form.PIECES)
    too_much = [row(1, l=2**63 - 1), row(1, l=1)]
    with pytest.raises(ArithmeticException):
        on_spark(engine, plan, given_to(plan, too_much))


@pytest.mark.parametrize("window", ["RANGE 3", "FIXED 4", "RANGE UNBOUNDED", "RANGE 3 SLIDE 2"])
def test_variance_of_near_values(engine: Engine, session: Session, window: str) -> None:
    plan = plan_of(
        session, f"SELECT VARIANCE(x), STDDEV_POP(l), VAR_POP(i) FROM r WINDOW({window})"
    )
    given = [row(t, x=1e8 + t, l=10**8 + t, i=10**8 + t) for t in (1, 2, 3)]
    assert_same(engine, plan, given, (2,), Form.PIECES)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT MAX(i) FROM r WINDOW(RANGE UNBOUNDED)",
        "SELECT k, MAX(i) FROM r WINDOW(RANGE UNBOUNDED) GROUP BY k",
        # At 5 one row comes and another goes.
        "SELECT COUNT(*) FROM r WINDOW(RANGE 4)",
        "SELECT k, COUNT(*) FROM r WINDOW(RANGE 4) GROUP BY k",
    ],
)
@pytest.mark.parametrize("form", Form)
def test_a_group_that_meets_rows_and_stays_the_same_stands_on(
    engine: Engine, session: Session, sql: str, form: Form
) -> None:
    given = [row(1, k="a", i=9), row(5, k="a", i=1), row(5, k="b", i=2)]
    assert_same(engine, plan_of(session, sql), given, [4, 6, 7], form)
