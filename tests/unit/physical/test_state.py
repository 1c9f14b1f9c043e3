"""Operators keep what later slabs can need, and nothing else; computed by DuckDB."""

from __future__ import annotations

import pytest
from both_engines import asked, meaning
from drawing import examples
from grid import CONSTRUCTS, Cell, case_of, possible
from hypothesis import assume, given
from hypothesis import strategies as st
from on_duckdb import DuckDB
from slabs import Advanced, slabs_of

from continua.physical.aggregate.aggregation import Aggregation
from continua.physical.builder import Builder
from continua.physical.operator import Form
from continua.physical.plan import physical_plan
from continua.physical.relation import EMPTY, Rel
from continua.physical.sweep_area import SweepArea
from continua.physical.validity import END

ENDING = ("none", "RANGE", "SLIDE", "SLIDE that divides", "FIXED", "TUMBLE", "HOP", "SESSION")
"""The windows that every element leaves by time alone."""

OVER_THEM = [
    name
    for name in CONSTRUCTS
    if not name.startswith(("row window", "FROM TO")) and "ASOF" not in name
]
"""What counts rows remembers the last ones, or how many there were."""

PURGED = SweepArea.remove
"""When elements are removed, where a SweepArea says nothing else."""

ALL_HAS_ENDED = 1000


@pytest.fixture(scope="module")
def machine() -> DuckDB:
    return DuckDB()


def check_kept(machine: DuckDB, advanced: Advanced) -> None:
    """Of what is kept by versions, what is gone is forgotten by compaction, and not here."""
    operators = advanced.graph.operators
    # What counts nothing too stands for ever, and so does what is made of it.
    totals = [op for op in operators.values() if isinstance(op, Aggregation) and op.node.total]
    for name, state in advanced.kept.items():
        areas = {area.name: area for area in operators[name].areas}
        for area, content in state.items():
            if not isinstance(content, Rel) or content is EMPTY:
                continue
            rows, _ = machine.computed(Builder(), content, [])
            place = (operators[name].label, area, rows)
            if areas[area].remove == PURGED and END in content.columns:
                end = content.columns.index(END)
                assert all(row[end] > advanced.slab.end for row in rows), place
            if advanced.slab.end == ALL_HAS_ENDED:
                assert len(rows) <= len(totals), place


@pytest.mark.parametrize("construct", OVER_THEM)
@examples(2)
@given(data=st.data(), window=st.sampled_from(ENDING), form=st.sampled_from(Form))
def test_what_cannot_be_needed_is_purged(
    machine: DuckDB, construct: str, data: st.DataObject, window: str, form: Form
) -> None:
    cell = Cell(construct, window, form, "slabs")
    assume(possible(cell))
    case = data.draw(case_of(cell, at_most=12))
    plan, rows = asked(case)
    assume(not isinstance(meaning(plan, rows), str))
    cuts = [case.instant(cut) for cut in (4, ALL_HAS_ENDED)]
    for advanced in slabs_of(machine, plan, physical_plan(plan, form), rows, cuts):
        check_kept(machine, advanced)
