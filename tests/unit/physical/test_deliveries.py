"""What sinks are given over random slabs, against the meaning of the query; computed by DuckDB."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
from both_engines import asked, meaning
from drawing import examples
from grid import PATHS, Cell, case_of
from hypothesis import assume, given
from hypothesis import strategies as st
from on_duckdb import DuckDB
from slabs import slabs_of

from continua.logical.delivered import delivered
from continua.model import instant as logical
from continua.model.instant import Instant
from continua.model.timeline import Timeline
from continua.physical.instant import BEGINNING, FOREVER
from continua.physical.operator import Form
from continua.physical.plan import delivering_plan

DELIVERIES = ("INTERVALS", "CHANGES", "INSERTS")

WINDOWED = ("none", "RANGE", "FIXED", "ROWS", "PARTITION", "own validity", "table")

# Whole numbers and texts only: what is compared here is when rows come, and how often.
OVER = ("map", "UNION ALL", "EXCEPT ALL", "left join", "COUNT", "ungrouped", "HAVING", "top-k")


@pytest.fixture(scope="module")
def machine() -> DuckDB:
    return DuckDB()


@pytest.mark.parametrize("construct", OVER)
@pytest.mark.parametrize("delivery", DELIVERIES)
@examples(5)
@given(data=st.data(), window=st.sampled_from(WINDOWED), path=st.sampled_from(list(PATHS)))
def test_deliveries(
    machine: DuckDB, delivery: str, construct: str, data: st.DataObject, window: str, path: str
) -> None:
    case = data.draw(case_of(Cell(construct, window, Form.PIECES, path), at_most=12))
    asked_for, rows = asked(case)
    plan = delivered(asked_for, delivery)
    assume(delivery != "CHANGES" or not plan.chronon)
    expected = meaning(plan, rows)
    assert isinstance(expected, Timeline)
    found: Counter[tuple[object, ...]] = Counter()
    cuts = [case.instant(cut) for cut in PATHS[path]]
    for advanced in slabs_of(machine, plan, delivering_plan(plan, delivery), rows, cuts):
        found.update(map(tuple, advanced.rows))
    given_out = elements if plan.chronon else relation
    assert found == Counter(given_out(expected, delivery))


def elements(stream: Timeline, delivery: str) -> Iterator[tuple[object, ...]]:
    """The elements of a chronon stream, each by itself."""
    for element, start, n in stream.openings():
        times = (_t(start),) if delivery == "INSERTS" else (_t(start), _t(start) + 1)
        yield from [(*element.values, *times)] * n


def relation(stream: Timeline, delivery: str) -> Iterator[tuple[object, ...]]:
    """The canonical form of a relation, or its net changes."""
    for element in stream.canonical():
        values, opens, closes = element.tuple.values, *map(_t, element.interval)
        if delivery == "INTERVALS":
            yield *values, opens, closes
            continue
        yield *values, "+", opens
        if closes != FOREVER:
            yield *values, "-", closes


def _t(instant: Instant) -> int:
    ends = {logical.BEGINNING: BEGINNING, logical.FOREVER: FOREVER}
    return ends[instant] if instant in ends else int(instant.t)
