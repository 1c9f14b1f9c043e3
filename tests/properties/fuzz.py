"""`make fuzz`: new random queries on both engines and DuckDB, until the time is over.

Beside them every construct is tried over every window, in either form, over one slab and over many;
a table of what has been tried is printed at the end.

A failure is shrunk and printed with the seed that finds it again. Make it a permanent test: a script
in tests/scripts, which both engines run.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path
from random import Random

sys.path += [str(Path(__file__).parent), str(Path(__file__).parents[1] / "spark")]

import duckdb
from both_engines import compare
from drawing import draw_the_same_everywhere
from grid import PATHS, Cell, case_of, cells, table
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st
from queries import Case, cases
from test_snapshot_reducibility import check

from continua.physical.operator import Form
from continua.physical.spark import spark_session
from continua.runtime.engine import Engine

ROUND = 25
"""Queries between two looks at the clock."""
CELLS = 100
"""Cells of the table of constructs and windows that are tried between two looks at the clock."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=30)
    asked = parser.parse_args()
    draw_the_same_everywhere()
    spark = spark_session()
    engine = Engine(spark)
    for key, value in (("adaptive.enabled", "false"), ("shuffle.partitions", "1")):
        engine.spark.conf.set(f"spark.sql.{key}", value)
    plain = duckdb.connect()
    end, number = time.monotonic() + 60 * asked.minutes, asked.seed
    tried: Counter[Cell] = Counter()
    todo = list(cells())
    Random(asked.seed).shuffle(todo)
    while time.monotonic() < end:
        _round(engine, plain, number)
        print(f"seed {number}: {ROUND} queries, no difference", flush=True)
        # The cells of the table, and when all have been tried, all of them again.
        part, todo = todo[:CELLS], todo[CELLS:] + todo[:CELLS]
        for cell in part:
            _cell(engine, cell, number)
            tried[cell] += 1
        print(f"seed {number}: {len(part)} cells, no difference", flush=True)
        number += 1
    print(table(tried))
    spark.stop()


def _cell(engine: Engine, cell: Cell, number: int) -> None:
    @seed(number)
    @settings(max_examples=1, database=None, deadline=None, suppress_health_check=list(HealthCheck))
    @given(case=case_of(cell))
    def look(case: Case) -> None:
        compare(engine, case, PATHS[cell.path], cell.form)

    look()


def _round(engine: Engine, plain: duckdb.DuckDBPyConnection, number: int) -> None:
    @seed(number)
    @settings(
        max_examples=ROUND,
        database=None,
        deadline=None,
        print_blob=True,
        suppress_health_check=list(HealthCheck),
    )
    @given(
        case=cases(),
        cuts=st.lists(st.integers(-2, 16), max_size=3, unique=True),
        form=st.sampled_from(Form),
    )
    def look(case: Case, cuts: list[int], form: Form) -> None:
        if compare(engine, case, cuts, form) is not None:
            check(plain, case)

    look()


if __name__ == "__main__":
    main()
