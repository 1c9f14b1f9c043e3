"""Compares a query on Spark, over any slabs, with the reference; floats up to rounding."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from hypothesis import settings
from slabs import on_spark

from continua import Session
from continua.logical.evaluate import context_of, evaluate
from continua.logical.node import Node
from continua.logical.scan import Scan
from continua.model.catalog import Relation
from continua.model.element import SourceRow, Tuple
from continua.model.timeline import Timeline
from continua.physical.operator import Form
from continua.runtime.engine import Engine

Row = tuple[object, ...]


def assert_same(
    engine: Engine, plan: Node, rows: Sequence[Row], cuts: Sequence[int], form: Form
) -> None:
    """The streams of the plan all hold these rows, whose last value is their time."""
    given = given_to(plan, rows)
    expected = evaluate(plan, context_of(plan, given.__getitem__))
    check_same(on_spark(engine, plan, given, cuts, form), expected)


def given_to(plan: Node, rows: Sequence[Row]) -> dict[Relation, tuple[SourceRow, ...]]:
    """The rows as what each stream of a plan has delivered."""
    found = []
    for i, row in enumerate(rows):
        t = row[-1]
        assert isinstance(t, int)
        found.append(SourceRow(row, t, t + 1, i))
    return {node.relation: tuple(found) for node in plan.walk() if isinstance(node, Scan)}


def plan_of(session: Session, sql: str) -> Node:
    plan: Node = session.sql(sql).plan
    return plan


def few(number: int) -> settings:
    """The settings of a property whose every example costs Spark some seconds."""
    return settings(max_examples=number)


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
