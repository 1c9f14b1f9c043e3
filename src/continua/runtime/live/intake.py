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
from continua.runtime.engine import Engine, rows_table
from continua.runtime.live.manifest import Origin
from continua.runtime.sources.read import Rejected, read
from continua.runtime.sources.spark_delivery import passed_over, passing_over
from continua.runtime.sources.spark_files import adopted
from continua.runtime.sources.spark_read import open_source
from continua.runtime.sources.spark_using import format_piece, loaded

FILES: Final = {"csv": "*.csv", "json": "*.{json,jsonl,ndjson}", "parquet": "*.parquet"}
"""The sources of files, and which files of a directory are theirs."""

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
    bytes: what their files take up, if there are files.
    """

    relation: Relation
    frame: DataFrame
    placed: DataFrame | None = None
    bad: DataFrame | None = None
    columnar: bool = False
    bytes: int = 0


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
        name = f"{_source_name(relation)}_{origins.get(relation.name.lower(), Origin()).slab}"
        if relation.source.is_format:
            rows = loaded(engine.spark.readStream.name(f"{name}_0"), relation)
            parts.append((number, rows, "struct(*)", "NULL"))
            continue
        for i, pattern in enumerate(relation.source.args):
            reader = engine.spark.readStream.name(f"{name}_{i}").format("binaryFile")
            # Files are never too old: one that is passed over would be lost in silence.
            reader = reader.schema(_SCHEMA).option("maxFileAge", "36500d")
            if most_files is not None:
                reader = reader.option("maxFilesPerTrigger", most_files)
            path = str(pattern)
            if not os.path.exists(path) and not glob.has_magic(path):
                message = f"there is no directory {path}"
                hint = "make it; files that are moved into it are read"
                raise ContinuaError("SOURCE_NOT_FOUND", message, relation.source.span, hint=hint)
            if os.path.isdir(path):
                reader = reader.option("pathGlobFilter", FILES[relation.source.function])
            file = "struct(path, length)"
            parts.append((number, reader.load(os.path.abspath(path)), "NULL", file))
    frames = [
        frame.selectExpr(
            f"{number} AS source",
            f"CAST({file} AS STRUCT<path: STRING, bytes: BIGINT>) AS file",
            *(f"{row if i == number else 'NULL'} AS row{i}" for i in range(len(relations))),
        )
        for number, frame, row, file in parts
    ]
    return reduce(DataFrame.unionAll, frames)


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
    exact: bool,
    positioned: Collection[Relation],
) -> list[Arrived]:
    """What a batch of `incoming` brings; positioned: of which queries need the positions."""
    files: dict[int, list[tuple[str, int]]] = {}
    # The names of files, which are few: their rows are read by Spark.
    for source, file, *_ in batch.where("file IS NOT NULL").collect():
        files.setdefault(source, []).append((file.path.removeprefix("file:"), file.bytes))
    found = []
    for number, relation in enumerate(relations):
        if relation.source.is_format:
            rows = batch.where(f"row{number} IS NOT NULL").selectExpr(f"row{number}.*")
            piece = format_piece(relation, adopted(engine.spark, rows), identified=True)
            bad = passed_over(relation, piece) if relation.on_error != "FAIL" else None
            found.append(Arrived(relation, passing_over(relation, piece), bad=bad))
        elif number in files:
            paths, sizes = zip(*sorted(files[number]), strict=True)
            came = _files(engine, relation, paths, exact, relation in positioned)
            found.append(replace(came, bytes=sum(sizes)))
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
