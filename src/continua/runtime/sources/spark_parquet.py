"""`parquet('glob')` by Spark: the columns as they are stored, then of the declared types."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession

from continua.errors import ContinuaError
from continua.model.catalog import Relation
from continua.model.instant import EARLIEST, LATEST
from continua.runtime.sources.columns import locate
from continua.runtime.sources.files import File
from continua.runtime.sources.spark_files import (
    MOST_LAYOUTS,
    Numbered,
    file_reader,
    numbered_files,
    reading_session,
    with_file_numbers,
)
from continua.runtime.sources.spark_parquet_types import Stored, cell, stored_type
from continua.runtime.sources.spark_rows import Part

_AT_ONCE = 16
"""Footers read at the same time."""


class _Layout(NamedTuple):
    """The columns of a file, and whether its statistics vouch for the time attribute."""

    names: tuple[str, ...]
    stored: tuple[Stored, ...]
    timely: bool


def parquet_parts(
    spark: SparkSession, relation: Relation, files: Sequence[File], identified: bool
) -> list[Part] | None:
    numbered = numbered_files(files, text=False)
    if numbered is None:
        return None
    layouts: dict[_Layout, list[Numbered]] = defaultdict(list)
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        found = pool.map(lambda file: _layout(relation, file), numbered)
        for file, layout in zip(numbered, found, strict=True):
            if layout is None:
                return None
            layouts[layout].append(file)
    if len(layouts) > MOST_LAYOUTS:
        return None
    return [_piece(spark, relation, g, layout, identified) for layout, g in layouts.items()]


def _layout(relation: Relation, file: Numbered) -> _Layout | None:
    """Where the file has the declared columns; None if the reference has to look."""
    try:
        with pq.ParquetFile(file.path) as parquet:
            names = parquet.schema_arrow.names
            if len({name.lower() for name in names}) < len(names):
                return None  # Spark cannot tell names apart by their case
            fields = [parquet.schema_arrow.field(p) for p in locate(relation, names, file.name)]
            leaves = [parquet.schema.column(i) for i in range(len(parquet.schema.names))]
            physical = {leaf.path: leaf.physical_type for leaf in leaves}
            stored = [stored_type(field.type, physical.get(field.name)) for field in fields]
            known = tuple(type_ for type_ in stored if type_ is not None)
            if len(known) < len(stored):
                return None
            found = tuple(field.name for field in fields)
            return _Layout(found, known, _timely(relation, found, known, parquet.metadata))
    except (pa.ArrowException, OSError, ContinuaError):
        return None


def _timely(
    relation: Relation, names: Sequence[str], stored: Sequence[Stored], footer: pq.FileMetaData
) -> bool:
    """Whether every row of a stream surely has a time, and one that is in range."""
    if not relation.is_stream or relation.start is None:
        return False
    declared = [column.name.lower() for column in relation.columns]
    position = declared.index(relation.start.lower())
    if not stored[position].holds_times_of(relation.columns[position].type):
        return False
    for group in (footer.row_group(i) for i in range(footer.num_row_groups)):
        chunks = (group.column(i) for i in range(group.num_columns))
        chunk = next(chunk for chunk in chunks if chunk.path_in_schema == names[position])
        statistics = chunk.statistics
        if statistics is None or not (statistics.has_null_count and statistics.has_min_max):
            return False
        try:
            least, greatest = statistics.min, statistics.max
        except (ValueError, ArithmeticError):
            return False  # Python has no such time
        if statistics.null_count or not (_in_range(least) and _in_range(greatest)):
            return False
    return True


def _in_range(value: object) -> bool:
    if isinstance(value, int):
        return EARLIEST <= value <= LATEST
    return isinstance(value, datetime)


def _piece(
    spark: SparkSession,
    relation: Relation,
    files: Sequence[Numbered],
    layout: _Layout,
    identified: bool,
) -> Part:
    session = reading_session(spark, {"spark.sql.legacy.parquet.nanosAsLong": "true"})
    # Days as they are counted in the file: the reference knows no Julian calendar.
    modes = {"datetimeRebaseMode": "CORRECTED", "int96RebaseMode": "CORRECTED"}
    read = [
        f"`{name.replace('`', '``')}` {stored.read_as}"
        for name, stored in zip(layout.names, layout.stored, strict=True)
    ]
    reader = file_reader(session).options(**modes).schema(", ".join(read))
    frame = reader.parquet(*(file.spark_path for file in files))
    raw = [f"`{name.replace('`', '``')}` AS r{i}" for i, name in enumerate(layout.names)]
    good, phi = [], None
    if identified:
        frame = frame.selectExpr(*raw, "_metadata.file_path AS path", "_metadata.row_index AS row")
        frame = with_file_numbers(frame, files)
        phi = "named_struct('file', file, 'row', row)"
        good = ["file IS NOT NULL"] if len(files) > 1 else []
    else:
        frame = frame.selectExpr(*raw)
    cells = [
        cell(f"r{i}", stored, column.type, f"c{i}")
        for i, (stored, column) in enumerate(zip(layout.stored, relation.columns, strict=True))
    ]
    return Part(frame, cells, good, phi, layout.timely)
