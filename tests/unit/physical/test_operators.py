"""Every operator over random slabs against its meaning, computed by DuckDB in milliseconds.

Spark computes the same relations from the same graph; only how they are printed differs.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from both_engines import compare_operators
from drawing import examples
from grid import (
    CONSTRUCTS,
    LONG,
    PATHS,
    WINDOWS,
    Cell,
    case_of,
    long_case,
    possible,
    together,
)
from hypothesis import assume, given
from hypothesis import strategies as st
from on_duckdb import DuckDB
from queries import Both

from continua.physical.operator import Form


@pytest.fixture(scope="module")
def machine() -> DuckDB:
    return DuckDB()


def compare_cell(machine: DuckDB, cell: Cell, data: st.DataObject) -> None:
    assume(possible(cell))
    # It is the number of relations that takes time here, and not that of rows.
    case = data.draw(case_of(cell, at_most=24))
    compare_operators(machine, case, PATHS[cell.path], cell.form)


forms, paths = st.sampled_from(Form), st.sampled_from(list(PATHS))


@pytest.mark.parametrize("construct", CONSTRUCTS)
@examples(2)
@given(data=st.data(), window=st.sampled_from(list(WINDOWS)), form=forms, path=paths)
def test_constructs(
    machine: DuckDB, construct: str, data: st.DataObject, window: str, form: Form, path: str
) -> None:
    compare_cell(machine, Cell(construct, window, form, path), data)


@pytest.mark.parametrize("window", WINDOWS)
@examples(5)
@given(data=st.data(), construct=st.sampled_from(list(CONSTRUCTS)), form=forms)
def test_windows(
    machine: DuckDB, window: str, data: st.DataObject, construct: str, form: Form
) -> None:
    compare_cell(machine, Cell(construct, window, form, "slabs"), data)


TIMED, COUNTED, STATIC = ("RANGE", "SLIDE", "own validity"), ("ROWS", "PARTITION"), ("table",)
OFTEN = st.sampled_from([*TIMED, *COUNTED, *STATIC])
"""Windows whose elements end in different ways."""

# The first of them is tried always: one in the middle of the rows.
cuts = st.sampled_from([*LONG[100:], *LONG[:100]])


@pytest.mark.parametrize("construct", CONSTRUCTS)
@examples(2)
@given(
    seed=st.integers(0, 2**32),
    windows=st.tuples(OFTEN, OFTEN) | st.tuples(*[st.sampled_from(list(WINDOWS))] * 2),
    form=forms,
    cut=cuts,
)
def test_many_rows(
    machine: DuckDB, construct: str, seed: int, windows: tuple[str, str], form: Form, cut: int
) -> None:
    """Each stream in a window of its own; some cuts are close together, some are not."""
    each = [possible(Cell(construct, window, form, "slabs")) for window in windows]
    assume(all(each) and together(*windows))
    case = long_case(Random(seed), construct, *windows)
    compare_operators(machine, case, (cut, cut + 1, cut + 5), form)


@pytest.mark.parametrize(
    ("construct", "r", "q"),
    [
        ("full join", "RANGE", "table"),
        ("full join", "table", "ROWS"),
        ("anti join", "own validity", "table"),
        ("mark", "table", "RANGE"),
    ],
)
@examples(1)
@given(seed=st.integers(0, 2**32), cut=cuts)
def test_one_side_is_static(
    machine: DuckDB, construct: str, r: str, q: str, seed: int, cut: int
) -> None:
    case = long_case(Random(seed), construct, r, q)
    compare_operators(machine, case, (cut, cut + 5), Form.PIECES)


@examples(5)
@given(seed=st.integers(0, 2**32), form=forms)
def test_equal_neighbours_in_batches_leave_apart(machine: DuckDB, seed: int, form: Form) -> None:
    """What leaves where an equal tuple comes is not what goes on."""
    case = long_case(Random(seed), "COUNT", "none in batches", "none in batches")
    text = "DSTREAM (SELECT COUNT(*) AS n, NOW() - NOW() AS m FROM r_b)"
    compare_operators(machine, replace(case, query=Both(text, "")), (-20, 3, 5), form)


def test_nothing_is_split_in_batches(machine: DuckDB) -> None:
    """A stream without a row, while time goes on by another one."""
    case = long_case(Random(1), "row window over DURING", "BATCH in batches", "BATCH in batches")
    rows = {**case.rows, "r": []}
    case = replace(case, rows=rows, views=["SPREAD r, q INTO r_b, q_b"])
    compare_operators(machine, case, (0, 4), Form.PIECES)


LATE = [
    (construct, late, window)
    for construct in CONSTRUCTS
    for late, window in (("r", "RANGE"), ("q", "ROWS in batches"))
    if possible(Cell(construct, window, Form.PIECES, "slabs"))
]


@pytest.mark.parametrize(("construct", "late", "window"), LATE)
def test_slabs_in_which_one_stream_has_not_begun(
    machine: DuckDB, construct: str, late: str, window: str
) -> None:
    """A live run plans them knowing that there is nothing of it."""
    case = long_case(Random(1), construct, window, window)
    later = [row for row in case.rows[late] if int(str(row[-1])) >= 0]
    case = replace(case, rows={**case.rows, late: later})
    compare_operators(machine, case, (-40, -36, 1), Form.PIECES)
