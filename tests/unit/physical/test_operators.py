"""Every operator over random slabs against its meaning, computed by DuckDB in milliseconds.

Spark computes the same relations from the same graph; only how they are printed differs.
"""

from __future__ import annotations

import pytest
from both_engines import compare_operators
from drawing import examples
from grid import CONSTRUCTS, PATHS, WINDOWS, Cell, case_of, possible
from hypothesis import assume, given
from hypothesis import strategies as st
from on_duckdb import DuckDB

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
@examples(3)
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
