"""Live sources: what a batch brings of each relation.

Files are found by Spark, which remembers which it has seen, and read by the readers of history,
so that a row means the same in both, and a bad one is treated alike. Other formats bring their
rows with the batch. What has no end to come (tables, rows given in the text, generated data) is
read once, when the graph begins.
"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Final

import pyarrow as pa
from pyspark.sql import DataFrame

from continua.errors import ContinuaError
from continua.model.catalog import Relation
from continua.model.types import STRING
from continua.physical.expression import literal
from continua.physical.scan import delivered
from continua.physical.spark_internals.spark_log import Found
from continua.runtime.engine import Engine, rows_table
from continua.runtime.live.files_read import Taken
from continua.runtime.live.manifest import Origin
from continua.runtime.sources import csv_files, json_files, parquet_files
from continua.runtime.sources.compressed import ENDINGS
from continua.runtime.sources.files import check_regular
from continua.runtime.sources.read import Rejected, read
from continua.runtime.sources.spark_delivery import passed_over, passing_over
from continua.runtime.sources.spark_files import adopted
from continua.runtime.sources.spark_read import open_source
from continua.runtime.sources.spark_using import format_piece, loaded

FILES: Final = {
    "csv": csv_files.SUFFIXES,
    "json": json_files.SUFFIXES,
    "parquet": parquet_files.SUFFIXES,
}
"""The sources of files, and how the names of those end that are theirs in a directory."""

PHI: Final = "STRUCT<file: STRING, block: BIGINT, row: BIGINT>"
"""The position of a row of a file."""

_SCHEMA = "path STRING, modificationTime TIMESTAMP, length BIGINT, content BINARY"


@dataclass(frozen=True)
class Arrived:
    """The rows of a relation that have come, as `physical.scan.delivered` has them.

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


def is_live(relation: Relation) -> bool:
    """Whether rows may come while the graph runs."""
    return relation.is_stream and (relation.source.is_format or relation.source.function in FILES)


def incoming(
    engine: Engine,
    relations: Sequence[Relation],
    origins: Mapping[str, Origin],
    most_files: int | None = None,
) -> DataFrame:
    """One stream of all live sources: the number of the source, and a file or a row.

    origins: when they were begun to be read. Spark goes on where it was with a source that it
    knows by its name; one that had left, and is read again, is another.
    """
    parts = []
    for number, relation in enumerate(relations):
        names = source_names(relation, origins)
        if relation.source.is_format:
            rows = loaded(engine.spark.readStream.name(names[0]), relation)
            parts.append((number, rows, "struct(*)", "NULL"))
            continue
        for name, pattern in zip(names, relation.source.args, strict=True):
            reader = engine.spark.readStream.name(name).format("binaryFile")
            # Files are never too old: one that is passed over would be lost in silence.
            reader = reader.schema(_SCHEMA).option("maxFileAge", "36500d")
            if most_files is not None:
                reader = reader.option("maxFilesPerTrigger", most_files)
            path = str(pattern)
            if not os.path.exists(path) and not glob.has_magic(path):
                message = f"there is no directory {path}"
                hint = "make it; files that are moved into it are read"
                raise ContinuaError("SOURCE_NOT_FOUND", message, relation.source.span, hint=hint)
            check_regular(relation, path)
            if os.path.isdir(path):
                reader = reader.option("pathGlobFilter", _glob(FILES[relation.source.function]))
            file = "struct(path, length, unix_millis(modificationTime))"
            parts.append((number, reader.load(os.path.abspath(path)), "NULL", file))
    frames = [
        frame.selectExpr(
            f"{number} AS source",
            f"CAST({file} AS STRUCT<path: STRING, bytes: BIGINT, modified: BIGINT>) AS file",
            *(f"{row if i == number else 'NULL'} AS row{i}" for i in range(len(relations))),
        )
        for number, frame, row, file in parts
    ]
    return reduce(DataFrame.unionAll, frames)


def source_names(relation: Relation, origins: Mapping[str, Origin]) -> list[str]:
    """The names by which Spark knows what a relation reads: files of several patterns, or one."""
    stem = f"{_source_name(relation)}_{origins.get(relation.name.lower(), Origin()).slab}"
    number = 1 if relation.source.is_format else len(relation.source.args)
    return [f"{stem}_{i}" for i in range(number)]


def _glob(suffixes: Sequence[str]) -> str:
    """A pattern for names with one of the suffixes, in any case, compressed or not."""
    endings = (suffix + ending for suffix in suffixes for ending in ("", *ENDINGS))
    any_case = ("".join(f"[{c}{c.upper()}]" if c.isalpha() else c for c in e) for e in endings)
    return f"*{{{','.join(any_case)}}}"


def _source_name(relation: Relation) -> str:
    """A name that Spark accepts (letters, digits and underscores), and no other stream has."""
    name = relation.name.lower()
    if re.fullmatch("[a-z0-9_]+", name):
        return f"s_{name}"
    return "q_" + re.sub("[^a-z0-9]", lambda found: f"_{ord(found[0]):x}_", name)


def arrived(
    engine: Engine,
    relations: Sequence[Relation],
    batch: DataFrame,
    listed: Mapping[Relation, Sequence[Found]],
    exact: bool,
    positioned: Collection[Relation],
) -> list[Arrived]:
    """What a batch of `incoming` brings.

    listed: all files that Spark has found for the batch. Those that it does not hand over were
    empty then, or are no files; they are read too, since that may be wrong, or no longer so.
    positioned: of which relations queries need the positions.
    """
    files: dict[int, list[Taken]] = {}
    # The names of files, which are few: their rows are read by Spark.
    for source, file, *_ in batch.where("file IS NOT NULL").collect():
        path = file.path.removeprefix("file:")
        files.setdefault(source, []).append(Taken(path, file.bytes, file.modified))
    for number, relation in enumerate(relations):
        handed = {file.path for file in files.get(number, ())}
        for path, modified in listed.get(relation, ()):
            if path not in handed and os.path.lexists(path):
                files.setdefault(number, []).append(Taken(path, 0, modified))
    found = []
    for number, relation in enumerate(relations):
        if relation.source.is_format:
            rows = batch.where(f"row{number} IS NOT NULL").selectExpr(f"row{number}.*")
            piece = format_piece(relation, adopted(engine.spark, rows), identified=True)
            bad = passed_over(relation, piece) if relation.on_error != "FAIL" else None
            found.append(Arrived(relation, passing_over(relation, piece), bad=bad))
        elif number in files:
            taken = sorted(files[number])
            paths = [file.path for file in taken]
            came = _files(engine, relation, paths, exact, relation in positioned)
            found.append(replace(came, files=taken))
    return found


def _files(
    engine: Engine, relation: Relation, paths: Sequence[str], exact: bool, positioned: bool
) -> Arrived:
    listed = replace(relation, source=replace(relation.source, args=tuple(paths)))
    if not exact:
        # By columns, Spark would join the rows of several files with the numbers of the files.
        columnar = relation.source.function == "parquet"
        quick = columnar and len(paths) > 1 and not positioned
        frame = _opened(engine, listed, not quick)
        if frame is not None:
            placed = _opened(engine, listed, True) if quick else None
            return Arrived(relation, frame, placed, columnar=columnar)
    delivery, columns = read(listed), delivered(relation)
    table = rows_table(relation, delivery.rows)
    positions = [row.phi for row in delivery.rows]
    table = table.set_column(columns.index("phi"), "phi", _positions(paths, positions))
    rows = engine.spark.createDataFrame(table)
    return Arrived(relation, rows, bad=_rejected(engine, delivery.rejected))


def _opened(engine: Engine, listed: Relation, identified: bool) -> DataFrame | None:
    """Files by Spark; the path has the order that files have in history."""
    frame = open_source(engine.spark, listed, identified)
    if frame is None:
        return None
    phi = f"CAST(NULL AS {PHI})"
    if identified:
        files = ", ".join(literal(path, STRING) for path in listed.source.args)
        block = "0L" if listed.source.function == "parquet" else "phi.block"
        phi = (
            f"named_struct('file', element_at(array({files}), phi.file + 1), "
            f"'block', {block}, 'row', phi.row)"
        )
    return frame.selectExpr(
        *(f"{phi} AS phi" if name == "phi" else name for name in delivered(listed))
    )


def _positions(paths: Sequence[str], positions: Sequence[object]) -> pa.Array:
    found = []
    for position in positions:
        assert isinstance(position, tuple)
        file, row = position
        found.append({"file": paths[file], "block": 0, "row": row})
    fields = [("file", pa.string()), ("block", pa.int64()), ("row", pa.int64())]
    return pa.array(found, pa.struct(fields))


def _rejected(engine: Engine, rejected: Sequence[Rejected]) -> DataFrame | None:
    if not rejected:
        return None
    listed = [(r.place, r.reason, r.text) for r in rejected]
    return engine.spark.createDataFrame(listed, "place STRING, reason STRING, text STRING")
