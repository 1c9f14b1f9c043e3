"""State grows with the windows, not with time: nor do memory and disk.

`make soak` goes on for longer.
"""

from __future__ import annotations

import gc
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
MEGABYTES = 10
"""By how much the memory in use may differ. A slab that is held on to takes about three."""
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
        most = size + MEGABYTES if name == "megabytes" else 1.2 * size + 2
        assert largest <= most, f"{name} have grown from {size} to {largest}"
    assert on_disk(running.checkpoint / "spark") <= 60_000 + 400 * SLABS


def drop(folder: Path, number: int) -> None:
    times = range(number * 100, (number + 1) * 100)
    rows = [{"k": t % 7, "v": t % 10, "t": t} for t in times]
    (folder / "partial").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "partial").rename(folder / "r" / f"{number:06}.json")


def wait_for(running: Running, reached: int) -> None:
    while running.progress.watermark < reached:
        assert running.status == "running"
        time.sleep(0.05)


def sizes(running: Running) -> dict[str, int]:
    spark = running._engine.spark
    return {
        "rows kept": sum(running.progress.state.values()),
        "bytes kept": running.progress.bytes,
        "slabs": len(list((running.checkpoint / "slabs").iterdir())),
        "bytes on disk": sum(on_disk(running.checkpoint / name) for name in ("manifests", "slabs")),
        # Names alone: Spark looks at each table that it lists, and a view may be dropped meanwhile.
        "views": spark.sql("SHOW VIEWS").count(),
        "relations in memory": spark.sparkContext._jsc.sc().getPersistentRDDs().size(),
        "megabytes": megabytes(spark),
    }


def on_disk(folder: Path) -> int:
    """Bytes. Spark notes the names of all files it has read, among other things."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def megabytes(spark: SparkSession) -> int:
    """What Java holds on to, and not because Python has not yet collected its garbage."""
    jvm = spark.sparkContext._jvm
    assert jvm is not None
    gc.collect()
    jvm.System.gc()
    runtime = jvm.java.lang.Runtime.getRuntime()
    return int(runtime.totalMemory() - runtime.freeMemory()) // 2**20
