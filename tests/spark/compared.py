"""Compares a query on Spark, over any slabs, with the reference; floats up to rounding."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence

from slabs import on_spark

from continua import Session
from continua.logical.evaluate import context_of, evaluate
from continua.logical.node import Node
from continua.logical.scan import Scan
from continua.model.catalog import Relation
from continua.model.element import SourceRow
from continua.model.instant import Instant
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
    assert _changes(on_spark(engine, plan, given, cuts, form)) == _changes(expected)


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


def _changes(timeline: Timeline) -> dict[Row, dict[Instant, int]]:
    """The net changes of each value, so that how intervals are cut makes no difference."""
    found: dict[Row, dict[Instant, int]] = defaultdict(lambda: defaultdict(int))
    for element, steps in timeline.steps():
        before = 0
        for instant, n in steps:
            found[tuple(map(_rounded, element.values))][instant] += n - before
            before = n
    net = {row: {t: n for t, n in changes.items() if n} for row, changes in found.items()}
    return {row: changes for row, changes in net.items() if changes}


def _rounded(value: object) -> object:
    if not isinstance(value, float):
        return value
    if not math.isfinite(value):
        return str(value)
    return float(f"{value:.9g}") + 0.0
