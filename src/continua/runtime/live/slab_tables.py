"""The tables of slabs: all that a slab puts out and keeps, in one table, by one job (design §6).

A relation has a column of structs, in which a row of the table has its values, if it belongs to the
relation; those of the others are NULL, which takes no room.

What a small slab has written stays in the memory of the executors too, and is read from there; if
one of them is lost, from the files.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from pathlib import Path

import pyarrow.parquet as pq
from pyspark.sql import DataFrame

from continua.physical.builder import Builder
from continua.physical.expression import all_of
from continua.physical.instant import FOREVER, Instant, instant
from continua.physical.relation import EMPTY, Rel, View
from continua.physical.spark_internals.in_memory import cut_off, freed_with_origin, in_memory
from continua.physical.sweep_area import Content, Log, Renewed, Versions, changes
from continua.runtime.engine import Engine
from continua.runtime.live.checkpoint import Checkpoint
from continua.runtime.live.keys import KeptKey, Key, column_of
from continua.runtime.live.segments import Segment, Stored, by_age
from continua.runtime.spark_errors import translated

THERE = "there"
"""A value that every row of a relation has: whatever else it has may be NULL."""


class SlabTables:
    """The tables of the slabs of a checkpoint."""

    def __init__(self, engine: Engine, checkpoint: Checkpoint) -> None:
        self._engine = engine
        self._checkpoint = checkpoint
        self._views: dict[int, str] = {}
        self._hot: dict[int, DataFrame] = {}

    def write(
        self,
        builder: Builder,
        contents: Mapping[Key, Content],
        number: int,
        small: bool,
        seconds: dict[str, float] | None = None,
    ) -> dict[Key, Stored]:
        """Computes relations and writes them; gives where each is, if it has rows.

        Of a log, that is what the slab adds to it. With `seconds`, see `Engine.computed_once`.
        """
        wanted = {key: rel for key, rel in contents.items() if changes(rel) is not EMPTY}
        if not wanted:
            return {}
        self._free(number)  # of what was made of it before something failed
        folder = str(self._checkpoint.slab(number))
        tagged = _tagged(builder, {column_of(key): changes(rel) for key, rel in wanted.items()})
        with translated(builder), self._engine.computed_once(builder, tagged, seconds) as found:
            frame = cut_off(found) if small else found
            # With lz4_raw, Parquet cannot read every dictionary that it has written.
            frame.write.mode("overwrite").parquet(folder, compression="snappy")
        if small:
            frame = self._hot[number] = in_memory(frame)
        else:
            frame = self._engine.spark.read.schema(frame.schema).parquet(folder)
        self._views[number] = self._engine.lasting_view(frame)
        return _stored(Path(folder), number, wanted)

    def read(self, builder: Builder, key: KeptKey, stored: Stored) -> Rel | Versions:
        """The rows of a relation that are alive, from all slabs that have some."""
        parts = self._parts(builder, key, stored)
        if stored.keys:
            small = len(by_age(stored)[1].segments)
            return Versions(stored.columns, tuple(reversed(parts)), small)
        return builder.union("held", *parts)

    def rows(self, builder: Builder, key: Key, stored: Stored) -> Rel:
        """The same of a relation that is not kept by keys."""
        assert not stored.keys, key
        return builder.union("held", *self._parts(builder, key, stored))

    def _parts(self, builder: Builder, key: Key, stored: Stored) -> list[Rel]:
        own = column_of(key)
        columns = [(column, f"{own}.{column}") for column in stored.columns]
        alive = f"{own}.{THERE}"
        if stored.column is not None:
            at = Instant(f"{own}.{stored.column}")
            alive = all_of(alive, at.not_before(instant(stored.since)))
        return [
            builder.outside("held", self._view(segment.slab, own), columns, alive)
            for segment in stored.segments
        ]

    def free_others(self, needed: Collection[int]) -> None:
        """Frees the memory of slabs that are no longer needed."""
        for number in self._views.keys() - set(needed):
            self._free(number)

    def _free(self, number: int) -> None:
        if number in self._views:
            self._engine.drop_view(self._views.pop(number))
        if number in self._hot:
            freed_with_origin(self._hot.pop(number))

    def drop_memory(self) -> None:
        """Has all slabs read from their files: what was in memory is lost with an executor."""
        self.free_others(())

    def _view(self, number: int, column: str) -> View:
        if number not in self._views:
            frame = self._engine.spark.read.parquet(str(self._checkpoint.slab(number)))
            self._views[number] = self._engine.lasting_view(frame)
        return View("slab", self._views[number], (column,))


def _stored(folder: Path, number: int, contents: Mapping[Key, Content]) -> dict[Key, Stored]:
    """What a slab has written of relations, of those that have rows."""
    written, found = _Written(folder), {}
    for key, content in contents.items():
        column = column_of(key)
        rows = written.rows[column]
        if rows:
            log = content if isinstance(content, Log) else None
            latest = written.latest(f"{column}.{log.column}") if log else FOREVER
            segment = Segment(number, rows, written.bytes[column], latest)
            keys = content.keys if isinstance(content, Renewed) else ()
            found[key] = Stored(content.columns, (segment,), keys=keys)
    return found


class _Written:
    """The statistics of the columns in the files of a table, which Parquet has written with them.

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
            nulls = 0 if values is None else values.null_count
            self.rows[relation] += column.num_values - nulls
        if column.physical_type == "INT64" and values is not None and values.has_min_max:
            self._greatest[name] = max(values.max, self._greatest.get(name, values.max))


def _tagged(builder: Builder, rels: Mapping[str, Rel]) -> Rel:
    """Relations as one, each in the column of structs that is called so."""
    parts = []
    for column, rel in rels.items():
        values = f"struct({', '.join((f'TRUE AS {THERE}', *rel.columns))})"
        cells = [(other, values if other == column else "NULL") for other in rels]
        parts.append(builder.select("part", rel, cells))
    return builder.union("tagged", *parts)
