"""Spark gives what the reference gives: over one slab, over many, in either form."""

from __future__ import annotations

from both_engines import compare
from drawing import examples
from hypothesis import event, given
from hypothesis import strategies as st
from queries import Case, cases

from continua.physical.operator import Form
from continua.runtime.engine import Engine

LONGEST = 700
"""Characters of a query: Spark takes seconds to plan a longer one. `make fuzz` takes them all."""


def short_of(extreme: bool = False) -> st.SearchStrategy[Case]:
    found = cases(extreme)
    return found.filter(lambda case: len(case.query.ours) + sum(map(len, case.views)) < LONGEST)


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
