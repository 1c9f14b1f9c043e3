"""Live sources: what a batch brings of each relation.

One stream of Spark has those of all sources in it; how a source is read is its own affair. What has
no end to come (tables, rows given in the text, generated data) is read once, when the graph begins.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping, Sequence
from functools import partial, reduce

from pyspark.sql import DataFrame

from continua.errors import ContinuaError
from continua.model.catalog import Relation
from continua.physical.spark_internals.spark_log import Found
from continua.runtime.engine import Engine
from continua.runtime.live.manifest import Origin
from continua.runtime.sources.kinds import source_of
from continua.runtime.sources.live_source import Arrived, Brought, LiveSource, Taken
from continua.runtime.sources.seam import arrived_after


def is_live(relation: Relation) -> bool:
    """Whether rows may come while the graph runs."""
    return source_of(relation).live() is not None


def brings_rows(relation: Relation) -> bool:
    """Whether a batch brings the rows of a live source, and not the names of files with them."""
    return _live(relation).BRINGS_ROWS


def unreadable(relation: Relation) -> ContinuaError | None:
    """The error of a row of a live source that Spark cannot take, if nothing else can read it."""
    return source_of(relation).unreadable()


def source_names(relation: Relation, origins: Mapping[str, Origin]) -> list[str]:
    """The names by which Spark knows the streams of a live source."""
    stem = f"{_source_name(relation)}_{origins.get(relation.key, Origin()).slab}"
    return [f"{stem}_{i}" for i in range(_live(relation).number)]


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
    frames = []
    for number, relation in enumerate(relations):
        live, names = _live(relation), source_names(relation, origins)
        row, file = ("struct(*)", "NULL") if live.BRINGS_ROWS else ("NULL", "struct(*)")
        frames += [
            stream.selectExpr(
                f"{number} AS source",
                f"CAST({file} AS STRUCT<path: STRING, bytes: BIGINT, modified: BIGINT>) AS file",
                *(f"{row if i == number else 'NULL'} AS row{i}" for i in range(len(relations))),
            )
            for stream in live.streams(engine.spark, names, most_files)
        ]
    return reduce(DataFrame.unionAll, frames)


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
    found = []
    for number, relation in enumerate(relations):
        taken = files.get(number, [])
        handed = {file.path for file in taken}
        for path, modified in listed.get(relation, ()):
            if path not in handed and os.path.lexists(path):
                taken.append(Taken(path, 0, modified))
        brought = Brought(taken, partial(_rows, batch, number))
        rows = _live(relation).arrived(engine.spark, brought, exact, relation in positioned)
        if rows is not None:
            found.append(arrived_after(rows))
    return found


def _rows(batch: DataFrame, number: int) -> DataFrame:
    """The rows of a source that a batch has brought."""
    return batch.where(f"row{number} IS NOT NULL").selectExpr(f"row{number}.*")


def _live(relation: Relation) -> LiveSource:
    live = source_of(relation).live()
    assert live is not None, f"{relation.name} is complete from the beginning"
    return live


def _source_name(relation: Relation) -> str:
    """A name that Spark accepts (letters, digits and underscores), and no other stream has."""
    name = relation.key
    if re.fullmatch("[a-z0-9_]+", name):
        return f"s_{name}"
    return "q_" + re.sub("[^a-z0-9]", lambda found: f"_{ord(found[0]):x}_", name)
