"""`make nexmark`: every query over many events on Spark, compared with what DuckDB finds."""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from pathlib import Path

import duckdb
import pyarrow as pa
from nexmark import KINDS, Nexmark
from nexmark_queries import ALL, Asked, store

from continua import Session
from continua.physical.spark import spark_session

LONG = {
    "nexmark/q15": "Spark looks at all bids of the day so far with every bid",
    "nexmark/q16": "Spark looks at all bids of the day so far with every bid",
    "nexmark/q19": "Spark and DuckDB look at all pairs of bids for an auction",
    "tods/q4": "Spark compares every bid with all maxima of ten minutes",
    "tods/q6": "DuckDB counts the bids of an hour anew with every bid",
}
"""Queries whose cost grows with the square of the events, and why."""

MANY = 2_000
"""Over more events these are left out, but for those that are asked for by their whole names."""


class Expected:
    """What DuckDB finds over the events in a folder."""

    def __init__(self, folder: Path) -> None:
        self._duckdb = duckdb.connect()
        for name in KINDS:
            self._duckdb.execute(
                f'CREATE TABLE {name} AS SELECT * RENAME ("at" AS ts) '
                f"FROM read_parquet('{folder}/{name}/*.parquet')"
            )
        self._duckdb.execute(
            f"CREATE TABLE side_input AS FROM read_parquet('{folder}/side_input/*.parquet')"
        )

    def compare(self, asked: Asked, found: pa.Table | Path) -> tuple[int, list[tuple[object, ...]]]:
        """How many rows there are to be, and some changes that only one side has.

        Two results are the same if the same rows come and go at the same times, each as often: how
        their intervals are cut plays no role. A change ends with how often it is there beyond what
        is expected, as the tuple comes (1), or goes (-1).
        """
        if isinstance(found, Path):
            self._duckdb.execute(
                f"CREATE OR REPLACE VIEW found AS SELECT * FROM read_parquet('{found}/*.parquet')"
            )
        else:
            self._duckdb.register("found", found)
        columns = [row[0] for row in self._duckdb.execute("DESCRIBE found").fetchall()]
        times = ["came"] if columns[-1] == "at" else ["valid_from", "valid_to"]
        values = [f"c{i}" for i in range(len(columns) - len(times))]
        names = ", ".join([*values, *times])
        self._duckdb.execute(
            f"CREATE OR REPLACE TEMP TABLE expected AS FROM ({asked.expected}) AS e({names})"
        )
        changes = " UNION ALL ".join(
            f"SELECT {', '.join([*values, time])}, {sign * comes} AS n "
            f"FROM (SELECT * FROM {side}) AS s({names}) WHERE {time} IS NOT NULL"
            for side, sign in (("found", 1), ("expected", -1))
            for time, comes in zip(times, (1, -1), strict=False)
        )
        differing = self._duckdb.execute(
            f"SELECT * EXCLUDE (n), sum(n) AS beyond FROM ({changes}) GROUP BY ALL "
            "HAVING sum(n) <> 0 ORDER BY ALL LIMIT 5"
        ).fetchall()
        rows = self._duckdb.execute("SELECT count(*) FROM expected").fetchall()[0][0]
        return rows, differing


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("queries", nargs="*", help="parts of the names of queries; by default all")
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--rate", type=float, default=10.0, help="events in a second of their time")
    asked = parser.parse_args()
    spark, folder = spark_session(), Path(tempfile.mkdtemp(prefix="continua-nexmark-"))
    wrong = 0
    try:
        store(spark, folder, Nexmark(asked.events, asked.rate))
        expected = Expected(folder)
        for query in ALL:
            if asked.queries and not any(part in query.name for part in asked.queries):
                continue
            if query.name in LONG and asked.events > MANY and query.name not in asked.queries:
                print(f"{query.name:12} left out: {LONG[query.name]}", flush=True)
                continue
            began = time.perf_counter()
            result = query.over(Session(spark=spark), folder).to_spark()
            result.write.parquet(str(folder / "found"))
            written = time.perf_counter()
            rows, differing = expected.compare(query, folder / "found")
            compared = time.perf_counter()
            shutil.rmtree(folder / "found")
            wrong += bool(differing)
            print(
                f"{query.name:12} {rows:10} rows  Spark {written - began:6.1f} s  "
                f"DuckDB {compared - written:6.1f} s  {'DIFFERS' if differing else 'the same'}",
                *differing,
                sep="\n  ",
                flush=True,
            )
    finally:
        shutil.rmtree(folder)
        spark.stop()
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
