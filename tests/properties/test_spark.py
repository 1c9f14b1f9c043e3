"""Spark gives what the reference gives: over one slab, over many, in either form."""

from __future__ import annotations

from dataclasses import replace

import pytest
from both_engines import compare
from drawing import examples
from grid import STREAMERS
from hypothesis import event, given
from hypothesis import strategies as st
from queries import Both, Case, batched_cases, cases
from streams import SOURCES

from continua.physical.operator import Form
from continua.runtime.engine import Engine

LONGEST = 700
"""Characters of a query: Spark takes seconds to plan a longer one. `make fuzz` takes them all."""


def short(case: Case) -> bool:
    return len(case.query.ours) + sum(map(len, case.views)) < LONGEST


def short_of(extreme: bool = False) -> st.SearchStrategy[Case]:
    return cases(extreme).filter(short)


cuts = st.lists(st.integers(-2, 16), min_size=1, max_size=3, unique=True)


@examples(24)
@given(case=short_of())
def test_history_is_one_slab(engine: Engine, case: Case) -> None:
    event("has a value" if compare(engine, case, ()) is not None else "has none")


@examples(12)
@given(case=short_of(extreme=True), cuts=cuts, form=st.sampled_from(Form))
def test_extreme_values_and_times(engine: Engine, case: Case, cuts: list[int], form: Form) -> None:
    compare(engine, case, cuts, form)


@examples(8)
@given(case=short_of(), cuts=cuts, form=st.sampled_from(Form))
def test_any_slabs_give_the_same(engine: Engine, case: Case, cuts: list[int], form: Form) -> None:
    compare(engine, case, cuts, form)


@examples(8)
@given(case=batched_cases().filter(short), cuts=cuts, form=st.sampled_from(Form))
def test_several_batches_at_a_time(engine: Engine, case: Case, cuts: list[int], form: Form) -> None:
    compare(engine, case, cuts, form)


@examples(8)
@given(case=short_of(), cuts=cuts, streamer=st.sampled_from(list(STREAMERS.values())))
def test_streamers_over_random_queries(
    engine: Engine, case: Case, cuts: list[int], streamer: str
) -> None:
    query = Both(streamer.format(case.query.ours), "")
    compare(engine, replace(case, query=query), cuts, Form.PIECES)


LAST, FIRST = 2**63 - 2, -(2**62)
"""The last and the first time that a stream may have."""


@pytest.mark.parametrize("origin", [LAST - 9, FIRST], ids=["last", "first"])
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT b, MIN(a) AS m FROM r [RANGE 5] GROUP BY b",
        "SELECT MIN(x) AS m, SUM(x) AS n FROM r [RANGE 4 SLIDE 2]",
        "SELECT MIN(a) AS m FROM r [RANGE 5 SLIDE 3]",
        "SELECT MIN(a) AS m FROM r [ROWS 2]",
        "SELECT r.a FROM r [RANGE 5] LEFT JOIN p ON r.b = p.b",
        "SELECT r.a, p.c FROM r [ROWS 2] JOIN p ON r.b = p.b",
        "SELECT x.a FROM p JOIN (SELECT a FROM r [PARTITION BY a ROWS 1]) AS x ON p.b IS NOT NULL",
        "SELECT a FROM r [RANGE 5] EXCEPT SELECT b FROM p",
    ],
)
def test_at_the_ends_of_time(engine: Engine, sql: str, origin: int) -> None:
    """What would end after the last time never ends, and nothing on the way is no number."""
    r, _, p, _ = (replace(source, origin=origin) for source in SOURCES)
    rows = {
        "r": [(t % 3, t % 2, "a", t / 2, origin + t) for t in (0, 1, 1, 4, 6, 9)],
        "p": [(1, 5, origin + 3, None), (0, 6, origin + 4, origin + 9)],
    }
    case = Case(rows, [], Both(sql, ""), (), [], set(), (r, p))
    for form in Form:
        compare(engine, case, (), form)
        compare(engine, case, (5, 8), form)
