"""Files as Spark is to read them: the same files, in the same order, by Spark's own readers."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import NamedTuple
from uuid import uuid4

import pyarrow as pa
from pyspark.sql import DataFrame, DataFrameReader, SparkSession
from pyspark.sql.functions import broadcast

from continua.physical.spark import separate_session
from continua.runtime.sources.compressed import ending, is_read
from continua.runtime.sources.files import File

MOST_LAYOUTS = 16
"""Files that differ in where they have the columns are read apart; so often, and no more."""

_GLOB = frozenset("{}[]*?\\")
# The characters that java.net.URI escapes; it leaves those beyond ASCII as they are.
_ESCAPED = frozenset(' "#%<>?[\\]^`{|}')

_OPTIONS = {
    # A directory named `a=1` is not a column.
    "recursiveFileLookup": "true",
    "ignoreCorruptFiles": "false",
    "ignoreMissingFiles": "false",
}


class Numbered(NamedTuple):
    """A file that is not empty, and its number among all files of the relation."""

    number: int
    path: str
    name: str

    @property
    def spark_path(self) -> str:
        """The path for Spark's readers, which would take some characters for a pattern."""
        return "file:" + "".join(f"\\{c}" if c in _GLOB else c for c in self.path)

    @property
    def uri(self) -> str:
        """The path as Spark gives it back in `_metadata.file_path`."""
        return "file:" + "".join(f"%{ord(c):02X}" if c in _ESCAPED else c for c in self.path)


def numbered_files(files: Sequence[File], text: bool = True) -> list[Numbered] | None:
    """The files of a source, or None if Spark would not read one of them as it is."""
    found: list[Numbered] = []
    seen: set[str] = set()
    for number, file in enumerate(files):
        path = os.path.abspath(file.path)
        if path in seen or not _plain(path):
            return None
        seen.add(path)
        try:
            status = os.stat(file.path)
            # `..` after a symbolic link means another directory than it seems to.
            same = os.path.samestat(status, os.stat(path))
        except OSError:
            return None
        if not same or not os.access(path, os.R_OK):
            return None
        if status.st_size:
            found.append(Numbered(number, path, file.name))
        elif not text or ending(path):
            return None  # only a plain text is one without anything in it
    return found


def _plain(path: str) -> bool:
    name = os.path.basename(path)
    hidden = name.startswith((".", "_")) or name.endswith("._COPYING_")
    # Hadoop cannot open a file whose name has a colon in it.
    return path.isprintable() and ":" not in path and not hidden and is_read(path)


def reading_session(spark: SparkSession, settings: Mapping[str, str]) -> SparkSession:
    """A session whose settings govern how files are read, whatever session asks for the rows."""
    session = separate_session(spark)
    for key, value in settings.items():
        session.conf.set(key, value)
    return session


def file_reader(session: SparkSession) -> DataFrameReader:
    return session.read.options(**_OPTIONS)


def adopted(spark: SparkSession, frame: DataFrame) -> DataFrame:
    """A frame of one session as a frame of another."""
    name = f"continua_{uuid4().hex}"
    frame.createGlobalTempView(name)
    try:
        return spark.table(f"global_temp.{name}")
    finally:
        spark.catalog.dropGlobalTempView(name)


def with_file_numbers(frame: DataFrame, files: Sequence[Numbered]) -> DataFrame:
    """`file`: the number of the file whose URI is in `path`; NULL if Spark writes it otherwise."""
    if len(files) == 1:
        return frame.selectExpr("*", f"{files[0].number} AS file")
    numbers = pa.table({"path": [f.uri for f in files], "file": [f.number for f in files]})
    known = frame.sparkSession.createDataFrame(numbers).selectExpr("path", "int(file) AS file")
    return frame.join(broadcast(known), "path", "left")
