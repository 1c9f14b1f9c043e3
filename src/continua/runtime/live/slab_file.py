"""All that a slab puts out and keeps, in one job, in one table (design §6).

A row of the table belongs to the relation whose name is in its `tag`, and has its values in a
column of structs that is the relation's own; those of the others are NULL, which takes no room. A
relation has the same columns in every slab, so that what several slabs have of it is read at once.

What a small slab has written stays in the memory of the executors too, and is read from there; if
one of them is lost, from the files.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping
from pathlib import Path

import pyarrow.parquet as pq
from pyspark.sql import DataFrame, Observation
from pyspark.sql.functions import expr

from continua.model.types import STRING
from continua.physical.expression import literal
from continua.physical.script import EMPTY, Rel, Script
from continua.physical.slab import FOREVER, time
from continua.physical.sweep_area import Log, Renewed, Versions
from continua.runtime.engine import Engine, freed
from continua.runtime.live.checkpoint import Checkpoint
from continua.runtime.live.manifest import Area, Piece
from continua.runtime.spark_errors import translated


class SlabFiles:
    """The tables of the slabs of a checkpoint."""

    def __init__(self, engine: Engine, checkpoint: Checkpoint) -> None:
        self._engine = engine
        self._checkpoint = checkpoint
        self._views: dict[int, str] = {}
        self._hot: dict[int, DataFrame] = {}

    def write(
        self,
        script: Script,
        rels: Mapping[str, Rel],
        number: int,
        small: bool,
        seconds: dict[str, float] | None = None,
    ) -> dict[str, Area]:
        """Computes relations and writes them; gives where each is, if it has rows.

        Of a log, that is what the slab adds to it. With `seconds`, see `Engine.computed_once`.
        """
        wanted = {name: rel for name, rel in rels.items() if rel is not EMPTY}
        if not wanted:
            return {}
        counted, counts = Observation(), ", ".join(_counts(n, r) for n, r in wanted.items())
        folder = str(self._checkpoint.slab(number))
        tagged = _tagged(script, wanted)
        with translated(script), self._engine.computed_once(script, tagged, seconds) as frame:
            if not small:
                frame = frame.coalesce(self._engine.cores)
            counting = frame.observe(counted, expr(f"struct({counts})").alias("found"))
            counting.write.mode("overwrite").parquet(folder)
        if small:
            self._hot[number] = frame
        else:
            frame = self._engine.spark.read.schema(frame.schema).parquet(folder)
        self._views[number] = self._engine.lasting_view(frame)
        found, sizes, areas = counted.get["found"], _sizes(Path(folder)), {}
        for name, rel in wanted.items():
            rows, latest = found[_column(name)]
            if rows:
                dies = FOREVER if latest is None else latest
                piece = Piece(number, rows, sizes[_column(name)], dies)
                keys = rel.keys if isinstance(rel, Renewed) else ()
                areas[name] = Area(name, rel.columns, (piece,), keys=keys)
        return areas

    def read(self, script: Script, area: Area) -> Rel:
        """The rows of a relation that are alive, from all slabs that have some."""
        own = _column(area.tag)
        columns = [(column, f"{own}.{column}") for column in area.columns]
        parts = [
            script.outside(area.tag, self._view(piece.slab), columns, _is(area.tag))
            for piece in area.pieces
        ]
        if area.keys:
            return Versions("", area.columns, tuple(reversed(parts)))
        held = script.union("held", *parts)
        if area.column is None:
            return held
        return script.where("alive", held, f"{area.column} >= {time(area.since)}")

    def forget(self, needed: Collection[int]) -> None:
        """Lets go of the slabs that no longer are needed."""
        for number in self._views.keys() - set(needed):
            self._engine.drop_view(self._views.pop(number))
            if number in self._hot:
                freed(self._hot.pop(number))

    def cool(self) -> None:
        """What was in memory has been lost with an executor: it is read from the files."""
        self.forget(())

    def _view(self, number: int) -> str:
        if number not in self._views:
            frame = self._engine.spark.read.parquet(str(self._checkpoint.slab(number)))
            self._views[number] = self._engine.lasting_view(frame)
        return self._views[number]


def _sizes(folder: Path) -> Counter[str]:
    """What the columns of a table take up in its files."""
    sizes: Counter[str] = Counter()
    for path in folder.glob("*.parquet"):
        found = pq.read_metadata(path)
        for group in map(found.row_group, range(found.num_row_groups)):
            for column in map(group.column, range(group.num_columns)):
                sizes[column.path_in_schema.split(".")[0]] += column.total_compressed_size
    return sizes


def _is(name: str) -> str:
    return f"tag = {literal(name, STRING)}"


def _column(name: str) -> str:
    """The column of a relation in the table: a name that Parquet takes."""
    plain = re.sub("[^0-9a-z ]", lambda found: f"_{ord(found[0]):x}_", name)
    return plain.replace(" ", "_") + "_"


def _counts(name: str, rel: Rel) -> str:
    """SQL: how many rows a relation has, and the greatest time by which they die."""
    dies = f"max({_column(name)}.{rel.column})" if isinstance(rel, Log) else "CAST(NULL AS BIGINT)"
    return f"struct(count_if({_is(name)}), {dies}) AS {_column(name)}"


def _tagged(script: Script, rels: Mapping[str, Rel]) -> Rel:
    parts = []
    columns = ("tag", *map(_column, rels))
    for tag, rel in rels.items():
        values = f"struct({', '.join(rel.columns)})" if rel.columns else "TRUE"
        cells = [f"{values if name == tag else 'NULL'} AS {_column(name)}" for name in rels]
        listed = ", ".join([f"{literal(tag, STRING)} AS tag", *cells])
        parts.append(script.define("part", f"SELECT {listed} FROM {rel.name}", columns, [rel]))
    return script.union("tagged", *parts)
