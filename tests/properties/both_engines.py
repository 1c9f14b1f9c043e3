"""A random query on the reference and on Spark, in one slab or in many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from compared import check_same
from on_duckdb import DuckDB
from queries import Case
from slabs import on_spark, over_slabs

from continua import ContinuaError, Session
from continua.logical.evaluate import context_of, evaluate
from continua.logical.node import Node
from continua.logical.scan import Scan
from continua.model.catalog import Relation
from continua.model.element import SourceRow
from continua.model.timeline import Timeline
from continua.model.values import normal
from continua.physical.builder import Builder
from continua.physical.operator import Form
from continua.runtime.engine import Engine
from continua.runtime.query import Query
from continua.runtime.reference import Reference
from continua.runtime.spark_errors import translated

Rows = Mapping[Relation, Sequence[SourceRow]]


def session_of(case: Case) -> Session:
    session = Session(engine="reference")
    for source in case.sources:
        session.sql(source.declare(case.rows[source.name]))
    for view in case.views:
        session.sql(view)
    return session


def compare(
    engine: Engine, case: Case, cuts: Sequence[int], form: Form = Form.PIECES
) -> Timeline | None:
    """Compares the two; None if the reference finds the query to have no value.

    Then Spark either finds the same, or does not compute what fails: nobody asked for it.
    """
    plan, rows = asked(case)
    cuts = [case.instant(cut) for cut in cuts]
    expected = meaning(plan, rows)
    if isinstance(expected, str):
        assert _code(engine, plan, rows, cuts, form) in (expected, None)
        return None
    check_same(on_spark(engine, plan, rows, cuts, form), expected)
    return expected


def compare_operators(
    machine: DuckDB, case: Case, cuts: Sequence[int], form: Form = Form.PIECES
) -> Timeline | None:
    """The same on DuckDB, which fails in ways of its own: what has no value is not compared."""
    plan, rows = asked(case)
    expected = meaning(plan, rows)
    if isinstance(expected, str):
        return None
    check_same(over_slabs(machine, plan, rows, [case.instant(cut) for cut in cuts], form), expected)
    return expected


def asked(case: Case) -> tuple[Node, Rows]:
    """The plan of a query, and the rows that it reads."""
    query: Query = session_of(case).sql(case.query.ours)
    evaluation = query.evaluation
    assert isinstance(evaluation, Reference)
    rows = {
        node.relation: _with_odd(evaluation.read(node.relation), case.rows[node.relation.name])
        for node in query.plan.walk()
        if isinstance(node, Scan)
    }
    return query.plan, rows


def meaning(plan: Node, rows: Rows) -> Timeline | str:
    """What a plan gives by its definition, or the code of the error that it ends in."""
    try:
        return evaluate(plan, context_of(plan, rows.__getitem__))
    except ContinuaError as error:
        return error.code


def _with_odd(
    rows: Sequence[SourceRow], given: Sequence[Sequence[object]]
) -> tuple[SourceRow, ...]:
    """Rows of the text with what has no literal: infinities, and what is no number."""
    return tuple(row._replace(values=_odd(row.values, given[row.phi])) for row in rows)


def _odd(values: Sequence[object], given: Sequence[object]) -> tuple[object, ...]:
    """The values that were read, with floats as they were given."""
    pairs = zip(values, given, strict=True)
    return tuple(normal(wanted) if isinstance(wanted, float) else value for value, wanted in pairs)


def _code(engine: Engine, plan: Node, rows: Rows, cuts: Sequence[int], form: Form) -> str | None:
    """The code of the error that a plan ends in on Spark, if it does."""
    try:
        with translated(Builder()):
            on_spark(engine, plan, rows, cuts, form)
    except ContinuaError as error:
        return error.code
    return None
