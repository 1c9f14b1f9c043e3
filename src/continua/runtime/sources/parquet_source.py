"""`parquet('glob')`: Parquet files."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyspark.sql import SparkSession

from continua.errors import ContinuaError
from continua.model.catalog import Relation
from continua.runtime.sources.columns import locate
from continua.runtime.sources.file_source import FileSource
from continua.runtime.sources.files import File
from continua.runtime.sources.record import Place, Problem, Record, row_text
from continua.runtime.sources.spark_parquet import parquet_parts
from continua.runtime.sources.spark_rows import Part


class ParquetSource(FileSource):
    SUFFIXES = (".parquet",)
    COLUMNAR = True

    def records_of(self, file: File) -> Iterator[Record | Problem]:
        with open(file.path, "rb") as stream:
            number = 0
            for columns in _batches(self.relation, file, stream):
                for row in range(len(columns[0])):
                    number += 1
                    yield _record([column[row] for column in columns], Place(file.name, number))

    def parts(self, spark: SparkSession, identified: bool) -> list[Part] | None:
        return parquet_parts(spark, self.relation, self.files(), identified)


def _batches(relation: Relation, file: File, stream: object) -> Iterator[list[pa.Array]]:
    """The declared columns, piece by piece."""
    try:
        parquet = pq.ParquetFile(stream)
        stored = parquet.schema_arrow.names
        names = [stored[position] for position in locate(relation, stored, file.name)]
        for batch in parquet.iter_batches(columns=names):
            yield [_in_microseconds(batch.column(name)) for name in names]
    except (pa.ArrowException, OSError) as error:
        reason = str(error).partition("\n")[0]
        message = f"{file.name} cannot be read as Parquet: {reason}"
        raise ContinuaError("BAD_ROW", message, relation.source.span) from None


def _in_microseconds(column: pa.Array) -> pa.Array:
    """Timestamps in the one form that the language has: microseconds in UTC, without a zone."""
    if not pa.types.is_timestamp(column.type):
        return column
    finer = column.type.unit == "ns"
    in_utc = pc.cast(column, pa.timestamp("us", column.type.tz), safe=not finer)
    return in_utc.view(pa.timestamp("us"))


def _record(scalars: list[pa.Scalar], place: Place) -> Record | Problem:
    try:
        values = tuple(scalar.as_py() for scalar in scalars)
    except (ValueError, ArithmeticError) as error:
        return Problem(f"a value cannot be read: {error}", place, row_text(map(_stored, scalars)))
    return Record(values, place)


def _stored(scalar: pa.Scalar) -> object:
    """The value; where Python has none, its type and, of a time, the number in the file."""
    try:
        return scalar.as_py()
    except (ValueError, ArithmeticError):
        return f"{getattr(scalar, 'value', '?')} {scalar.type}"
