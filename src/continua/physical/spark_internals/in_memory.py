"""Rows in the memory of the executors, by columns.

A later query knows nothing of them but that they are rows. It reads the columns it needs, and
passes over batches in which it needs none.

Relies on `InMemoryRelation`, the plan with which Spark holds the rows of a cached table, and on
its `CachedRDDBuilder`. The public `DataFrame.persist` makes the same plan, but Spark then looks in
every plan for parts that it might have at hand. Tried with Spark 4.3.
"""

from __future__ import annotations

from typing import Any

from pyspark import StorageLevel
from pyspark.sql import DataFrame


def in_memory(frame: DataFrame) -> DataFrame:
    """The rows of a frame, in memory once they have been computed, and until they are freed."""
    spark = frame.sparkSession
    sql = spark._jvm.org.apache.spark.sql  # type: ignore[union-attr]
    relations = getattr(getattr(sql.execution.columnar, "InMemoryRelation$"), "MODULE$")
    level = spark.sparkContext._getJavaStorageLevel(StorageLevel.MEMORY_AND_DISK_DESER)
    unnamed = spark._jvm.scala.Option.empty()  # type: ignore[union-attr]
    held = relations.apply(level, frame._jdf.queryExecution(), unnamed)
    return DataFrame(sql.classic.Dataset.ofRows(spark._jsparkSession, held), spark)


def cut_off(frame: DataFrame) -> DataFrame:
    """The rows of a frame, which forget how they were computed once they have been.

    Without, the plan of every slab would have those of all slabs before inside. They are to be
    held `in_memory` only after they have been computed: Spark notes of which parts rows are made
    when it first sees them, and would hold on to those from which they were computed.
    """
    return frame.localCheckpoint(eager=False)


def freed(frame: DataFrame) -> None:
    """Frees the rows; Spark does so when Java happens to collect garbage."""
    _builder(frame).clearCache(False)


def freed_with_origin(frame: DataFrame) -> None:
    """Frees rows that were held after having been cut off, and what they were made of."""
    freed(frame)
    # Spark may have wrapped the rows, to compile what reads them.
    _builder(frame).cachedPlan().collectLeaves().head().rdd().unpersist(False)


def _builder(frame: DataFrame) -> Any:
    return frame._jdf.queryExecution().logical().cacheBuilder()
