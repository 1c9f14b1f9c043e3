"""Rows in the memory of the executors, by columns.

A later query knows nothing of them but that they are rows. It reads the columns it needs, and
passes over batches in which it needs none. `DataFrame.persist` would do the same, but Spark then
looks in every plan for parts that it might have at hand.
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


def lasting(frame: DataFrame) -> DataFrame:
    """The same for rows that later slabs read: how they were computed is forgotten.

    Otherwise the plan of every slab would have those of all slabs before inside.
    """
    return in_memory(frame.localCheckpoint(eager=False))


def settled(frame: DataFrame) -> None:
    """Frees what `lasting` needed until the rows had been computed."""
    _builder(frame).cachedPlan().rdd().unpersist(False)


def freed(frame: DataFrame) -> None:
    """Frees the rows; Spark does so when Java happens to collect garbage."""
    _builder(frame).clearCache(False)


def _builder(frame: DataFrame) -> Any:
    return frame._jdf.queryExecution().logical().cacheBuilder()
