"""Windows that keep state, and split, on Spark: over any slabs they mean what the reference says."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pytest
from drawing import examples
from hypothesis import given
from hypothesis import strategies as st
from slabs import on_spark

from continua import Session
from continua.logical.evaluate import context_of, evaluate
from continua.logical.node import Node
from continua.logical.scan import Scan
from continua.logical.sequence_window import Linear, SequenceWindow
from continua.model.catalog import Relation, SourceCall
from continua.model.element import SourceRow
from continua.model.schema import INTEGER_TIME, Column
from continua.model.types import BIGINT, INT, STRING
from continua.physical.builder import Builder
from continua.physical.operator import Form
from continua.physical.plan import physical_plan
from continua.physical.relation import EMPTY, View
from continua.physical.slab import Slab
from continua.physical.sweep_area import changes
from continua.runtime.engine import Engine

pytestmark = pytest.mark.spark

Row = tuple[int | None, str | None, int]


TIMES = [0, 1, 2, 3, 4, 5, 6, 8, 11, -1, -2, -5]
rows_of_streams = st.lists(
    st.tuples(
        st.sampled_from([1, 2, None]), st.sampled_from(["a", "b", None]), st.sampled_from(TIMES)
    ),
    max_size=10,
)
cuts_of_slabs = st.lists(st.integers(-6, 13), max_size=3, unique=True)
forms = st.sampled_from(Form)
sizes = st.sampled_from([1, 2, 3, 4, 7])


def assert_same(
    engine: Engine, plan: Node, rows: Sequence[Row], cuts: Sequence[int], form: Form
) -> None:
    """All streams of the plan hold the rows, in this order."""
    source = tuple(SourceRow(row, row[2], row[2] + 1, i) for i, row in enumerate(rows))
    given = {node.relation: source for node in plan.walk() if isinstance(node, Scan)}
    expected = evaluate(plan, context_of(plan, lambda relation: given[relation]))
    assert on_spark(engine, plan, given, cuts, form) == expected


def plan_of(sql: str, *before: str, granule: int = 1) -> Node:
    session = Session(engine="reference")
    session.sql(f"CREATE STREAM s (v INT, k STRING, t BIGINT) ORDERED BY t GRANULE {granule}")
    for statement in before:
        session.sql(statement)
    plan: Node = session.sql(sql).plan
    return plan


@st.composite
def row_windows(draw: Any) -> str:
    by = draw(st.sampled_from(["", "PARTITION BY k ", "PARTITION BY v, k "]))
    slide = draw(st.sampled_from(["", f" SLIDE {draw(sizes)}"]))
    return f"{by}ROWS {draw(sizes)}{slide}"


BELOW = {
    "as it comes": "s",
    "filtered": "(SELECT k, v FROM s WHERE v > 1 OR k = 'a')",
    "computed": "(SELECT v + 1 AS v, k FROM s)",
    "of both sides": "(SELECT v, k FROM s WHERE v = 1 UNION ALL SELECT v, k FROM s)",
    "distinct": "(SELECT DISTINCT v, k FROM s)",
    "counted": "(SELECT CAST(COUNT(*) AS INT) AS v, k FROM s GROUP BY k)",
    "joined": "(SELECT x.v, y.k FROM s x JOIN s WINDOW(RANGE 3) y ON x.v = y.v)",
    "sampled": "(SELECT v, k FROM s WINDOW(RANGE 3))",
    "sampled of rows": "(SELECT v, k FROM s WINDOW(ROWS 2))",
}


@examples(16)
@given(
    rows=rows_of_streams,
    window=row_windows(),
    cuts=cuts_of_slabs,
    form=forms,
    below=st.sampled_from(sorted(BELOW)),
)
def test_rows(
    engine: Engine, rows: list[Row], window: str, cuts: list[int], form: Form, below: str
) -> None:
    plan = plan_of(f"SELECT v, k FROM {BELOW[below]} WINDOW({window})")
    assert_same(engine, plan, rows, cuts, form)


@examples(5)
@given(rows=rows_of_streams, cuts=cuts_of_slabs, form=forms, below=st.sampled_from(sorted(BELOW)))
def test_batches(engine: Engine, rows: list[Row], cuts: list[int], form: Form, below: str) -> None:
    plan = plan_of(f"SELECT v, k FROM {BELOW[below]} WINDOW(BATCH)")
    assert_same(engine, plan, rows, cuts, form)


@examples(6)
@given(
    rows=rows_of_streams,
    gap=sizes,
    key=st.sampled_from(["", ", k", ", v"]),
    granule=st.sampled_from([1, 1, 3]),
    cuts=cuts_of_slabs,
    form=forms,
)
def test_sessions(
    engine: Engine,
    rows: list[Row],
    gap: int,
    key: str,
    granule: int,
    cuts: list[int],
    form: Form,
) -> None:
    plan = plan_of(f"SELECT * FROM SESSION(s, {gap}{key})", granule=granule)
    assert_same(engine, plan, rows, cuts, form)


@examples(6)
@given(
    rows=rows_of_streams,
    length=st.sampled_from(["RANGE 1", "RANGE 4", "UNBOUNDED", "FIXED 3", "ROWS 2"]),
    window=st.sampled_from(["RANGE 2", "RANGE 3 SLIDE 2", "ROWS 3", "BATCH"]),
    granule=st.sampled_from([1, 2, 3]),
    cuts=cuts_of_slabs,
    form=forms,
)
def test_windows_over_derived_streams(
    engine: Engine,
    rows: list[Row],
    length: str,
    window: str,
    granule: int,
    cuts: list[int],
    form: Form,
) -> None:
    derived = f"CREATE STREAM d AS SELECT v, k FROM s WINDOW({length})"
    plan = plan_of(f"SELECT * FROM d WINDOW({window})", derived, granule=granule)
    assert_same(engine, plan, rows, cuts, form)


# Sequences of windows.

RELATION = Relation(
    "s",
    (Column("v", INT), Column("k", STRING), Column("t", BIGINT)),
    SourceCall("rows"),
    is_stream=True,
    time=INTEGER_TIME,
    start="t",
)


@st.composite
def sequences(draw: Any) -> Node:
    in_rows = st.booleans()
    upper_in_rows, every_in_rows, every = draw(in_rows), draw(in_rows), draw(st.integers(1, 4))
    slopes = st.integers(0, 3)
    lower = Linear(draw(slopes), draw(st.integers(-3, 4)), draw(in_rows))
    upper = Linear(draw(slopes), draw(st.integers(0 if upper_in_rows else -6, 8)), upper_in_rows)
    if lower.in_rows == upper.in_rows:
        # The beginning may not come after the end.
        lower = Linear(
            min(lower.slope, upper.slope), min(lower.offset, upper.offset), lower.in_rows
        )
    if upper.in_rows == every_in_rows:
        # The end may not run ahead of the evaluation.
        every = max(every, upper.slope)
    return SequenceWindow(Scan(RELATION), lower, upper, every, every_in_rows)


@examples(16)
@given(rows=rows_of_streams, window=sequences(), cuts=cuts_of_slabs, form=forms)
def test_sequences(
    engine: Engine, rows: list[Row], window: Node, cuts: list[int], form: Form
) -> None:
    assert_same(engine, window, rows, cuts, form)


# Plain cases.


def test_a_slab_without_new_rows_costs_row_windows_nothing() -> None:
    state = {
        "last": View("kept", "kept", ("c0", "c1", "id", "start")),
        "batch": View("kept", "kept", ("c0",)),
    }
    for window in ("PARTITION BY k ROWS 2", "BATCH"):
        operator = physical_plan(plan_of(f"SELECT * FROM s WINDOW({window})"), Form.CHANGES)
        builder = Builder()
        output, kept = operator.advance(builder, Slab(3, 4), [EMPTY], state)
        assert output is EMPTY
        assert set(kept) <= set(state)
        assert all(changes(content) in (EMPTY, *state.values()) for content in kept.values())


def test_a_sliding_row_window_keeps_no_more_rows_than_it_shows(engine: Engine) -> None:
    operator = physical_plan(plan_of("SELECT * FROM s WINDOW(ROWS 2 SLIDE 100)"), Form.CHANGES)
    builder = Builder()
    rows = engine.spark.sql(
        "SELECT 1 AS c0, 'a' AS c1, id, id AS start, id + 1 AS end FROM range(50)"
    )
    arrived = engine.view(("c0", "c1", "id", "start", "end"), rows)
    _, state = operator.advance(builder, Slab(end=50), [arrived], {})
    kept = engine.query(builder, changes(state["last"])).orderBy("start").collect()
    assert [(row.start, row.opens, row.weight) for row in kept] == [(48, None, 49), (49, None, 1)]


def test_a_sliding_row_window_counts_over_many_slabs(engine: Engine) -> None:
    rows: list[Row] = [(t, "a", t) for t in range(12)]
    plan = plan_of("SELECT v FROM s WINDOW(ROWS 2 SLIDE 9)")
    assert_same(engine, plan, rows, [3, 5, 7], Form.CHANGES)


def test_sessions_of_timestamps(engine: Engine) -> None:
    session = Session(engine="reference")
    session.sql("CREATE STREAM s (v INT, t TIMESTAMP) ORDERED BY t GRANULE 1 SECOND")
    plan = session.sql("SELECT * FROM SESSION(s, 2 SECONDS)").plan
    seconds = [-7, -5, 0, 1, 4]
    source = tuple(
        SourceRow((i, datetime.fromtimestamp(t, UTC).replace(tzinfo=None)), at, at + 1, i)
        for i, t in enumerate(seconds)
        for at in [t * 1_000_000]
    )
    (relation,) = [node.relation for node in plan.walk() if isinstance(node, Scan)]
    expected = evaluate(plan, context_of(plan, lambda _relation: source))
    assert len(expected.instants()) == 6
    assert on_spark(engine, plan, {relation: source}, [0, 3_000_000]) == expected
