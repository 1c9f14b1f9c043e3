"""A random query on the reference and on Spark, in one slab or in many."""

from __future__ import annotations

from collections.abc import Sequence

from compared import check_same
from queries import Case
from slabs import on_spark

from continua import ContinuaError, Session
from continua.logical.scan import Scan
from continua.model.timeline import Timeline
from continua.physical.operator import Form
from continua.runtime.engine import Engine
from continua.runtime.query import Query
from continua.runtime.reference import Reference


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
    """Compares the two; None if the reference finds the query to have no value."""
    query: Query = session_of(case).sql(case.query.ours)
    evaluation = query.evaluation
    assert isinstance(evaluation, Reference)
    rows = {
        node.relation: evaluation.rows(node.relation)
        for node in query.plan.walk()
        if isinstance(node, Scan)
    }
    try:
        expected = query.timeline()
    except ContinuaError:
        return None
    cuts = [cut * case.unit for cut in cuts]
    found = on_spark(engine, query.plan, rows, cuts, form)
    check_same(found, expected)
    return expected
