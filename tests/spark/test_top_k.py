"""Top-k on Spark gives what the reference gives."""

from __future__ import annotations

import pytest
from compared import Row, assert_same, few, plan_of
from hypothesis import given
from hypothesis import strategies as st

from continua import Session
from continua.model.values import NAN
from continua.physical.operator import Form
from continua.runtime.engine import Engine

pytestmark = pytest.mark.spark

rows = st.lists(
    st.tuples(
        st.sampled_from(["a", "b", None]),
        st.sampled_from([1, 2, 3, None]),
        st.sampled_from([0.5, NAN, None]),
        st.integers(-6, 9),
    ),
    max_size=8,
)
cuts = st.lists(st.integers(-4, 12), max_size=2, unique=True)


@pytest.fixture(scope="module")
def session() -> Session:
    session = Session(engine="reference")
    session.sql(
        "CREATE STREAM r (k STRING, i INT, x DOUBLE, t BIGINT) SOURCE rows(('a',1,1,1)) ORDERED BY t"
    )
    return session


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT k, i FROM r WINDOW(RANGE 4) ORDER BY i DESC LIMIT 2",
        "SELECT k, x FROM r WINDOW(RANGE 5 SLIDE 3) ORDER BY x DESC NULLS FIRST, k LIMIT 2",
        "SELECT i, x FROM r WINDOW(RANGE UNBOUNDED) ORDER BY i NULLS LAST LIMIT 3",
        "SELECT k, i FROM r ORDER BY i LIMIT 1",
        "SELECT k, COUNT(*) AS n FROM r WINDOW(RANGE 3) GROUP BY k ORDER BY n DESC LIMIT 1",
    ],
)
def test_the_first_k_of_every_instant(engine: Engine, session: Session, sql: str) -> None:
    plan = plan_of(session, sql)

    @few(6)
    @given(rows=rows, cuts=cuts, form=st.sampled_from(Form))
    def same(rows: list[Row], cuts: list[int], form: Form) -> None:
        assert_same(engine, plan, rows, cuts, form)

    same()
