"""Rows written by Spark's tasks, in the form in which a result is written over history."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame
from pyspark.sql.types import StructField

from continua.model.types import STRING, Type
from continua.physical.analyzer import type_of
from continua.physical.expression import literal
from continua.runtime.formats.cells import plain_sql, text_sql
from continua.runtime.formats.csv_lines import csv_header, csv_sql
from continua.runtime.formats.form import Form
from continua.runtime.formats.json_lines import json_sql

_IN_TASK = (1 << 33) - 1
"""The part of `monotonically_increasing_id` that counts the rows of a task."""

_MANY = (1 << 31) - 1
"""More tasks than there ever are."""


def save(rows: DataFrame, form: Form, folder: str, part: str | None = None) -> None:
    """Writes rows into a folder, as files of CSV, JSON lines or Parquet.

    part: the first column, if it is not to be written: each of its values has a folder of its own.
    """
    tag = [] if part is None else [part]
    written = _values(rows, len(tag)) if form.format == "parquet" else _lines(rows, form, tag)
    compression = form.compression if form.format == "parquet" else "none"
    writer = written.write.format("parquet" if form.format == "parquet" else "text")
    # The rows of a task make one file, however many they are.
    writer = writer.options(compression=compression, maxRecordsPerFile=0)
    writer.mode("overwrite").partitionBy(*tag).save(folder)


def _values(rows: DataFrame, first: int) -> DataFrame:
    fields = list(enumerate(rows.schema))[first:]
    values = [f"{plain_sql(f'x{i}', _type(field))} AS x{i}" for i, field in fields]
    kept = [f"x{i}" for i in range(first)]
    return _placed(rows).selectExpr(*kept, *values).toDF(*rows.columns)


def _lines(rows: DataFrame, form: Form, tag: Sequence[str]) -> DataFrame:
    """The rows as lines: one column `value`, after the tag if there is one."""
    fields = list(enumerate(rows.schema))[len(tag) :]
    names, types = [field.name for _, field in fields], [_type(field) for _, field in fields]
    cells = [f"x{i}" for i, _ in fields]
    is_csv = form.format == "csv"
    texts = [f"{text_sql(c, type_)} AS {c}" for c, type_ in zip(cells, types, strict=True)]
    frame = _placed(rows).selectExpr(*(f"x{i} AS {name}" for i, name in enumerate(tag)), *texts)
    line = csv_sql(cells, types, form.delimiter) if is_csv else json_sql(cells, names, types)
    lines = frame.selectExpr(*tag, f"{line} AS value")
    headed = is_csv and form.header
    return _headed(lines, csv_header(names, form.delimiter), tag) if headed else lines


def _headed(lines: DataFrame, header: str, tag: Sequence[str]) -> DataFrame:
    """Lines with a header before the first of each file."""
    # Rows that Spark knows when it plans would be numbered then, as if by one task.
    numbered = lines.coalesce(_MANY).selectExpr("*", "monotonically_increasing_id() AS n")
    first = f"n & {_IN_TASK}L = 0"
    if tag:
        first = f"row_number() OVER (PARTITION BY {tag[0]} ORDER BY n) = 1"
    headed = f"concat({literal(header, STRING)}, '\\n', value)"
    return numbered.selectExpr(*tag, f"IF({first}, {headed}, value) AS value")


def _placed(rows: DataFrame) -> DataFrame:
    """Columns by their places: names may be any text."""
    return rows.toDF(*(f"x{i}" for i in range(len(rows.columns))))


def _type(field: StructField) -> Type:
    return type_of(field.dataType) or STRING
