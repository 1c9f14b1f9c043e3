"""`USING format OPTIONS (…)`: history and streams from any source that Spark can read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, DataFrameReader, SparkSession
from pyspark.sql.streaming.readwriter import DataStreamReader

from continua.errors import ContinuaError, with_article
from continua.model.types import FLOAT
from continua.physical.expression import spark_type
from continua.physical.spark_internals.error_conditions import is_without_columns, missing_path
from continua.physical.spark_internals.error_texts import reason, tells_of_unknown_format
from continua.physical.spark_internals.java_errors import JAVA_FAILED
from continua.runtime.sources.columns import locate
from continua.runtime.sources.files import check_regular
from continua.runtime.sources.live_source import Arrived, Brought, LiveSource
from continua.runtime.sources.record import Position
from continua.runtime.sources.source import Source
from continua.runtime.sources.spark_files import adopted
from continua.runtime.sources.spark_rows import Part, passed_over, passing_over
from continua.runtime.sources.spark_text import Cell, not_infinite


class FormatSource(Source):
    """A format of Spark. Only Spark knows which there are, and their options: any may be declared.

    Nothing but Spark reads it, so a row whose values do not convert is bad, and that is all that is
    known of it. A source in general has no positions; φ is the order of the values, in which only
    rows that are equal anyway tie.
    """

    @property
    def name(self) -> str:
        return f"the {self.args[0]} source of {self.relation.name}"

    def records(self) -> Iterator[Position]:
        message = f"{self.relation.name}: USING {self.args[0]} is read by Spark alone"
        hint = "Session(engine='spark'); the reference reads what SOURCE names"
        raise ContinuaError("UNSUPPORTED", message, self.relation.source.span, hint=hint)

    def opened(self, spark: SparkSession, identified: bool) -> DataFrame:
        return passing_over(self.relation, self.part(self.loaded(spark.read), identified))

    def unreadable(self) -> ContinuaError:
        message = f"a row of {self.name} cannot be read as declared, or has no valid time"
        hint = "ON ERROR DROP or KEEP passes over such rows"
        return ContinuaError("BAD_ROW", message, self.relation.source.span, hint=hint)

    def passed_over(self, spark: SparkSession) -> DataFrame:
        return passed_over(self.relation, self.part(self.loaded(spark.read), identified=False))

    def live(self) -> LiveSource | None:
        return LiveFormat(self) if self.relation.is_stream else None

    def part(self, frame: DataFrame, identified: bool) -> Part:
        """Rows of the format with the declared types, in a batch or out of a stream."""
        columns = self.relation.columns
        positions = locate(self.relation, frame.columns, self.name)
        types = [field.dataType.simpleString() for field in frame.schema.fields]
        raw = frame.toDF(*(f"x{i}" for i in range(len(types))))
        raw = raw.selectExpr(*(f"x{position} AS r{i}" for i, position in enumerate(positions)))
        cells = []
        for i, (column, position) in enumerate(zip(columns, positions, strict=True)):
            wanted = spark_type(column.type)
            value = f"TRY_CAST(r{i} AS {wanted})"
            try:
                raw.selectExpr(value)
            except PySparkException:
                message = (
                    f"column {column.name} of {self.name} is {types[position].upper()},"
                    f" which is never {with_article(column.type)}"
                )
                span = self.relation.source.span
                raise ContinuaError("TYPE_MISMATCH", message, span) from None
            held = ""
            if column.type.floating:
                value += " + FLOAT(0)" if column.type == FLOAT else " + 0D"
                held = f" AND ({not_infinite(f'c{i}')} OR lower(string(r{i})) LIKE '%inf%')"
            cells.append(Cell(value, f"(r{i} IS NULL OR (c{i} IS NOT NULL{held}))"))
        phi = f"struct({', '.join(f'c{i}' for i in range(len(cells)))})" if identified else None
        return Part(raw, cells, [], phi)

    def loaded(self, reader: DataFrameReader | DataStreamReader) -> DataFrame:
        """What Spark reads for the format and its options."""
        format_, given = str(self.args[0]), self.relation.source.options
        for key, value in given:
            if key.lower() == "path":
                check_regular(self.relation, str(value).removeprefix("file:"))
        try:
            return reader.format(format_).options(**self.options).load()
        except (PySparkException, JAVA_FAILED, ValueError, TypeError) as error:
            if path := missing_path(error):
                raise self.refused(f"no file {path}") from None
            if tells_of_unknown_format(str(error)):
                hint = "its package has to be on Spark's class path"
                raise self.refused(f"Spark knows no format {format_}", hint) from None
            if is_without_columns(error) and any(key == "path" for key, _ in given):
                message = f"{self.name} has no file yet from which Spark knows its columns"
                hint = (
                    "put a first file there; SOURCE csv, json or parquet take the declared columns"
                )
                raise self.refused(message, hint) from None
            message = f"Spark cannot read {self.name}: {reason(error)}"
            span = self.relation.source.span
            raise ContinuaError("WRONG_ARGUMENTS", message, span) from None

    def _given_options(self) -> dict[str, Any]:
        return {
            key: str(value).lower() if isinstance(value, bool) else str(value)
            for key, value in self.relation.source.options
        }


class LiveFormat(LiveSource):
    """The live side of a format: rows that a stream of Spark brings."""

    BRINGS_ROWS = True

    def __init__(self, source: FormatSource) -> None:
        self._source = source

    @property
    def number(self) -> int:
        return 1

    def streams(
        self, spark: SparkSession, names: Sequence[str], most_files: int | None
    ) -> list[DataFrame]:
        return [self._source.loaded(spark.readStream.name(name)) for name in names]

    def arrived(
        self, spark: SparkSession, brought: Brought, exact: bool, positioned: bool
    ) -> Arrived:
        relation = self._source.relation
        part = self._source.part(adopted(spark, brought.rows()), identified=True)
        bad = passed_over(relation, part) if relation.on_error != "FAIL" else None
        return Arrived(relation, passing_over(relation, part), bad=bad)
