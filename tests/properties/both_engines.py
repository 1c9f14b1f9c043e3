"""A random query on the reference and on Spark, in one slab or in many."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from queries import SOURCES, Case
from slabs import on_spark

from continua import ContinuaError, Session
from continua.logical.scan import Scan
from continua.model.element import Tuple
from continua.model.timeline import Timeline
from continua.physical.operator import Form
from continua.runtime.engine import Engine
from continua.runtime.query import Query
from continua.runtime.reference import Reference


def session_of(case: Case) -> Session:
    session = Session(engine="reference")
    for source in SOURCES:
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
    found = on_spark(engine, query.plan, rows, cuts, form)
    check_same(found, expected)
    return expected


def check_same(found: Timeline, expected: Timeline) -> None:
    """Snapshots are equal at every instant; floating numbers as nearly as rounding allows."""
    if found == expected:
        return
    for at in sorted({*found.instants(), *expected.instants()}):
        ours, theirs = Counter(found.at(at)), Counter(expected.at(at))
        extra = list((ours - theirs).elements())
        missing = list((theirs - ours).elements())
        for row in extra:
            near = next((other for other in missing if _near(row, other)), None)
            assert near is not None, f"at {at}: found {ours}, expected {theirs}"
            missing.remove(near)
        assert not missing, f"at {at}: found {ours}, expected {theirs}"


def _near(a: Tuple, b: Tuple) -> bool:
    return all(map(_close, a.values, b.values))


def _close(a: object, b: object) -> bool:
    if isinstance(a, float) and isinstance(b, float):
        return a == b or abs(a - b) <= 1e-12 + 1e-9 * max(abs(a), abs(b))
    return a == b
