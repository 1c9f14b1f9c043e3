"""Results: rows with names and types, which print as a table and convert to what users have."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from continua.errors import check_argument
from continua.logical.expr.cast import to_text
from continua.model.element import Values
from continua.model.schema import Column, Schema
from continua.model.types import Type
from continua.runtime.arrow import arrow_table

if TYPE_CHECKING:
    import pandas
    import pyarrow
    from pyspark.sql import DataFrame, SparkSession

SHOWN_ROWS = 50


@dataclass(frozen=True)
class Result:
    """The rows that a query or a statement gives. It prints as a table of at most 50 rows.

    - `schema`: the columns, with their types.
    - `rows`: the rows, as tuples of Python values. Timestamps are naive datetimes in UTC.

    Iterating gives the rows, and `len` their number.

    >>> result = query.history()
    >>> for item, best, valid_from, valid_to in result:
    ...     print(item, best, valid_from, valid_to)
    7 10 1 4
    8 5 3 6
    7 12 4 7
    """

    schema: Schema
    rows: tuple[Values, ...]

    @classmethod
    def of(cls, columns: Sequence[Column], rows: Sequence[Values]) -> Result:
        return cls(Schema(tuple(columns)), tuple(rows))

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns.

        >>> print(result.columns)
        ('item', 'best', 'valid_from', 'valid_to')
        """
        return self.schema.names

    def __iter__(self) -> Iterator[Values]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __str__(self) -> str:
        return self.to_text(SHOWN_ROWS)

    __repr__ = __str__

    def to_text(self, most: int | None = None) -> str:
        """The rows as an aligned table.

        - `most`: how many rows are shown at most; None shows all.

        >>> print(result.to_text(1))
        item │ best │ valid_from │ valid_to
        ─────┼──────┼────────────┼─────────
           7 │   10 │          1 │        4
        (3 rows, 2 not shown)
        """
        check_argument(most, int | None, "to_text takes a number of rows")
        shown = self.rows if most is None else self.rows[:most]
        cells = [
            [cell(value, type_) for value, type_ in zip(row, self.schema.types, strict=True)]
            for row in shown
        ]
        header = list(self.columns)
        widths = [max(map(_width, column)) for column in zip(header, *cells, strict=True)]
        right = [column.type.numeric for column in self.schema]
        lines = [_line(header, widths, right), "─┼─".join("─" * width for width in widths)]
        lines += [_line(row, widths, right) for row in cells]
        hidden = len(self.rows) - len(shown)
        lines.append(
            f"({len(self.rows)} row{'s' * (len(self.rows) != 1)}"
            f"{f', {hidden} not shown' if hidden else ''})"
        )
        return "\n".join(lines)

    def to_arrow(self) -> pyarrow.Table:
        """The rows as a table of Arrow."""
        return arrow_table(self.columns, self.schema.types, self.rows)

    def to_pandas(self) -> pandas.DataFrame:
        """The rows as a DataFrame of pandas.

        >>> print(result.to_pandas()["best"].max())
        12
        """
        return self.to_arrow().to_pandas()

    def to_spark(self, spark: SparkSession | None = None) -> DataFrame:
        """The rows as a Spark DataFrame.

        - `spark`: the session to make it in; without one, the active session or a new local one.
        """
        from continua.physical.spark import spark_session

        return (spark or spark_session()).createDataFrame(self.to_arrow())


class Snapshot(Result):
    """What is valid at one time; it is shown in the format that results of queries are."""


class Explanation(Result):
    """A plan: its lines are its layout, so it prints without a frame."""

    def to_text(self, most: int | None = None) -> str:
        return "\n".join(str(row[0]) for row in self.rows)


def cell(value: object, type_: Type) -> str:
    return "NULL" if value is None else to_text(value, type_)


def _width(text: str) -> int:
    """Columns of a terminal the text takes."""
    return sum(
        0 if unicodedata.combining(c) else 1 + (unicodedata.east_asian_width(c) in "WF")
        for c in text
    )


def _line(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    padded = []
    for cell, width, to_the_right in zip(cells, widths, right, strict=True):
        gap = " " * (width - _width(cell))
        padded.append(gap + cell if to_the_right else cell + gap)
    return " │ ".join(padded).rstrip()
