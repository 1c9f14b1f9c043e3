"""Sinks of running queries: what a committed slab has put out, handed on exactly once.

A directory gets the files of a slab under names that the slab's number gives, each by a rename.
So publishing a slab again, after a crash, changes nothing.
"""

from __future__ import annotations

import shutil
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path

from pyspark.sql import DataFrame
from rich.console import Console
from rich.table import Table

from continua.errors import ContinuaError, Span

SHOWN = 20
"""Rows of a slab that a console shows."""

SUFFIXES = {"csv": "csv", "json": "json", "parquet": "parquet"}


def live_sink(name: str, format_: str, path: object, span: Span) -> LiveSink:
    """Where a running query writes for a declared sink."""
    if format_ == "table":
        return ConsoleSink(name)
    if path is None:
        hint = f"CREATE SINK {name} USING {format_} OPTIONS (path 'DIRECTORY')"
        raise ContinuaError("CANNOT_WRITE", f"the sink {name} has no path", span, hint=hint)
    folder = Path(str(path)).absolute()
    if folder.exists() and not folder.is_dir():
        message = f"{folder} is a file; a running query writes files into a directory"
        raise ContinuaError("CANNOT_WRITE", message, span)
    return DirectorySink(format_, folder)


class LiveSink(ABC):
    """Takes the rows of a slab, by its number."""

    @abstractmethod
    def publish(self, slab: int, rows: DataFrame) -> None: ...


class DirectorySink(LiveSink):
    """A directory of CSV, JSON lines or Parquet files."""

    def __init__(self, format_: str, path: Path) -> None:
        self._format = format_
        self._path = path

    def publish(self, slab: int, rows: DataFrame) -> None:
        self._path.mkdir(parents=True, exist_ok=True)
        partial = self._path / f".{slab:08}"
        options = {"header": "true"} if self._format == "csv" else {"ignoreNullFields": "false"}
        rows.write.mode("overwrite").format(self._format).options(**options).save(str(partial))
        written = sorted(partial.glob("part-*"))
        for number, path in enumerate(written):
            path.rename(self._path / f"{slab:08}-{number:04}.{SUFFIXES[self._format]}")
        shutil.rmtree(partial)


class CallbackSink(LiveSink):
    """A function of the user's: it is told the number of the slab, so that it can be exactly once
    too, should it be called again after a crash."""

    def __init__(self, function: Callable[[int, DataFrame], object]) -> None:
        self._function = function

    def publish(self, slab: int, rows: DataFrame) -> None:
        self._function(slab, rows)


class ConsoleSink(LiveSink):
    """The rows of each slab as a table; on a terminal the next takes the place of the last."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._console = Console()

    def publish(self, slab: int, rows: DataFrame) -> None:
        found = rows.limit(SHOWN + 1).collect()
        table = Table(title=f"{self._name}, slab {slab}")
        for name in rows.columns:
            table.add_column(name)
        for row in found[:SHOWN]:
            table.add_row(*("NULL" if value is None else str(value) for value in row))
        if len(found) > SHOWN:
            table.caption = "and more"
        self._console.clear()
        self._console.print(table)
