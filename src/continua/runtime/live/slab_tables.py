"""What slabs put out and keep, in their files (design §6).

A small slab writes all of it as one table, by one job. A relation has a column of structs there, in
which a row of the table has its values, if it belongs to the relation; those of the others are
NULL, which takes no room. The table stays in the memory of the executors too, and is read from
there; if one of them is lost, from the files.

Of a large slab each relation has files of its own.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Collection, Mapping, Set
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
from continua.runtime.live.segments import Segment, Stored, by_age, folder_of
from continua.runtime.spark_errors import translated

THERE = "there"
"""A value that every row of a relation has: whatever else it has may be NULL."""


class SlabTables:
    """The tables of the slabs of a checkpoint."""

    def __init__(self, engine: Engine, checkpoint: Checkpoint) -> None:
        self._engine = engine
        self._checkpoint = checkpoint
        self._views: dict[str, str] = {}
        self._hot: dict[str, DataFrame] = {}

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
        # Of what was made of the slab before something failed.
        self._free([name for name in self._views if int(Path(name).parts[0]) == number])
        shutil.rmtree(self._checkpoint.folder(folder_of(number)), ignore_errors=True)
        if not wanted:
            return {}
        with translated(builder):
            write = self._write_table if small else self._write_parts
            return write(builder, wanted, number, seconds)

    def _write_table(
        self,
        builder: Builder,
        contents: Mapping[Key, Content],
        number: int,
        seconds: dict[str, float] | None,
    ) -> dict[Key, Stored]:
        """All in one table, by one job: what few rows cost is the planning."""
        tagged = _tagged(builder, {column_of(k): changes(rel) for k, rel in contents.items()})
        folder = folder_of(number)
        path = self._checkpoint.folder(folder)
        with self._engine.computed_once(builder, [tagged], seconds) as (found,):
            frame = cut_off(found)
            self._save(frame, path)
        self._hot[folder] = in_memory(frame)
        self._views[folder] = self._engine.lasting_view(self._hot[folder])
        written = _Written(path)
        return {
            key: stored
            for key, content in contents.items()
            if (stored := written.stored(content, number, column_of(key))) is not None
        }

    def _write_parts(
        self,
        builder: Builder,
        contents: Mapping[Key, Content],
        number: int,
        seconds: dict[str, float] | None,
    ) -> dict[Key, Stored]:
        """Each by itself: many rows are neither tagged nor read beside those of others."""
        found: dict[Key, Stored] = {}
        rels = [changes(content) for content in contents.values()]
        with self._engine.computed_once(builder, rels, seconds) as frames:
            for part, (key, frame) in enumerate(zip(contents, frames, strict=True)):
                folder = folder_of(number, part)
                path = self._checkpoint.folder(folder)
                self._save(frame, path)
                stored = _Written(path).stored(contents[key], number, part=part)
                if stored is not None:
                    found[key] = stored
                    again = self._engine.spark.read.schema(frame.schema).parquet(str(path))
                    self._views[folder] = self._engine.lasting_view(again)
        return found

    def _save(self, frame: DataFrame, path: Path) -> None:
        # With lz4_raw, Parquet cannot read every dictionary that it has written.
        frame.write.mode("overwrite").parquet(str(path), compression="snappy")

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
        return [self._part(builder, key, stored, segment) for segment in stored.segments]

    def _part(self, builder: Builder, key: Key, stored: Stored, segment: Segment) -> Rel:
        table = segment.part is None
        own = f"{column_of(key)}." if table else ""
        alive = [f"{own}{THERE}"] if table else []
        if stored.column is not None:
            at = Instant(f"{own}{stored.column}")
            alive.append(at.not_before(instant(stored.since)))
        columns = [(column, f"{own}{column}") for column in stored.columns]
        read = (column_of(key),) if table else stored.columns
        view = View("slab", self._view(segment.folder), read)
        return builder.outside("held", view, columns, all_of(*alive) if alive else None)

    def free_others(self, needed: Set[str]) -> None:
        """Frees the memory of folders that are no longer needed."""
        self._free(self._views.keys() - needed)

    def _free(self, folders: Collection[str]) -> None:
        for folder in folders:
            self._engine.drop_view(self._views.pop(folder))
            if folder in self._hot:
                freed_with_origin(self._hot.pop(folder))

    def drop_memory(self) -> None:
        """Has all slabs read from their files: what was in memory is lost with an executor."""
        self.free_others(frozenset())

    def _view(self, folder: str) -> str:
        if folder not in self._views:
            frame = self._engine.spark.read.parquet(str(self._checkpoint.folder(folder)))
            self._views[folder] = self._engine.lasting_view(frame)
        return self._views[folder]


class _Written:
    """The statistics of the columns in the files of a folder, which Parquet has written with them.

    Those of a relation that has a column to itself are found by the column's name.
    """

    def __init__(self, folder: Path) -> None:
        self._rows: Counter[str] = Counter()
        self._bytes: Counter[str] = Counter()
        self._greatest: dict[str, int] = {}
        for path in folder.glob("*.parquet"):
            found = pq.read_metadata(path)
            self._rows[""] += found.num_rows
            for group in map(found.row_group, range(found.num_row_groups)):
                for column in map(group.column, range(group.num_columns)):
                    self._add(column)

    def stored(
        self, content: Content, slab: int, column: str = "", part: int | None = None
    ) -> Stored | None:
        """Where a relation is; None if it has no rows."""
        rows = self._rows[column]
        if not rows:
            return None
        latest = FOREVER
        if isinstance(content, Log):
            latest = self._greatest[f"{column}.{content.column}" if column else content.column]
        segment = Segment(slab, rows, self._bytes[column], latest, part)
        keys = content.keys if isinstance(content, Renewed) else ()
        return Stored(content.columns, (segment,), keys=keys)

    def _add(self, column: pq.ColumnChunkMetaData) -> None:
        name, values = column.path_in_schema, column.statistics
        relation, _, leaf = name.partition(".")
        self._bytes[relation] += column.total_compressed_size
        self._bytes[""] += column.total_compressed_size
        if leaf == THERE:
            nulls = 0 if values is None else values.null_count
            self._rows[relation] += column.num_values - nulls
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
