"""DataFrames of the user as streams and tables."""

from __future__ import annotations

from collections.abc import Iterator

from pyspark.sql import DataFrame

from continua.errors import ContinuaError
from continua.logical.expr.cast import accept
from continua.model.catalog import Relation
from continua.model.schema import Column
from continua.physical.analyzer import type_of
from continua.runtime.arrow import python_rows, sorted_table
from continua.runtime.sources.record import Place, Position, Reader, Record
from continua.runtime.sources.spark_delivery import Piece, delivery
from continua.runtime.sources.spark_text import Cell

SOURCE = "dataframe"
"""How the source of such a relation is called."""


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


def frame_delivery(relation: Relation, frame: DataFrame) -> DataFrame | None:
    """The rows as a scan reads them; None if bad ones are to be passed over and there are some.

    A row of a DataFrame has no position: equal times are told apart by the values.
    """
    names = [f"v{i}" for i in range(len(relation.columns))]
    cells = [Cell(name, None) for name in names]
    fields = {field.name.lower(): field for field in frame.schema}
    timely = relation.start is not None and not fields[relation.start.lower()].nullable
    return delivery(relation, [Piece(frame.toDF(*names), cells, (), None, timely)])


def frame_reader(frame: DataFrame) -> Reader:
    """The reader of the reference, for DataFrames that fit into memory."""

    def records(relation: Relation) -> Iterator[Position]:
        names = [f"v{i}" for i in range(len(relation.columns))]
        table = sorted_table(frame.toDF(*names).toArrow(), names)
        rows = python_rows(table, [column.type for column in relation.columns])
        for number, row in enumerate(rows, 1):
            yield number, Record(row, Place(relation.name, number))

    return Reader(lambda relation: None, records, accept)
