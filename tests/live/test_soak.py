"""State grows with the windows, not with time: nor do memory and disk.

`make soak` goes on for longer.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from continua import Session
from continua.runtime.live.running import Running

pytestmark = pytest.mark.spark

SLABS = int(os.environ.get("CONTINUA_SLABS", "15"))
WARM = 7
"""Slabs until the windows are full."""
QUERY = """
SELECT a.k, SUM(a.v) AS s, COUNT(*) AS n FROM r WINDOW(RANGE 300) AS a
JOIN r WINDOW(PARTITION BY k ROWS 2) AS b ON a.k = b.k GROUP BY a.k
"""


def test_nothing_grows_with_time(live: Callable[[], Session], tmp_path: Path) -> None:
    (tmp_path / "r").mkdir()
    session = live()
    session.sql(
        f"CREATE STREAM r (k INT, v INT, t BIGINT) SOURCE json('{tmp_path}/r') ORDERED BY t"
    )
    slabs: list[int] = []
    session.foreach_slab(session.sql(QUERY), lambda slab, rows: slabs.append(rows.count()))
    running = session.start(tmp_path / "checkpoint")
    found = []
    for number in range(SLABS):
        drop(tmp_path, number)
        wait_for(running, 100 * number + 99)
        if number >= WARM:
            found.append(sizes(running))
    running.stop()
    assert len(slabs) >= SLABS - 1
    first, rest = found[0], found[1:]
    for name, size in first.items():
        largest = max(later[name] for later in rest)
        assert largest <= 1.2 * size + 2, f"{name} has grown from {size} to {largest}"


def drop(folder: Path, number: int) -> None:
    times = range(number * 100, (number + 1) * 100)
    rows = [{"k": t % 7, "v": t % 10, "t": t} for t in times]
    (folder / "partial").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "partial").rename(folder / "r" / f"{number:06}.json")


def wait_for(running: Running, reached: int) -> None:
    while running.progress.reached < reached:
        assert running.status == "running"
        time.sleep(0.05)


def sizes(running: Running) -> dict[str, int]:
    spark = running._engine.spark
    return {
        "rows kept": sum(running.progress.state.values()),
        "bytes kept": running.progress.bytes,
        "slabs": len(list((running.checkpoint / "slabs").iterdir())),
        "views": len(spark.catalog.listTables()),
        "relations in memory": spark.sparkContext._jsc.sc().getPersistentRDDs().size(),
        "memory": megabytes(spark),
    }


def megabytes(spark: SparkSession) -> int:
    """What Java holds on to."""
    jvm = spark.sparkContext._jvm
    assert jvm is not None
    jvm.System.gc()
    runtime = jvm.java.lang.Runtime.getRuntime()
    return int(runtime.totalMemory() - runtime.freeMemory()) // 2**20
