"""How a graph that runs reads a source: by streams of Spark, which bring it batch after batch."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from pyspark.sql import DataFrame, SparkSession

from continua.model.catalog import Relation


class Taken(NamedTuple):
    """A file when it was taken in: its size, if it is known, and its last change in
    milliseconds."""

    path: str
    bytes: int | None
    modified: int

    @property
    def changed(self) -> bool:
        status = os.stat(self.path)
        grown = self.bytes is not None and status.st_size != self.bytes
        return grown or status.st_mtime_ns // 1_000_000 > self.modified


@dataclass(frozen=True)
class Brought:
    """What a batch has brought of a source: files with its rows, or the rows."""

    files: Sequence[Taken]
    rows: Callable[[], DataFrame]


@dataclass(frozen=True)
class Arrived:
    """The rows of a relation that have come, as `physical.scan.source_columns` has them.

    placed: the same with their positions, which may take longer: for rows that wait, since a query
    that needs them may join meanwhile.
    bad: those that were passed over: `place`, `reason` and `text`.
    columnar: whether they are read again as fast as they would be from memory.
    files: those that they are in, if they are in files.
    """

    relation: Relation
    frame: DataFrame
    placed: DataFrame | None = None
    bad: DataFrame | None = None
    columnar: bool = False
    files: Sequence[Taken] = ()


class LiveSource(ABC):
    """The live side of a source."""

    BRINGS_ROWS: ClassVar[bool]
    """Whether batches bring its rows. Otherwise they bring the names of files with them."""

    @property
    @abstractmethod
    def number(self) -> int:
        """How many streams of Spark there are."""

    @abstractmethod
    def streams(
        self, spark: SparkSession, names: Sequence[str], most_files: int | None
    ) -> list[DataFrame]:
        """The streams, by the names under which Spark remembers what it has read.

        Their rows are those of the source, or files: `path`, `bytes` and `modified`.
        most_files: how many new files a batch may bring.
        """

    @abstractmethod
    def arrived(
        self, spark: SparkSession, brought: Brought, exact: bool, positioned: bool
    ) -> Arrived | None:
        """What a batch has brought, read; None if it has brought nothing.

        exact: whether the exact reader has to read it. positioned: whether queries need positions.
        """
