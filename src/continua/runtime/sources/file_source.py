"""Files as a source: which there are, and how they are read over history and while they come."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import ClassVar, Self, TextIO

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from continua.errors import ContinuaError
from continua.physical.spark_internals.java_errors import JAVA_RAISED
from continua.runtime.sources.compressed import DAMAGED, open_text
from continua.runtime.sources.doubt import is_doubt
from continua.runtime.sources.files import File, find_files
from continua.runtime.sources.live_files import LiveFiles
from continua.runtime.sources.live_source import LiveSource
from continua.runtime.sources.record import Position, Problem, Record
from continua.runtime.sources.source import Source
from continua.runtime.sources.spark_files import adopted
from continua.runtime.sources.spark_rows import Part, rows_of


class FileSource(Source):
    """What formats of files have in common; how one file is read is theirs.

    The arguments are paths, globs and directories. φ is the number of the file, in the order of
    their paths, and the number of the record in it; while files come, the path and that number.
    """

    SUFFIXES: ClassVar[tuple[str, ...]]
    """How the names end of those files that are read in a directory, in small letters."""

    COLUMNAR: ClassVar[bool] = False
    """Whether Spark reads files by columns, which it does again as fast as from memory."""

    @abstractmethod
    def records_of(self, file: File) -> Iterator[Record | Problem]:
        """The records of a file, bad ones too, in their order."""

    def parts(self, spark: SparkSession, identified: bool) -> list[Part] | None:
        """The files as Spark reads them, by the rules of `records_of`; None if it should not."""
        return None

    def check(self) -> None:
        hint = f"as in {self.function}('data/*{self.SUFFIXES[0]}')"
        if not self.args:
            raise self.wrong("expected a path or glob, got nothing", hint)
        for path in self.args:
            if not isinstance(path, str) or not path:
                raise self.wrong(f"expected a path or glob as a text, got {path!r}", hint)

    @property
    def patterns(self) -> list[str]:
        return [str(pattern) for pattern in self.args]

    def files(self) -> list[File]:
        """The files there are, in the order that makes φ."""
        return find_files(self.relation, self.patterns, self.SUFFIXES)

    def of(self, paths: Sequence[str]) -> Self:
        """The same source, of these files alone."""
        call = replace(self.relation.source, args=tuple(paths))
        return type(self)(replace(self.relation, source=call))

    def text(self, file: File) -> TextIO:
        """A file as text in UTF-8, decompressed if its name says that it is compressed."""
        return open_text(self.relation, file.path)

    def records(self) -> Iterator[Position]:
        for number, file in enumerate(self.files()):
            try:
                for row, record in enumerate(self.records_of(file)):
                    yield (number, row), record
            except (OSError, *DAMAGED) as error:
                raise self._unreadable(file, error) from None

    def _unreadable(self, file: File, error: Exception) -> ContinuaError:
        if isinstance(error, OSError) and error.strerror:
            return self.refused(f"{file.path} cannot be read: {error.strerror}")
        message = f"{file.name} cannot be decompressed: {error}"
        return ContinuaError("BAD_ROW", message, self.relation.source.span)

    def opened(self, spark: SparkSession, identified: bool) -> DataFrame | None:
        try:
            parts = self.parts(spark, identified)
            found = rows_of(self.relation, parts) if parts else None
            return None if found is None else adopted(spark, found)
        except (PySparkException, JAVA_RAISED) as error:
            if is_doubt(error):
                return None
            raise

    def live(self) -> LiveSource | None:
        return LiveFiles(self) if self.relation.is_stream else None
