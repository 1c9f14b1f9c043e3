"""`USING format OPTIONS (…)`: history from any source that Spark can read."""

from __future__ import annotations

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, DataFrameReader, SparkSession
from pyspark.sql.streaming.readwriter import DataStreamReader

from continua.errors import ContinuaError, with_article
from continua.model.catalog import Relation
from continua.model.types import FLOAT
from continua.physical.expression import spark_type
from continua.physical.spark_internals.error_conditions import is_without_columns, missing_path
from continua.physical.spark_internals.error_texts import reason, tells_of_unknown_format
from continua.physical.spark_internals.java_errors import JAVA_FAILED
from continua.runtime.sources.columns import locate
from continua.runtime.sources.files import check_regular
from continua.runtime.sources.spark_delivery import Piece, passed_over, passing_over
from continua.runtime.sources.spark_text import Cell, not_infinite


def open_format(spark: SparkSession, relation: Relation, identified: bool) -> DataFrame:
    """The rows of a format of Spark.

    Nothing but Spark reads it, so a row whose values do not convert is bad, and that is all that
    is known of it. A source in general has no positions; φ is the order of the values, in which
    only rows that are equal anyway tie.
    """
    return passing_over(relation, format_piece(relation, loaded(spark.read, relation), identified))


def format_piece(relation: Relation, frame: DataFrame, identified: bool) -> Piece:
    """Rows of a format with the declared types, in a batch or out of a stream."""
    positions = locate(relation, frame.columns, _spoken(relation))
    types = [field.dataType.simpleString() for field in frame.schema.fields]
    raw = frame.toDF(*(f"x{i}" for i in range(len(types))))
    raw = raw.selectExpr(*(f"x{position} AS r{i}" for i, position in enumerate(positions)))
    cells = []
    for i, (column, position) in enumerate(zip(relation.columns, positions, strict=True)):
        wanted = spark_type(column.type)
        value = f"TRY_CAST(r{i} AS {wanted})"
        try:
            raw.selectExpr(value)
        except PySparkException:
            raise ContinuaError(
                "TYPE_MISMATCH",
                f"column {column.name} of {_spoken(relation)} is {types[position].upper()},"
                f" which is never {with_article(column.type)}",
                relation.source.span,
            ) from None
        held = ""
        if column.type.floating:
            value += " + FLOAT(0)" if column.type == FLOAT else " + 0D"
            held = f" AND ({not_infinite(f'c{i}')} OR lower(string(r{i})) LIKE '%inf%')"
        cells.append(Cell(value, f"(r{i} IS NULL OR (c{i} IS NOT NULL{held}))"))
    phi = f"struct({', '.join(f'c{i}' for i in range(len(cells)))})" if identified else None
    return Piece(raw, cells, [], phi)


def rejected_rows(spark: SparkSession, relation: Relation) -> DataFrame:
    """The rows of a format that are passed over."""
    piece = format_piece(relation, loaded(spark.read, relation), identified=False)
    return passed_over(relation, piece)


def loaded(reader: DataFrameReader | DataStreamReader, relation: Relation) -> DataFrame:
    """What Spark reads for the format and the options of a relation."""
    call = relation.source
    format_ = str(call.args[0])
    for key, value in call.options:
        if key.lower() == "path":
            check_regular(relation, str(value).removeprefix("file:"))
    try:
        return reader.format(format_).options(**{k: _option(v) for k, v in call.options}).load()
    except (PySparkException, JAVA_FAILED, ValueError, TypeError) as error:
        if path := missing_path(error):
            message = f"no file {path}"
            raise ContinuaError("SOURCE_NOT_FOUND", message, call.span) from None
        if tells_of_unknown_format(str(error)):
            message = f"Spark knows no format {format_}"
            hint = "its package has to be on Spark's class path"
            raise ContinuaError("SOURCE_NOT_FOUND", message, call.span, hint=hint) from None
        if is_without_columns(error) and any(key == "path" for key, _ in call.options):
            message = f"{_spoken(relation)} has no file yet from which Spark knows its columns"
            hint = "put a first file there; SOURCE csv, json or parquet take the declared columns"
            raise ContinuaError("SOURCE_NOT_FOUND", message, call.span, hint=hint) from None
        message = f"Spark cannot read {_spoken(relation)}: {reason(error)}"
        raise ContinuaError("WRONG_ARGUMENTS", message, call.span) from None


def bad_row(relation: Relation) -> ContinuaError:
    """What a failed check of a row means to the user."""
    return ContinuaError(
        "BAD_ROW",
        f"a row of {_spoken(relation)} cannot be read as declared, or has no valid time",
        relation.source.span,
        hint="ON ERROR DROP or KEEP passes over such rows",
    )


def _option(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _spoken(relation: Relation) -> str:
    return f"the {relation.source.args[0]} source of {relation.name}"
