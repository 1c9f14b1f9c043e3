"""`USING table`: rows for people to look at, on the console or, with a path, as text in files."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from functools import cached_property

import pyarrow as pa
from pyspark.sql import DataFrame
from rich.console import Console
from rich.table import Table

from continua.runtime.arrow import python_rows
from continua.runtime.option import Option
from continua.runtime.result import Result, cell
from continua.runtime.rows import Rows, SparkRows
from continua.runtime.sinks.file_sink import FileSink
from continua.runtime.sinks.sink import HISTORY

SHOWN = 20
"""Rows of a slab that a console shows."""


class TableSink(FileSink):
    """Without a path, history is printed as a whole; of a running query each slab is shown, on a
    terminal in the place of the last."""

    OPTIONS = (Option.text("path"),)
    SUFFIX = "txt"

    @cached_property
    def _console(self) -> Console:
        """Values are printed as they are: `[bold]` is no style, and `:smile:` no picture."""
        return Console(markup=False, emoji=False, highlight=False)

    def text(self, result: Result) -> str:
        return f"{result.to_text()}\n"

    def prepared(self, rows: DataFrame, tag: Sequence[str]) -> DataFrame:
        """The whole table as one text: the widths of its columns are those of all rows."""
        schema = SparkRows(rows).schema

        def aligned(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            if found := list(batches):
                values = python_rows(pa.Table.from_batches(found), schema.types)
                text = Result(schema, tuple(values)).to_text()
                yield pa.RecordBatch.from_pydict({"value": [text]})

        return rows.coalesce(1).mapInArrow(aligned, "value STRING")

    @property
    def alike(self) -> Hashable:
        return id(self)

    def check_columns(self, names: Sequence[str]) -> None:
        """Two columns may have one name: people see which is which."""

    def open(self, after: int) -> None:
        if self._has_path:
            super().open(after)

    def forget(self, after: int) -> None:
        if self._has_path:
            super().forget(after)

    def publish(self, slab: int, rows: Rows) -> None:
        if self._has_path:
            super().publish(slab, rows)
        elif slab == HISTORY:
            print(self.text(Result(rows.schema, tuple(rows))), end="")
        else:
            self._show(slab, SparkRows(rows.to_spark().limit(SHOWN + 1)))

    def _show(self, slab: int, rows: SparkRows) -> None:
        found, types = list(rows), rows.schema.types
        table = Table(title=f"{self.name}, slab {slab}")
        for name in rows.columns:
            table.add_column(name)
        for row in found[:SHOWN]:
            table.add_row(*(cell(value, type_) for value, type_ in zip(row, types, strict=True)))
        if len(found) > SHOWN:
            table.caption = "and more"
        self._console.clear()
        self._console.print(table)

    @property
    def _has_path(self) -> bool:
        return self.options["path"] is not None
