"""Max-union (COMAD (18)), which no SQL asks for, against its meaning; computed by DuckDB."""

from __future__ import annotations

from random import Random

from both_engines import asked, meaning
from compared import check_same
from drawing import examples
from grid import LONG, long_case
from hypothesis import given
from hypothesis import strategies as st
from on_duckdb import DuckDB
from slabs import over_slabs

from continua.logical.max_union import MaxUnion
from continua.logical.union import Union
from continua.model.timeline import Timeline
from continua.physical.operator import Form

WINDOWS = st.sampled_from(("RANGE", "SLIDE", "own validity", "ROWS", "PARTITION", "table"))


@examples(6)
@given(
    seed=st.integers(0, 2**32),
    windows=st.tuples(WINDOWS, WINDOWS),
    form=st.sampled_from(Form),
    cut=st.sampled_from(LONG),
)
def test_it_takes_the_place_of_a_union(
    seed: int, windows: tuple[str, str], form: Form, cut: int
) -> None:
    case = long_case(Random(seed), "UNION ALL", *windows)
    plan, rows = asked(case)
    union = next(node for node in plan.walk() if isinstance(node, Union))
    plan = MaxUnion(union.left, union.right)
    expected = meaning(plan, rows)
    assert isinstance(expected, Timeline)
    cuts = [case.instant(at) for at in (cut, cut + 5)]
    check_same(over_slabs(DuckDB(), plan, rows, cuts, form), expected)
