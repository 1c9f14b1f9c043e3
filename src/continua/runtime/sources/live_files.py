"""Files that are moved into directories while a graph runs.

Spark finds them and remembers which it has seen; they are read by the readers of history, so that a
row means the same in both, and a bad one is treated alike.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from continua.model.types import STRING
from continua.physical.expression import literal
from continua.physical.scan import source_columns
from continua.runtime.engine import rows_table
from continua.runtime.sources.compressed import ENDINGS
from continua.runtime.sources.files import check_regular
from continua.runtime.sources.live_source import Arrived, Brought, LiveSource, Taken
from continua.runtime.sources.read import Rejected, read

if TYPE_CHECKING:
    from continua.runtime.sources.file_source import FileSource

PHI: Final = "STRUCT<file: STRING, block: BIGINT, row: BIGINT>"
"""The position of a row: the path has the order that files have in history."""

_SCHEMA = "path STRING, modificationTime TIMESTAMP, length BIGINT, content BINARY"


class LiveFiles(LiveSource):
    """The live side of a source of files: one stream for each of its patterns."""

    BRINGS_ROWS = False

    def __init__(self, source: FileSource) -> None:
        self._source = source

    @property
    def number(self) -> int:
        return len(self._source.patterns)

    def streams(
        self, spark: SparkSession, names: Sequence[str], most_files: int | None
    ) -> list[DataFrame]:
        found = []
        for name, path in zip(names, self._source.patterns, strict=True):
            reader = spark.readStream.name(name).format("binaryFile")
            # Files are never too old: one that is passed over would be lost in silence.
            reader = reader.schema(_SCHEMA).option("maxFileAge", "36500d")
            if most_files is not None:
                reader = reader.option("maxFilesPerTrigger", most_files)
            if not os.path.exists(path) and not glob.has_magic(path):
                hint = "make it; files that are moved into it are read"
                raise self._source.refused(f"there is no directory {path}", hint)
            check_regular(self._source.relation, path)
            if os.path.isdir(path):
                reader = reader.option("pathGlobFilter", _glob(self._source.SUFFIXES))
            files = reader.load(os.path.abspath(path))
            modified = "unix_millis(modificationTime) AS modified"
            found.append(files.selectExpr("path", "length AS bytes", modified))
        return found

    def arrived(
        self, spark: SparkSession, brought: Brought, exact: bool, positioned: bool
    ) -> Arrived | None:
        return self.read(spark, brought.files, exact, positioned) if brought.files else None

    def read(
        self, spark: SparkSession, taken: Sequence[Taken], exact: bool, positioned: bool
    ) -> Arrived:
        """The rows of some of the files."""
        files = sorted(taken)
        listed = self._source.of([file.path for file in files])
        rows = None if exact else _by_spark(spark, listed, positioned)
        rows = rows or _exactly(spark, listed)
        return replace(rows, relation=self._source.relation, files=files)


def _glob(suffixes: Sequence[str]) -> str:
    """A pattern for names with one of the suffixes, in any case, compressed or not."""
    endings = (suffix + ending for suffix in suffixes for ending in ("", *ENDINGS))
    any_case = ("".join(f"[{c}{c.upper()}]" if c.isalpha() else c for c in e) for e in endings)
    return f"*{{{','.join(any_case)}}}"


def _by_spark(spark: SparkSession, listed: FileSource, positioned: bool) -> Arrived | None:
    columnar = listed.COLUMNAR
    # By columns, Spark would join the rows of several files with the numbers of the files.
    quick = columnar and len(listed.args) > 1 and not positioned
    frame = _opened(spark, listed, not quick)
    if frame is None:
        return None
    placed = _opened(spark, listed, True) if quick else None
    return Arrived(listed.relation, frame, placed, columnar=columnar)


def _opened(spark: SparkSession, listed: FileSource, identified: bool) -> DataFrame | None:
    frame = listed.opened(spark, identified)
    if frame is None:
        return None
    phi = f"CAST(NULL AS {PHI})"
    if identified:
        files = ", ".join(literal(path, STRING) for path in listed.patterns)
        block = "0L" if listed.COLUMNAR else "phi.block"
        phi = (
            f"named_struct('file', element_at(array({files}), phi.file + 1), "
            f"'block', {block}, 'row', phi.row)"
        )
    names = source_columns(listed.relation)
    return frame.selectExpr(*(f"{phi} AS phi" if name == "phi" else name for name in names))


def _exactly(spark: SparkSession, listed: FileSource) -> Arrived:
    found, columns = read(listed), source_columns(listed.relation)
    table = rows_table(listed.relation, found.rows)
    positions = _positions(listed.patterns, [row.phi for row in found.rows])
    rows = spark.createDataFrame(table.set_column(columns.index("phi"), "phi", positions))
    return Arrived(listed.relation, rows, bad=_rejected(spark, found.rejected))


def _positions(paths: Sequence[str], positions: Sequence[object]) -> pa.Array:
    found = []
    for position in positions:
        assert isinstance(position, tuple)
        file, row = position
        found.append({"file": paths[file], "block": 0, "row": row})
    fields = [("file", pa.string()), ("block", pa.int64()), ("row", pa.int64())]
    return pa.array(found, pa.struct(fields))


def _rejected(spark: SparkSession, rejected: Sequence[Rejected]) -> DataFrame | None:
    if not rejected:
        return None
    listed = [(r.place, r.reason, r.text) for r in rejected]
    return spark.createDataFrame(listed, "place STRING, reason STRING, text STRING")
