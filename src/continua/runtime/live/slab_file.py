"""All that a slab puts out and keeps, in one job, in one table (design §6).

A relation has a column of structs, in which a row of the table has its values, if it belongs to the
relation; those of the others are NULL, which takes no room.

What a small slab has written stays in the memory of the executors too, and is read from there; if
one of them is lost, from the files.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping
from pathlib import Path

import pyarrow.parquet as pq
from pyspark.sql import DataFrame

from continua.physical.relation import EMPTY, Rel, View
from continua.physical.script import Script
from continua.physical.slab import FOREVER, time
from continua.physical.spark_internals.in_memory import cut_off, freed_with_origin, in_memory
from continua.physical.sweep_area import Content, Log, Renewed, Versions, changes
from continua.runtime.engine import Engine
from continua.runtime.live.checkpoint import Checkpoint
from continua.runtime.live.logs import apart
from continua.runtime.live.manifest import Area, Piece
from continua.runtime.spark_errors import translated

THERE = "there"
"""A value that every row of a relation has: whatever else it has may be NULL."""


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
        kept: Mapping[str, Content],
        number: int,
        small: bool,
        seconds: dict[str, float] | None = None,
    ) -> dict[str, Area]:
        """Computes relations and writes them; gives where each is, if it has rows.

        Of a log, that is what the slab adds to it. With `seconds`, see `Engine.computed_once`.
        """
        wanted = {name: rel for name, rel in kept.items() if changes(rel) is not EMPTY}
        if not wanted:
            return {}
        self._let_go(number)  # of what was made of it before something failed
        folder = str(self._checkpoint.slab(number))
        tagged = _tagged(script, {name: changes(rel) for name, rel in wanted.items()})
        with translated(script), self._engine.computed_once(script, tagged, seconds) as found:
            frame = cut_off(found) if small else found
            # Of lz4_raw, Parquet cannot read all dictionaries that it has written.
            frame.write.mode("overwrite").parquet(folder, compression="snappy")
        if small:
            frame = self._hot[number] = in_memory(frame)
        else:
            frame = self._engine.spark.read.schema(frame.schema).parquet(folder)
        self._views[number] = self._engine.lasting_view(frame)
        written, areas = _Written(Path(folder)), {}
        for name, rel in wanted.items():
            column = _column(name)
            rows = written.rows[column]
            if rows:
                dies = written.latest(f"{column}.{rel.column}") if isinstance(rel, Log) else FOREVER
                piece = Piece(number, rows, written.bytes[column], dies)
                keys = rel.keys if isinstance(rel, Renewed) else ()
                areas[name] = Area(name, rel.columns, (piece,), keys=keys)
        return areas

    def read(self, script: Script, area: Area) -> Rel | Versions:
        """The rows of a relation that are alive, from all slabs that have some."""
        parts = self._parts(script, area)
        if area.keys:
            small = len(apart(area)[1].pieces)
            return Versions(area.columns, tuple(reversed(parts)), small)
        return script.union("held", *parts)

    def rows(self, script: Script, area: Area) -> Rel:
        """The same of a relation that is not kept by keys."""
        assert not area.keys, area
        return script.union("held", *self._parts(script, area))

    def _parts(self, script: Script, area: Area) -> list[Rel]:
        own = _column(area.tag)
        columns = [(column, f"{own}.{column}") for column in area.columns]
        alive = f"{own}.{THERE}"
        if area.column is not None:
            alive += f" AND {own}.{area.column} >= {time(area.since)}"
        return [
            script.outside("held", self._view(piece.slab, own), columns, alive)
            for piece in area.pieces
        ]

    def forget(self, needed: Collection[int]) -> None:
        """Lets go of the slabs that no longer are needed."""
        for number in self._views.keys() - set(needed):
            self._let_go(number)

    def _let_go(self, number: int) -> None:
        if number in self._views:
            self._engine.drop_view(self._views.pop(number))
        if number in self._hot:
            freed_with_origin(self._hot.pop(number))

    def cool(self) -> None:
        """What was in memory has been lost with an executor: it is read from the files."""
        self.forget(())

    def _view(self, number: int, column: str) -> View:
        if number not in self._views:
            frame = self._engine.spark.read.parquet(str(self._checkpoint.slab(number)))
            self._views[number] = self._engine.lasting_view(frame)
        return View("slab", self._views[number], (column,))


class _Written:
    """What the files of a table say of their columns: Parquet has counted while it wrote.

    rows: how many a relation has. bytes: what it takes up.
    """

    def __init__(self, folder: Path) -> None:
        self.rows: Counter[str] = Counter()
        self.bytes: Counter[str] = Counter()
        self._greatest: dict[str, int] = {}
        for path in folder.glob("*.parquet"):
            found = pq.read_metadata(path)
            for group in map(found.row_group, range(found.num_row_groups)):
                for column in map(group.column, range(group.num_columns)):
                    self._add(column)

    def latest(self, column: str) -> int:
        """The greatest time in a column."""
        return self._greatest[column]

    def _add(self, column: pq.ColumnChunkMetaData) -> None:
        name, values = column.path_in_schema, column.statistics
        relation, _, leaf = name.partition(".")
        self.bytes[relation] += column.total_compressed_size
        if leaf == THERE:
            self.rows[relation] += column.num_values - values.null_count
        if column.physical_type == "INT64" and values is not None and values.has_min_max:
            self._greatest[name] = max(values.max, self._greatest.get(name, values.max))


def _column(name: str) -> str:
    """The column of a relation in the table: a name that Parquet takes."""
    plain = re.sub("[^0-9a-z ]", lambda found: f"_{ord(found[0]):x}_", name)
    return plain.replace(" ", "_") + "_"


def _tagged(script: Script, rels: Mapping[str, Rel]) -> Rel:
    parts = []
    columns = tuple(map(_column, rels))
    for tag, rel in rels.items():
        values = f"struct({', '.join((f'TRUE AS {THERE}', *rel.columns))})"
        cells = [values if name == tag else "NULL" for name in rels]
        parts.append(script.select("part", rel, zip(columns, cells, strict=True)))
    return script.union("tagged", *parts)
