"""`make fuzz`: new random queries on both engines and DuckDB, until the time is over.

Before them every construct is tried over every window, in either form, over one slab and over many,
on DuckDB; beside them a part of the same on Spark. Tables of what has been tried are printed.

A failure is shrunk and printed with the seed that finds it again. Make it a permanent test: a script
in tests/scripts, which both engines run.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

sys.path += [str(Path(__file__).parent), str(Path(__file__).parents[1] / "spark")]

import duckdb
from both_engines import compare, compare_operators
from drawing import draw_the_same_everywhere
from grid import PATHS, STREAMERS, Cell, case_of, cells, table
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st
from on_duckdb import DuckDB
from queries import Both, Case, cases
from test_snapshot_reducibility import check

from continua.physical.operator import Form
from continua.physical.spark import spark_session
from continua.runtime.engine import Engine

ROUND = 25
"""Queries of one seed; a third of them have extreme values and times."""
CELLS = 100
"""Cells of the table of constructs and windows that are tried with one seed."""


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
    fuzz = Fuzz(engine, time.monotonic() + 60 * asked.minutes)
    number, todo = asked.seed, list(cells())
    Random(asked.seed).shuffle(todo)
    tried = fuzz.cells(todo, number, fuzz.operators)
    print(f"seed {number}: {tried} cells on DuckDB, no difference", flush=True)
    while not fuzz.over:
        # Small slabs of a live run are interpreted, history is compiled.
        fuzz.compile(number % 3 == 0)
        queries = fuzz.queries(number)
        # The cells of the table, and when all have been tried, all of them again.
        part, todo = todo[:CELLS], todo[CELLS:] + todo[:CELLS]
        tried = fuzz.cells(part, number, fuzz.spark)
        print(f"seed {number}: {queries} queries and {tried} cells, no difference", flush=True)
        number += 1
    for engine_name, counts in (("DuckDB", fuzz.operators), ("Spark", fuzz.spark)):
        print(f"{engine_name}:\n{table(counts)}")
    spark.stop()


class Fuzz:
    """Looks for differences until the time is over."""

    def __init__(self, engine: Engine, end: float) -> None:
        self.engine = engine
        self.end = end
        self.plain = duckdb.connect()
        self.duckdb = DuckDB()
        self.operators: Counter[Cell] = Counter()
        self.spark: Counter[Cell] = Counter()

    @property
    def over(self) -> bool:
        return time.monotonic() > self.end

    def compile(self, compiled: bool) -> None:
        conf = self.engine.spark.conf
        conf.set("spark.sql.codegen.wholeStage", str(compiled).lower())
        conf.set("spark.sql.codegen.factoryMode", "FALLBACK" if compiled else "NO_CODEGEN")

    def cells(self, part: Sequence[Cell], number: int, tried: Counter[Cell]) -> int:
        """Tries cells over random rows where they are counted; gives how many."""
        for done, cell in enumerate(part):
            if self.over:
                return done
            self._cell(cell, number, on_spark=tried is self.spark)
            tried[cell] += 1
        return len(part)

    def _cell(self, cell: Cell, number: int, on_spark: bool) -> None:
        @seed(number)
        @settings(_settings, max_examples=1)
        @given(case=case_of(cell))
        def look(case: Case) -> None:
            if on_spark:
                compare(self.engine, case, PATHS[cell.path], cell.form)
            else:
                compare_operators(self.duckdb, case, PATHS[cell.path], cell.form)

        look()

    def queries(self, number: int) -> int:
        """Tries random queries; gives how many."""
        tried, failed = 0, False

        @seed(number)
        @settings(_settings, max_examples=ROUND)
        @given(
            case=st.sampled_from([False, False, True]).flatmap(cases),
            cuts=st.lists(st.integers(-2, 16), max_size=3, unique=True),
            form=st.sampled_from(Form),
            streamer=st.sampled_from(["{}"] * 4 + list(STREAMERS.values())),
        )
        def look(case: Case, cuts: list[int], form: Form, streamer: str) -> None:
            nonlocal tried, failed
            # What has failed is shrunk to the end, whatever the time.
            if self.over and not failed:
                return
            tried += 1
            failed, before = True, failed
            asked = replace(case, query=Both(streamer.format(case.query.ours), ""))
            found = compare(self.engine, asked, cuts, form)
            # DuckDB has no streamers, rounds floating sums, and knows other extremes.
            if streamer == "{}" and found is not None and not case.sources[0].extreme:
                check(self.plain, case)
            failed = before

        look()
        return tried


_settings = settings(
    database=None, deadline=None, print_blob=True, suppress_health_check=list(HealthCheck)
)


if __name__ == "__main__":
    main()
