"""A stream at its seam: stored history delivers what is before a time, the source itself the rest.

A row is of one side by its time, and the other side passes it over (design §4). Over history, φ is
the side and the position there. While files come, it is the path and the position, which tell the
sides apart as well: in a file that both have, every row is of one of them.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce

from pyspark.sql import DataFrame, SparkSession

from continua.errors import ContinuaError
from continua.model.catalog import Relation
from continua.model.element import SourceRow
from continua.physical.instant import instant
from continua.physical.scan import source_columns
from continua.physical.validity import START
from continua.runtime.sources.file_source import FileSource
from continua.runtime.sources.kinds import source_of
from continua.runtime.sources.live_files import LiveFiles
from continua.runtime.sources.live_source import Arrived, Taken

PAST, PRESENT = 0, 1
"""The sides of a seam, in their order. What has no seam has one side."""


def check_sources(relation: Relation) -> None:
    """Raises if what a relation comes from is known to be wrong as it was declared."""
    present = source_of(relation)
    if relation.seam is None:
        return
    past = source_of(_past(relation))
    files = [isinstance(source, FileSource) for source in (past, present)]
    if all(files) or not (any(files) or past.live() or present.live()):
        return
    message = f"a history of {past.name} cannot go on with {present.name}"
    hint = "both are files (csv, json, parquet), or both are complete from the beginning (rows)"
    raise ContinuaError("UNSUPPORTED", message, past.relation.source.span, hint=hint)


def sides_of(relation: Relation) -> dict[int, Relation]:
    """What each side of a relation's seam is, as a relation by itself."""
    present = {PRESENT: replace(relation, seam=None)}
    return present if relation.seam is None else {PAST: _past(relation), **present}


def rows_at_seam(relation: Relation, sides: Mapping[int, Sequence[SourceRow]]) -> list[SourceRow]:
    """The rows of both sides, in the order of time."""
    assert relation.seam is not None
    at = relation.seam.at
    return [
        row._replace(phi=(side, row.phi))
        for side, rows in sides.items()
        for row in rows
        if (row.start < at) == (side == PAST)
    ]


def frames_at_seam(relation: Relation, sides: Mapping[int, DataFrame]) -> DataFrame:
    """The same of what Spark reads; positions of the two sides may be of different types."""
    types = {side: frame.schema["phi"].dataType.simpleString() for side, frame in sides.items()}
    parts = []
    for side, frame in sides.items():
        places = ", ".join(
            f"{'phi' if other == side else f'CAST(NULL AS {type_})'} AS of{other}"
            for other, type_ in types.items()
        )
        phi = f"struct({side} AS side, {places}) AS phi"
        columns = (phi if name == "phi" else name for name in source_columns(relation))
        parts.append(_of_side(relation, side, frame).selectExpr(*columns))
    return reduce(DataFrame.unionAll, parts)


def arrived_after(arrived: Arrived) -> Arrived:
    """What has come of a live source, without what is history's."""
    return _arrived(arrived, PRESENT)


def stored_before(
    spark: SparkSession, relation: Relation, exact: bool, positioned: bool
) -> Arrived | None:
    """The stored history of a live stream, if it has some; read as files are that have come.

    exact: whether the exact reader has to read it. positioned: whether queries need positions.
    """
    if relation.seam is None:
        return None
    source = source_of(_past(relation))
    assert isinstance(source, FileSource), "check_sources refuses others"
    files = [_taken(os.path.abspath(file.path)) for file in source.files()]
    found = LiveFiles(source).read(spark, files, exact, positioned)
    return _arrived(replace(found, relation=relation), PAST)


def _taken(path: str) -> Taken:
    status = os.stat(path)
    return Taken(path, status.st_size, status.st_mtime_ns // 1_000_000)


def _past(relation: Relation) -> Relation:
    assert relation.seam is not None
    return replace(relation, source=relation.seam.source, seam=None)


def _arrived(arrived: Arrived, side: int) -> Arrived:
    relation, placed = arrived.relation, arrived.placed
    if relation.seam is None:
        return arrived
    return replace(
        arrived,
        frame=_of_side(relation, side, arrived.frame),
        placed=None if placed is None else _of_side(relation, side, placed),
    )


def _of_side(relation: Relation, side: int, frame: DataFrame) -> DataFrame:
    assert relation.seam is not None
    at = instant(relation.seam.at)
    return frame.where(START.before(at) if side == PAST else START.not_before(at))
