"""Queries of one shape mean the same together as each by itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from typing import Any

from both_engines import session_of
from compared import check_same
from drawing import examples
from hypothesis import assume, event, given
from hypothesis import strategies as st
from on_duckdb import DuckDB
from queries import Case, cases
from slabs import on_spark, over_slabs

from continua import ContinuaError, Session
from continua.logical.aggregate import Aggregate
from continua.logical.evaluate import context_of, evaluate
from continua.logical.expr.nodes import ColumnRef, Expression, Literal
from continua.logical.filter import Filter
from continua.logical.map import Map
from continua.logical.merge import differing, merged, shape
from continua.logical.node import Node, Unary
from continua.logical.scan import Scan
from continua.model.catalog import Relation
from continua.model.element import SourceRow, Tuple
from continua.model.timeline import Timeline
from continua.model.types import INT
from continua.physical.operator import Form
from continua.runtime.engine import Engine
from continua.runtime.reference import Reference

Rows = Mapping[Relation, list[SourceRow]]
Change = Callable[[Expression], Expression]

MACHINE = DuckDB()


def shorter(longest: int) -> st.SearchStrategy[Case]:
    """Cases whose queries have no more characters: Spark takes long to plan others."""
    return cases().filter(lambda c: len(c.query.ours) + sum(map(len, c.views)) < longest)


cuts = st.lists(st.integers(-2, 16), max_size=2, unique=True)
steps = st.lists(st.integers(-2, 2), min_size=2, max_size=3, unique=True)


@examples(200)
@given(case=shorter(700), steps=steps)
def test_together_is_each_by_itself(case: Case, steps: list[int]) -> None:
    plans, rows = variants(case, steps)
    together, expected = both(plans, rows)
    assert evaluate(together, context_of(together, rows.__getitem__)) == expected
    event("has rows" if list(expected.steps()) else "has none")


@examples(30)
@given(case=shorter(300), steps=steps, cuts=cuts, form=st.sampled_from(Form))
def test_together_on_duckdb(case: Case, steps: list[int], cuts: list[int], form: Form) -> None:
    plans, rows = variants(case, steps)
    together, expected = both(plans, rows)
    found = over_slabs(MACHINE, together, rows, [cut * case.unit for cut in cuts], form)
    check_same(found, expected)
    event("has rows" if list(expected.steps()) else "has none")


@examples(6)
@given(case=shorter(200), steps=steps, cuts=cuts, form=st.sampled_from(Form))
def test_together_on_spark(
    engine: Engine, case: Case, steps: list[int], cuts: list[int], form: Form
) -> None:
    plans, rows = variants(case, steps)
    together, expected = both(plans, rows)
    check_same(on_spark(engine, together, rows, [cut * case.unit for cut in cuts], form), expected)


def test_what_differs_elsewhere_is_not_merged() -> None:
    session = Session(engine="reference")
    session.sql("CREATE STREAM r (k STRING, v INT, t BIGINT) ORDERED BY t")
    text = (
        "SELECT r.v + {} AS v FROM r WINDOW(RANGE 5) JOIN (VALUES ({}), (2)) AS x (v) ON r.v = x.v"
    )
    plans = [session.sql(text.format(n, n)).plan for n in (0, 1)]
    assert shape(plans[0]) != shape(plans[1]), "rows of the text are no constants of an operator"
    assert differing(plans) == 0


@examples(200)
@given(case=shorter(700), data=st.data())
def test_other_columns_are_another_shape(case: Case, data: Any) -> None:
    """Plans that differ in the columns they take are never merged, whatever these are called."""
    plan = session_of(case).sql(case.query.ours).plan
    refs = [(e, node) for node in plan.walk() for e in expressions(node) if other_columns(e, node)]
    assume(refs)
    taken, node = data.draw(st.sampled_from(refs))
    index = data.draw(st.sampled_from(other_columns(taken, node)))
    other = replace(taken, index=index)
    changed = replaced(plan, node, lambda e: other if e == taken else None)
    assert plan.digest != changed.digest
    assert shape(plan) != shape(changed)


def expressions(node: Node) -> list[Expression]:
    """The columns that a filter or a map takes."""
    held = node.outputs if isinstance(node, Map) else ()
    held = (node.predicate,) if isinstance(node, Filter) else held
    return [part for e in held for part in e.walk() if isinstance(part, ColumnRef)]


def other_columns(taken: Expression, node: Node) -> list[int]:
    """Columns of the same type that could be taken instead."""
    assert isinstance(taken, ColumnRef)
    columns = enumerate(node.inputs[0].schema)
    return [i for i, column in columns if column.type == taken.type and i != taken.index]


def replaced(plan: Node, node: Node, change: Callable[[Expression], Expression | None]) -> Node:
    """The plan with another expression in one of its nodes."""

    def changed(e: Expression) -> Expression:
        return change(e) or (e.rebuild(tuple(map(changed, e.operands))) if e.operands else e)

    if plan is node:
        if isinstance(plan, Map):
            return replace(plan, outputs=tuple(map(changed, plan.outputs)))
        assert isinstance(plan, Filter)
        return replace(plan, predicate=changed(plan.predicate))
    below = {
        f.name: replaced(value, node, change)
        for f in fields(plan)
        if isinstance(value := getattr(plan, f.name), Node)
    }
    return replace(plan, **below)


def both(plans: Mapping[str, Node], rows: Rows) -> tuple[Node, Timeline]:
    """The merged plan, and what the plans mean one by one."""
    found = list(plans.values())
    assert len({shape(plan) for plan in found}) == 1
    together = merged(plans, differing(found))
    context = context_of(together, rows.__getitem__)
    expected = {}
    try:
        for tag, plan in plans.items():
            for e, line in evaluate(plan, context).without_identity().steps():
                expected[Tuple((tag, *e.values))] = line
    except ContinuaError:
        assume(False)
    return together, Timeline(expected)


def variants(case: Case, steps: list[int]) -> tuple[dict[str, Node], Rows]:
    """Queries that are made from that of a case, and differ in their numbers."""
    query = session_of(case).sql(case.query.ours)
    evaluation = query.evaluation
    assert isinstance(evaluation, Reference)
    scans = [node for node in query.plan.walk() if isinstance(node, Scan)]
    rows = {scan.relation: list(evaluation.read(scan.relation)) for scan in scans}
    columns = [ColumnRef(c.type, i, c.name) for i, c in enumerate(query.plan.schema)]
    numbered = Map(query.plan, (*query.plan.schema.names, "n"), (*columns, Literal(INT, 0)))
    plans = {f"q{i}": with_other(numbered, by(step)) for i, step in enumerate(steps)}
    return plans, rows


def by(step: int) -> Change:
    def changed(e: Expression) -> Expression:
        if isinstance(e, Literal) and type(e.value) is int and -100 < e.value < 100:
            return replace(e, value=e.value + step)
        return e.rebuild(tuple(map(changed, e.operands))) if e.operands else e

    return changed


def with_other(plan: Node, change: Change) -> Node:
    """The plan with other expressions in the operators at its top."""
    if not isinstance(plan, Unary):
        return plan
    below = with_other(plan.input, change)
    match plan:
        case Filter():
            return replace(plan, input=below, predicate=change(plan.predicate))
        case Map():
            return replace(plan, input=below, outputs=tuple(map(change, plan.outputs)))
        case Aggregate(total=False):
            calls = tuple(replace(c, args=tuple(map(change, c.args))) for c in plan.calls)
            keys = tuple(map(change, plan.keys))
            return replace(plan, input=below, keys=keys, calls=calls)
    return plan
