"""Constructs over windows, on both engines: a part of the table that `make fuzz` goes through."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from random import Random

import pytest
from both_engines import compare, compare_operators
from drawing import examples
from grid import (
    BATCHED,
    CONSTRUCTS,
    PATHS,
    STANDING_ON_IT,
    STREAMERS,
    VARYING,
    VERSIONED,
    WINDOWS,
    Cell,
    case_of,
    cells,
    long_case,
    possible,
)
from hypothesis import given
from on_duckdb import DuckDB
from queries import Both, Case

from continua.physical.operator import Form
from continua.runtime.engine import Engine

STEP = 389
"""Of so many cells one is tried on Spark; it has no common divisor with the sides of the table."""


def same_on_spark(engine: Engine, cell: Cell, number: int) -> None:
    @examples(number)
    @given(case=case_of(cell))
    def same(case: Case) -> None:
        compare(engine, case, PATHS[cell.path], cell.form)

    same()


@pytest.mark.spark
def test_some_cells_on_spark(engine: Engine) -> None:
    for cell in list(cells())[::STEP]:
        same_on_spark(engine, cell, 1)


@pytest.mark.spark
@pytest.mark.parametrize(
    ("construct", "window"),
    [
        ("DISTINCT", "UNBOUNDED"),
        ("UNION", "ROWS UNBOUNDED"),
        ("COUNT(DISTINCT)", "UNBOUNDED"),
        ("DISTINCT of a join", "UNBOUNDED"),
        ("HAVING of two aggregates", "ROWS"),
        ("WHERE over two aggregates", "own validity"),
        ("ON with two aggregates", "PARTITION"),
        ("ON that may fail", "RANGE"),
        ("WHERE that may fail", "ROWS"),
    ],
)
def test_cells_that_were_wrong(engine: Engine, construct: str, window: str) -> None:
    """Duplicates of what never ends, conditions on two aggregates over mixed lengths, failures."""
    same_on_spark(engine, Cell(construct, window, Form.PIECES, "one slab"), 3)


@pytest.mark.apart
def test_every_construct_over_every_window() -> None:
    """On DuckDB; each pair in one form over one path, its neighbours in others."""
    machine, four = DuckDB(), [(form, path) for form in Form for path in PATHS]
    for number, (construct, window) in enumerate(product(CONSTRUCTS, WINDOWS)):
        cell = Cell(construct, window, *four[number % len(four)])
        if possible(cell):
            same_on_duckdb(machine, cell)


@pytest.mark.apart
def test_every_streamer_over_every_construct() -> None:
    """Identities are right below all of them; each pair over another window, by another path."""
    machine, four = DuckDB(), [(form, path) for form in Form for path in PATHS]
    for number, (construct, streamer) in enumerate(product(CONSTRUCTS, STREAMERS)):
        windows = [w for w in WINDOWS if possible(Cell(construct, w, *four[0])) and w != "table"]
        window, (form, path) = windows[number % len(windows)], four[number % len(four)]
        case = long_case(Random(number), construct, window, window)
        query = Both(STREAMERS[streamer].format(case.query.ours), "")
        cuts = [10 * cut for cut in PATHS[path]]
        compare_operators(machine, replace(case, query=query), cuts, form)


def same_on_duckdb(machine: DuckDB, cell: Cell) -> None:
    @examples(1)
    @given(case=case_of(cell, at_most=24))
    def same(case: Case) -> None:
        compare_operators(machine, case, PATHS[cell.path], cell.form)

    same()


def test_the_table_is_full() -> None:
    """What asks for something that varies in time is not possible over a table, nor is a window, and
    what asks for a relation not over a stream; joins AS OF the time of r not over batches."""
    pairs = {(cell.construct, cell.window) for cell in cells()}
    as_of = [name for name in CONSTRUCTS if "AS OF" in name or "ASOF" in name]
    left_out = len(VARYING) + 2 * len(VERSIONED) + len(STANDING_ON_IT) + len(as_of) * len(BATCHED)
    assert len(pairs) == len(CONSTRUCTS) * len(WINDOWS) - left_out
