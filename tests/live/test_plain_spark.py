"""What Structured Streaming by itself makes of rows of one time in two batches, and what we make."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from flow import Flow
from pyspark.sql import SparkSession

from continua import Session

pytestmark = pytest.mark.spark

FIRST = [("a", 4), ("a", 5)]
SECOND = [("a", 5), ("a", 9)]


def rows(given: list[tuple[str, int]]) -> list[dict[str, object]]:
    return [{"k": k, "t": t} for k, t in given]


def test_plain_spark_loses_a_row_that_we_keep(
    spark: SparkSession, live: Callable[[], Session], tmp_path: Path
) -> None:
    statement = f"CREATE STREAM r (k STRING, t BIGINT) SOURCE json('{tmp_path}/r') ORDERED BY t"
    query = "SELECT COUNT(*) AS n FROM r WINDOW(RANGE 1)"
    flow = Flow(tmp_path, live, [statement], query, "INTERVALS")
    counts: dict[int, int] = {}
    for number, given in enumerate((FIRST, SECOND)):
        flow.drop("r", str(number), rows(given))
        flow.step()
        counts |= plainly(spark.newSession(), tmp_path)
    flow.finish()
    ours = {row[1]: row[0] for slab in flow.slabs.values() for row in slab}
    assert ours == {4: 1, 5: 2, 9: 1}
    assert counts == {4: 1, 5: 1, 9: 1}, "the second row of time 5 is taken for late"


def plainly(spark: SparkSession, folder: Path) -> dict[int, int]:
    """Rows per time, by a watermark that is as patient as ours: what it gives after a batch."""
    found: dict[int, int] = {}
    stream = spark.readStream.schema("k STRING, t BIGINT").json(str(folder / "r"))
    timed = stream.selectExpr("timestamp_seconds(t) AS at").withWatermark("at", "0 seconds")
    counted = timed.groupBy("at").count().selectExpr("unix_seconds(at) AS t", "count")
    writer = counted.writeStream.option("checkpointLocation", str(folder / "plain"))
    query = (
        writer.outputMode("append")
        .foreachBatch(lambda batch, _: found.update(dict(map(tuple, batch.collect()))))
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    return found
