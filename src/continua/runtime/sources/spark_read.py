"""The way in for the Spark engine: rows that Spark itself reads, in parallel, on its executors.

Spark's readers are fast but have rules of their own. So a row that they might see otherwise than
the readers of the reference is never taken at its word: clean data is read by Spark, and as soon
as there is doubt, the relation is read by the reference, which also knows what to say about it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from continua.model.catalog import Relation
from continua.physical.failures import BAD_ROW
from continua.physical.spark_internals.error_texts import tells_of_unreadable_file
from continua.physical.spark_internals.java_errors import JAVA_RAISED
from continua.runtime.sources.read import Delivery, check, read
from continua.runtime.sources.spark_csv import csv_pieces
from continua.runtime.sources.spark_delivery import Piece, delivery
from continua.runtime.sources.spark_files import adopted
from continua.runtime.sources.spark_json import json_pieces
from continua.runtime.sources.spark_parquet import parquet_pieces
from continua.runtime.sources.spark_using import bad_row, open_format

_FORMATS: Final[dict[str, Callable[[SparkSession, Relation, bool], list[Piece] | None]]] = {
    "csv": csv_pieces,
    "json": json_pieces,
    "parquet": parquet_pieces,
}


def open_source(spark: SparkSession, relation: Relation, identified: bool) -> DataFrame | None:
    """The rows of a relation as `physical.scan.delivered` has them, phi only if identified.

    None: the reference has to read it. A query over the rows may yet fail in a way that
    `is_doubt` recognises; then, too, `read_exactly` knows better.
    """
    check(relation)
    if relation.source.is_format:
        return open_format(spark, relation, identified)
    function = relation.source.function
    if function not in _FORMATS:
        return None
    try:
        pieces = _FORMATS[function](spark, relation, identified)
        found = delivery(relation, pieces) if pieces else None
        return None if found is None else adopted(spark, found)
    except (PySparkException, JAVA_RAISED) as error:
        if is_doubt(error):
            return None
        raise


def is_doubt(error: Exception) -> bool:
    """Whether Spark has failed at a row or a file that it may not understand."""
    text = str(error)
    return BAD_ROW in text or tells_of_unreadable_file(text)


def read_exactly(relation: Relation) -> Delivery:
    """The rows as the reference reads them, or an error that says what is wrong and where."""
    if relation.source.is_format:
        raise bad_row(relation)
    return read(relation)
