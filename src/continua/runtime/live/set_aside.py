"""Late and bad rows that are set aside: as files in the checkpoint, one folder a stream."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

from pyspark.sql import DataFrame, SparkSession

from continua.model.catalog import Relation
from continua.runtime.live.keys import BAD, LATE, AsideKey
from continua.runtime.sinks.file_sink import FileSink
from continua.runtime.sinks.parquet_sink import COMPRESSIONS, ParquetSink


class SetAside:
    """The folders of a checkpoint with such rows."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def sink(self, key: AsideKey) -> FileSink:
        """Where rows are set aside; it needs no opening: no other run has written there."""
        path = self._path(key)
        return ParquetSink(key.reason, {"path": path, "compression": COMPRESSIONS[0]})

    def sinks(self, relations: Sequence[Relation]) -> list[FileSink]:
        """All of some streams."""
        return [self.sink(AsideKey(reason, r.key)) for reason in (LATE, BAD) for r in relations]

    def rows(self, spark: SparkSession, key: AsideKey) -> DataFrame:
        """What has been set aside."""
        path = self._path(key)
        if not any(path.glob("*.parquet")):
            return spark.range(0).select()
        return spark.read.parquet(str(path))

    def _path(self, key: AsideKey) -> Path:
        return self._folder / key.reason / quote(key.stream, safe="").replace(".", "%2E")
