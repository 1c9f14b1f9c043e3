"""Rows as files: those of a slab in a directory, or all of history in one file.

The files of a slab have names that its number and the query give, and come to be by a rename. So
publishing a slab again, after a crash, changes nothing.
"""

from __future__ import annotations

import re
import shutil
from abc import abstractmethod
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from errno import ENOSPC
from itertools import count, takewhile
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import quote, unquote

from pyspark.sql import DataFrame
from pyspark.sql.functions import col

from continua.errors import Span
from continua.runtime.durable import durable
from continua.runtime.option import Option
from continua.runtime.result import Result
from continua.runtime.rows import Rows
from continua.runtime.sinks.sink import HISTORY, TAG, Sink
from continua.runtime.spark_errors import SPACE

PATH = Option.text("path", required=True)


class FileSink(Sink):
    """What formats of files have in common. A format says how Python and Spark write a file.

    A path with the suffix of the format is that of one file, unless a directory is there; with
    `one_file`, any is.
    """

    SUFFIX: ClassVar[str]

    WRITER: ClassVar[str] = "text"
    """What Spark calls its writer of such files."""

    def __init__(
        self,
        name: str,
        options: Mapping[str, Any],
        span: Span | None = None,
        one_file: bool = False,
    ) -> None:
        super().__init__(name, options, span)
        self._any_name = one_file

    @abstractmethod
    def text(self, result: Result) -> str:
        """All that a file has in it."""

    @abstractmethod
    def prepared(self, rows: DataFrame, tag: Sequence[str]) -> DataFrame:
        """Rows as Spark's writer takes them; the tag is a first column that is kept."""

    def write(self, result: Result, path: Path) -> None:
        # As bytes: Python changes line ends in texts.
        path.write_bytes(self.text(result).encode())

    @property
    def compression(self) -> str:
        return "none"

    @property
    def path(self) -> Path:
        return Path(self.options["path"]).absolute()

    @property
    def one_file(self) -> bool:
        named = self.path.suffix.lower() == f".{self.SUFFIX}" and not self.path.is_dir()
        return self._any_name or named

    def check_columns(self, names: Sequence[str]) -> None:
        """Refuses columns that Spark would not write, before there are any."""
        self.check_different([name.lower() for name in names])

    def check_different(self, names: Sequence[str]) -> None:
        """Of two columns of one name, one would be lost."""
        for name, number in Counter(names).items():
            if number > 1:
                message = f"{self.name} would get two columns called {name}"
                raise self.refused(message, "give one of them another name, by AS")

    def open(self, after: int) -> None:
        path = self.path
        if after >= HISTORY and (self.one_file or (path.exists() and not path.is_dir())):
            is_ = "is" if path.exists() else "names"
            message = f"{path} {is_} a file; a running query writes files into a directory"
            raise self.refused(message)
        if self.one_file:
            if path.exists() and not path.is_file():
                # A rename would put a file in place of a directory, a pipe or a device.
                raise self.refused(f"{path} is there and is no file")
            return
        if path.exists() and not path.is_dir():
            hint = f"one file has a name that ends in .{self.SUFFIX}"
            raise self.refused(f"{path} is there and is no directory", hint)
        for file, slab in self._files():
            if slab > max(after, HISTORY):
                message = f"{file} is of another run, and would be overwritten"
                hint = "start with the checkpoint of that run, remove its files, or change the path"
                raise self.refused(message, hint)

    def publish(self, slab: int, rows: Rows) -> None:
        with self._writing():
            if self.one_file:
                self._publish_one(rows)
                return
            self.path.mkdir(parents=True, exist_ok=True)
            with self._partial(slab) as folder:
                self._write_parts(rows, folder)
                self.take(slab, folder)

    def forget(self, after: int) -> None:
        for path, slab in self._files():
            if slab > after:
                path.unlink()

    @property
    def alike(self) -> Hashable:
        """Files that can be made together, and moved into place."""
        with self._writing():
            self.path.mkdir(parents=True, exist_ok=True)
            device = self.path.stat().st_dev
        form = [(name, value) for name, value in self.options.items() if name != PATH.name]
        return (type(self), device, *form)

    @classmethod
    def publish_together(cls, slab: int, sinks: Mapping[str, Any], rows: DataFrame) -> None:
        first: FileSink = next(iter(sinks.values()))
        with first._writing(), first._partial(slab) as folder:
            first._save(rows.where(col(TAG).isin(*sinks)), folder, (TAG,))
            for part in folder.glob(f"{TAG}=*"):
                name = unquote(part.name.removeprefix(f"{TAG}="))
                sinks[name].take(slab, part)

    def take(self, slab: int, folder: Path) -> None:
        """Moves the files of a folder into the directory."""
        start = f"{slab:08}-{self._stem}"
        names = (self.path / f"{start}-{number:04}.{self.SUFFIX}" for number in count())
        for part, path in zip(_parts(folder), names, strict=False):
            durable(part)
            part.rename(path)
        # Published again, it may have come in fewer parts.
        for path in takewhile(Path.exists, names):
            path.unlink()
        durable(self.path)

    def _publish_one(self, rows: Rows) -> None:
        """All rows in one file, in order, which appears when it is complete."""
        with self._partial(HISTORY) as folder:
            self._write_parts(rows, folder)
            parts = _parts(folder)
            if not parts:
                parts = [folder / "part-0"]
                self.write(Result(rows.schema, ()), parts[0])
            durable(parts[0])
            parts[0].replace(self.path)
        durable(self.path.parent)

    def _write_parts(self, rows: Rows, folder: Path) -> None:
        """Writes rows as files of a folder: what Spark computes, by Spark's tasks."""
        if not isinstance(rows, Result):
            self._save(rows.in_order() if self.one_file else rows.to_spark(), folder)
        elif len(rows):
            self.write(rows, folder / "part-0")

    def _save(self, rows: DataFrame, folder: Path, tag: Sequence[str] = ()) -> None:
        """Has Spark's tasks write rows; with a tag, each of its values has a folder of its own."""
        writer = self.prepared(rows, tag).write.format(self.WRITER)
        # The rows of a task make one file, however many they are.
        writer = writer.options(compression=self.compression, maxRecordsPerFile=0)
        writer.mode("overwrite").partitionBy(*tag).save(str(folder))

    @contextmanager
    def _partial(self, slab: int) -> Iterator[Path]:
        """A folder for files that are not complete, which nobody looks into."""
        place = self.path.parent if self.one_file else self.path
        folder = place / f".{slab:08}-{self._stem}"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """An error of the system is reported in its own words."""
        try:
            yield
        except OSError as error:
            message = f"cannot write {self.path}: {error.strerror or error}"
            raise self.refused(message, SPACE if error.errno == ENOSPC else None) from None

    def _files(self) -> list[tuple[Path, int]]:
        """The files of the query, each with its slab."""
        pattern = rf"(\d{{8,}})-{re.escape(self._stem)}-\d{{4,}}\.{self.SUFFIX}"
        named = ((path, re.fullmatch(pattern, path.name)) for path in sorted(self.path.glob("*")))
        return [(path, int(found[1])) for path, found in named if found]

    @property
    def _stem(self) -> str:
        """The name of the query as a part of a file's name."""
        return quote(self.name, safe="")


def _parts(folder: Path) -> list[Path]:
    """The files of tasks; where a task had no rows, there is a file without any."""
    return [part for part in sorted(folder.glob("part-*")) if part.stat().st_size]
