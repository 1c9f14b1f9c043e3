"""Chains of set operations mean the same as fewer operators."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import pytest
from both_engines import session_of
from drawing import examples
from hypothesis import given
from hypothesis import strategies as st
from queries import Case, cases

from continua import Session
from continua.logical.evaluate import context_of, evaluate
from continua.logical.node import Node
from continua.physical.explain import explain
from continua.physical.plan import physical_plan
from continua.physical.set_chains import unchained
from continua.runtime.reference import Reference

pytestmark = pytest.mark.apart

operators = st.lists(
    st.sampled_from(["EXCEPT", "EXCEPT ALL", "UNION", "UNION ALL", "INTERSECT", "INTERSECT ALL"]),
    min_size=1,
    max_size=5,
)


@examples(150)
@given(case=cases(), operators=operators, data=st.data())
def test_a_chain_means_what_its_operators_mean(case: Case, operators: list[str], data: Any) -> None:
    session = session_of(case)
    windows = st.sampled_from(["", "[ROWS 2]", "[UNBOUNDED]", "[NOW]"])
    column = case.sources[0].columns[0][0]
    unit = " SECONDS" if case.unit > 1 else ""
    text = f"SELECT {column} FROM r [RANGE 4{unit}]"
    for operator in operators:
        text = f"({text}) {operator} SELECT {column} FROM r {data.draw(windows)}"
    query = session.sql(text)
    evaluation = query.evaluation
    assert isinstance(evaluation, Reference)
    context = context_of(query.plan, evaluation.read)
    assert evaluate(everywhere(query.plan), context) == evaluate(query.plan, context)


def everywhere(plan: Node) -> Node:
    plan = unchained(plan)
    below = {
        f.name: everywhere(value)
        for f in fields(plan)
        if isinstance(value := getattr(plan, f.name), Node)
    }
    return replace(plan, **below) if below else plan


def test_many_excepts_are_one_operator() -> None:
    session = Session(engine="reference")
    session.sql("CREATE STREAM s (a INT, t INT) ORDERED BY t")
    branches = [f"SELECT a + {i} FROM s [RANGE 5]" for i in range(30)]
    for operator in ("EXCEPT", "EXCEPT ALL"):
        shown = explain(physical_plan(session.sql(f" {operator} ".join(branches)).plan))
        assert shown.count("difference") == 1
        assert shown.count("distinct") == (operator == "EXCEPT")
