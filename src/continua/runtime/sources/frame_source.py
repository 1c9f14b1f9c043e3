"""DataFrames of the user as streams and tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from pyspark.sql import DataFrame, SparkSession

from continua.errors import ContinuaError
from continua.model.catalog import SourceCall
from continua.model.schema import Column
from continua.physical.analyzer import type_of
from continua.runtime.arrow import python_rows, sorted_table
from continua.runtime.sources.record import Place, Position, Record
from continua.runtime.sources.source import Source
from continua.runtime.sources.spark_files import adopted
from continua.runtime.sources.spark_rows import Part, rows_of
from continua.runtime.sources.spark_text import Cell

FRAME: Final = "DataFrame"
"""The function of such a source; those that may follow SOURCE are in small letters."""


@dataclass(frozen=True, eq=False)
class Held:
    """A DataFrame as the argument of a source: no other is equal to it."""

    frame: DataFrame

    @property
    def digested(self) -> tuple[object, ...]:
        return (id(self),)


def frame_call(spark: SparkSession, frame: DataFrame) -> SourceCall:
    """What a relation whose rows are those of a DataFrame has in the place of a declaration."""
    return SourceCall(FRAME, (Held(adopted(spark, frame)),))


def columns_of(name: str, frame: DataFrame) -> tuple[Column, ...]:
    """The columns of a DataFrame, of types that tuples can carry."""
    columns = []
    for field in frame.schema:
        type_ = type_of(field.dataType)
        if type_ is None:
            shown = field.dataType.simpleString().upper()
            message = f"{name}: tuples cannot carry column {field.name}, which is {shown}"
            hint = f"df.drop('{field.name}'), or cast it first"
            raise ContinuaError("TYPE_MISMATCH", message, hint=hint)
        columns.append(Column(field.name, type_))
    return tuple(columns)


class FrameSource(Source):
    """A row of a DataFrame has no position: equal times are told apart by the values."""

    def records(self) -> Iterator[Position]:
        """Those of a DataFrame that fits into memory."""
        names = self._names
        table = sorted_table(self._frame.toDF(*names).toArrow(), names)
        rows = python_rows(table, [column.type for column in self.relation.columns])
        for number, row in enumerate(rows, 1):
            yield number, Record(row, Place(self.relation.name, number))

    def opened(self, spark: SparkSession, identified: bool) -> DataFrame | None:
        """Its rows; None if bad ones are to be passed over and there are some."""
        names, relation = self._names, self.relation
        cells = [Cell(name, None) for name in names]
        fields = {field.name.lower(): field for field in self._frame.schema}
        timely = relation.start is not None and not fields[relation.start.lower()].nullable
        return rows_of(relation, [Part(self._frame.toDF(*names), cells, (), None, timely)])

    @property
    def _names(self) -> list[str]:
        return [f"v{i}" for i in range(len(self.relation.columns))]

    @property
    def _frame(self) -> DataFrame:
        (held,) = self.args
        assert isinstance(held, Held)
        return held.frame
