"""Clips and conditions on the time itself, against their definitions, instant by instant."""

from __future__ import annotations

import operator
from random import Random

import pytest

from continua.logical.during import During
from continua.logical.expr.nodes import ColumnRef
from continua.logical.node import Context
from continua.logical.scan import Scan
from continua.logical.temporal_filter import Comparison, TemporalFilter
from continua.logical.timed import Timed
from continua.logical.values import Values
from continua.model.catalog import Relation, SourceCall
from continua.model.element import Tuple
from continua.model.instant import INFINITY, MINUS_INFINITY, Instant, Interval
from continua.model.schema import INTEGER_TIME, Column, Schema
from continua.model.timeline import Timeline
from continua.model.types import BIGINT

COLUMNS = (Column("v", BIGINT), Column("t", BIGINT), Column("e", BIGINT))
RELATION = Relation("s", COLUMNS, SourceCall("rows"), True, INTEGER_TIME, "t", "e")
CHRONONS = Relation("s", COLUMNS[:2], SourceCall("rows"), True, INTEGER_TIME, "t")
CONTEXT = Context(lambda relation: (), INFINITY, MINUS_INFINITY)
INSTANTS = [Instant(t, i) for t in range(-12, 25) for i in range(3)]
COMPARE = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
}


def stream(random: Random) -> Timeline:
    """Tuples in several batches of a time, some for ever, some without a value."""

    def instant() -> Instant:
        return Instant(random.randint(-5, 15), random.choice([0, 0, 1, 2]))

    def part() -> Interval:
        start, end = sorted([instant(), random.choice([instant(), Instant(INFINITY)])])
        return Interval(random.choice([start, start, Instant(MINUS_INFINITY)]), end)

    values = [*range(-3, 12), None]
    return Timeline.of(
        (Tuple((random.choice(values),)), part(), random.randint(1, 3)) for _ in range(9)
    )


@pytest.mark.parametrize("comparison", COMPARE)
@pytest.mark.parametrize("shift", [0, -4, 3])
def test_a_tuple_is_there_where_the_condition_holds(comparison: Comparison, shift: int) -> None:
    value = ColumnRef(BIGINT, 0, "v")
    node = TemporalFilter(Scan(RELATION), value, comparison, shift)
    for seed in range(20):
        found = stream(Random(seed))
        result = node.meaning([found], CONTEXT)
        for at in INSTANTS:
            assert result.at(at) == {
                e: n
                for e, n in found.at(at).items()
                if e.values[0] is not None and COMPARE[comparison](e.values[0], at.t + shift)
            }


def test_during_keeps_what_is_there_then() -> None:
    node = During(Scan(RELATION), 2, 9)
    for seed in range(20):
        found = stream(Random(seed))
        result = node.meaning([found], CONTEXT)
        for at in INSTANTS:
            assert result.at(at) == (found.at(at) if 2 <= at.t < 9 else {})


def test_an_element_of_a_stream_has_its_time() -> None:
    node = Timed(Scan(CHRONONS), "now")
    elements = [
        (Tuple((7,)), Interval(Instant(t, i), Instant(t + 1)), n)
        for t, i, n in [(3, 0, 2), (3, 1, 1), (4, 0, 3)]
    ]
    result = node.meaning([Timeline.of(elements)], CONTEXT)
    assert sorted((e.values, at, n) for e, at, n in result.openings()) == [
        ((7, 3), Instant(3, 0), 2),
        ((7, 3), Instant(3, 1), 1),
        ((7, 4), Instant(4, 0), 3),
    ]


def test_what_is_static_varies_by_its_own_times() -> None:
    table = Values(Schema((Column("v", BIGINT),)), ((5,),))
    assert table.time is None
    node = TemporalFilter(table, ColumnRef(BIGINT, 0, "v"), ">", 0)
    assert node.time == INTEGER_TIME
    assert not node.streaming
    assert node.gives == "relation"
