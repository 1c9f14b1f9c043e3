"""Sinks of running queries: what a committed slab has put out, handed on exactly once.

A directory gets the files of a slab under names that the slab's number and the query give, each by
a rename. So publishing a slab again, after a crash, changes nothing.
"""

from __future__ import annotations

import re
import shutil
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import count, takewhile
from pathlib import Path
from urllib.parse import quote, unquote

from pyspark.sql import DataFrame
from pyspark.sql.functions import col
from rich.console import Console
from rich.table import Table

from continua.errors import ContinuaError, Span
from continua.runtime.formats.form import Form
from continua.runtime.formats.save import save
from continua.runtime.live.durable import durable
from continua.runtime.spark_errors import writing

SHOWN = 20
"""Rows of a slab that a console shows."""

TAG = "__query"
"""The column with the name of the query, where rows of several are together."""


def live_sink(name: str, form: Form, path: str | None, span: Span) -> LiveSink:
    """Where a running query writes for a declared sink."""
    if form.format == "table":
        return ConsoleSink(name)
    if path is None:
        hint = f"CREATE SINK {name} USING {form.format} OPTIONS (path 'DIRECTORY')"
        raise ContinuaError("CANNOT_WRITE", f"the sink {name} has no path", span, hint=hint)
    folder = Path(path).absolute()
    if folder.exists() and not folder.is_dir():
        message = f"{folder} is a file; a running query writes files into a directory"
        raise ContinuaError("CANNOT_WRITE", message, span)
    return DirectorySink(form, folder, name.lower(), span)


def directories(sinks: Iterable[LiveSink]) -> list[DirectorySink]:
    return [sink for sink in sinks if isinstance(sink, DirectorySink)]


class LiveSink(ABC):
    """Takes the rows of a slab, by its number."""

    @abstractmethod
    def publish(self, slab: int, rows: DataFrame) -> None: ...


class DirectorySink(LiveSink):
    """The rows of a query as CSV, JSON lines or Parquet files in a directory."""

    def __init__(self, form: Form, path: Path, query: str, span: Span | None = None) -> None:
        self._form = form
        self.path = path
        self._query = query
        self._span = span

    def of(self, query: str) -> DirectorySink:
        """The same directory, for the rows of another query."""
        return DirectorySink(self._form, self.path, query, self._span)

    def check_columns(self, names: Sequence[str]) -> None:
        """Refuses columns that Spark would not write, before there are any."""
        for name, number in Counter(name.lower() for name in names).items():
            if number > 1:
                message = f"{self._query} would get two columns called {name}"
                hint = "give one of them another name, by AS"
                raise ContinuaError("CANNOT_WRITE", message, self._span, hint=hint)

    def check_free(self, slab: int) -> None:
        """Refuses to begin after a slab if there already are files of later ones."""
        for path, number in self._files():
            if number > slab:
                message = f"{path} is of another run, and would be overwritten"
                hint = "start with the checkpoint of that run, remove its files, or change the path"
                raise ContinuaError("CANNOT_WRITE", message, self._span, hint=hint)

    def forget(self, slab: int) -> None:
        """Removes what slabs have put out that came after this one and have been lost."""
        for path, number in self._files():
            if number > slab:
                path.unlink()

    def _files(self) -> list[tuple[Path, int]]:
        """The files of the query, each with its slab."""
        pattern = rf"(\d{{8,}})-{re.escape(self._stem)}-\d{{4,}}\.{self._form.format}"
        named = ((path, re.fullmatch(pattern, path.name)) for path in sorted(self.path.glob("*")))
        return [(path, int(found[1])) for path, found in named if found]

    @property
    def kind(self) -> str:
        """What is the same for sinks whose files can be made together, and moved into place."""
        with writing():
            self.path.mkdir(parents=True, exist_ok=True)
            return f"{self._form} {self.path.stat().st_dev}"

    def publish(self, slab: int, rows: DataFrame) -> None:
        with writing():
            self.path.mkdir(parents=True, exist_ok=True)
            with self.written(slab, rows) as folder:
                self.take(slab, folder)

    @contextmanager
    def written(self, slab: int, rows: DataFrame, part: str | None = None) -> Iterator[Path]:
        """Inside, the rows are in a folder, by the values of the first column in folders of it."""
        partial = self.path / f".{slab:08}-{self._stem}"
        save(rows, self._form, str(partial), part)
        yield partial
        shutil.rmtree(partial)

    def take(self, slab: int, folder: Path) -> None:
        """Moves the files of a folder into this one."""
        names = (
            self.path / f"{slab:08}-{self._stem}-{number:04}.{self._form.format}"
            for number in count()
        )
        # Where a task had no rows, there is a file without any.
        parts = (part for part in sorted(folder.glob("part-*")) if part.stat().st_size)
        for part, path in zip(parts, names, strict=False):
            durable(part)
            part.rename(path)
        # Published again, it may have come in fewer parts.
        for path in takewhile(Path.exists, names):
            path.unlink()
        durable(self.path)

    @property
    def _stem(self) -> str:
        """The name of the query as a part of a file's name."""
        return quote(self._query, safe="")


class DirectorySinks(LiveSink):
    """Directories of one kind, by the names in the first column of the rows."""

    def __init__(self, sinks: Mapping[str, DirectorySink]) -> None:
        self._sinks = sinks

    def publish(self, slab: int, rows: DataFrame) -> None:
        known = rows.where(col(TAG).isin(*self._sinks))
        first = next(iter(self._sinks.values()))
        with writing(), first.written(slab, known, TAG) as folder:
            for part in folder.glob(f"{TAG}=*"):
                name = unquote(part.name.removeprefix(f"{TAG}="))
                self._sinks[name].take(slab, part)


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
        # Values are shown as they are: none is a style, or a name of a picture.
        self._console = Console(markup=False, emoji=False, highlight=False)

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
