"""The rows that a sink is given: those of a slab, or of all of history."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pyspark.sql import DataFrame

from continua.model.element import Values
from continua.model.schema import Column, Schema
from continua.model.types import STRING
from continua.physical.analyzer import type_of
from continua.runtime.arrow import python_rows
from continua.runtime.result import Result


class SparkRows:
    """Rows that Spark computes when it is asked for them, with the interface of a `Result`.

    order: SQL, the columns by which the rows are in order of time, the first being `o0`.
    """

    def __init__(self, frame: DataFrame, order: Sequence[str] = ()) -> None:
        self._frame = frame
        self._order = order

    @property
    def schema(self) -> Schema:
        fields = self._frame.schema
        return Schema(tuple(Column(f.name, type_of(f.dataType) or STRING) for f in fields))

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self._frame.columns)

    def __iter__(self) -> Iterator[Values]:
        """The rows as tuples, brought to the driver: for sinks that take few."""
        return python_rows(self.in_order().toArrow(), self.schema.types)

    def to_spark(self) -> DataFrame:
        """The rows as a DataFrame, in any order; Spark's tasks do what is done with it."""
        return self._frame

    def in_order(self) -> DataFrame:
        """The rows in one partition, in order of time if they have one."""
        if not self._order:
            return self._frame
        # By their places: names may be any text, and be there twice.
        placed = self._frame.toDF(*(f"o{i}" for i in range(len(self.columns))))
        text = f"SELECT /*+ REPARTITION(1) */ * FROM {{rows}} SORT BY {', '.join(self._order)}"
        return placed.sparkSession.sql(text, rows=placed).toDF(*self.columns)


Rows = Result | SparkRows
"""What a sink is given: the reference has the rows in memory, Spark computes them in tasks.

Both have `schema`, `columns`, `to_spark()`, and can be iterated over.
"""
