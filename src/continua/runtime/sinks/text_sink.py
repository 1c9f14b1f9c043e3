"""Rows as lines of text: by Python, and by Spark's tasks from SQL that gives the same text."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

from pyspark.sql import DataFrame
from pyspark.sql.types import StructField

from continua.model.element import Values
from continua.model.types import STRING, Type
from continua.physical.analyzer import type_of
from continua.physical.expression import literal
from continua.runtime.formats.cells import text_sql
from continua.runtime.result import Result
from continua.runtime.sinks.file_sink import FileSink

_IN_TASK = (1 << 33) - 1
"""The part of `monotonically_increasing_id` that counts the rows of a task."""

_MANY = (1 << 31) - 1
"""More tasks than there ever are."""


class TextSink(FileSink):
    """A row on each line, after a header if the format has one."""

    @abstractmethod
    def line(self, row: Values, names: Sequence[str], types: Sequence[Type]) -> str:
        """The line of a row, without its end."""

    @abstractmethod
    def line_sql(self, texts: Sequence[str], names: Sequence[str], types: Sequence[Type]) -> str:
        """SQL: the line of a row, over columns that have the texts of its values."""

    def header(self, names: Sequence[str]) -> str | None:
        return None

    def text(self, result: Result) -> str:
        names, types = result.columns, result.schema.types
        header = self.header(names)
        lines = [] if header is None else [header]
        lines += [self.line(row, names, types) for row in result]
        return "".join(f"{line}\n" for line in lines)

    def prepared(self, rows: DataFrame, tag: Sequence[str]) -> DataFrame:
        """The rows as lines: one column `value`, after the tag if there is one."""
        fields = list(enumerate(rows.schema))[len(tag) :]
        names, types = [field.name for _, field in fields], [_type(field) for _, field in fields]
        cells = [f"x{i}" for i, _ in fields]
        texts = [f"{text_sql(c, type_)} AS {c}" for c, type_ in zip(cells, types, strict=True)]
        # By their places: names may be any text.
        placed = rows.toDF(*(f"x{i}" for i in range(len(rows.columns))))
        frame = placed.selectExpr(*(f"x{i} AS {name}" for i, name in enumerate(tag)), *texts)
        lines = frame.selectExpr(*tag, f"{self.line_sql(cells, names, types)} AS value")
        header = self.header(names)
        return lines if header is None else _headed(lines, header, tag)


def _headed(lines: DataFrame, header: str, tag: Sequence[str]) -> DataFrame:
    """Lines with a header before the first of each file."""
    # Rows that Spark knows when it plans would be numbered then, as if by one task.
    numbered = lines.coalesce(_MANY).selectExpr("*", "monotonically_increasing_id() AS n")
    first = f"n & {_IN_TASK}L = 0"
    if tag:
        first = f"row_number() OVER (PARTITION BY {tag[0]} ORDER BY n) = 1"
    headed = f"concat({literal(header, STRING)}, '\\n', value)"
    return numbered.selectExpr(*tag, f"IF({first}, {headed}, value) AS value")


def _type(field: StructField) -> Type:
    return type_of(field.dataType) or STRING
