"""All that a slab puts out and keeps, in one job, in one table (design §6).

A row of the table belongs to the relation whose number is in its `tag`. Every relation has columns
of its own; those of the others are NULL in its rows, which takes no room.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import reduce

from pyspark.sql import DataFrame, Observation
from pyspark.sql.functions import count_if, expr

from continua.physical.script import EMPTY, Rel, Script
from continua.runtime.engine import Engine
from continua.runtime.live.checkpoint import Checkpoint
from continua.runtime.live.manifest import Segment
from continua.runtime.spark_errors import translated


class SlabFiles:
    """The tables of the slabs of a checkpoint."""

    def __init__(self, engine: Engine, checkpoint: Checkpoint) -> None:
        self._engine = engine
        self._checkpoint = checkpoint
        self._frames: dict[int, DataFrame] = {}

    def write(
        self, script: Script, rels: Mapping[str, Rel], number: int, tasks: int
    ) -> dict[str, Segment]:
        """Computes relations and writes them; gives where each is, if it has rows."""
        wanted = {name: rel for name, rel in rels.items() if rel is not EMPTY}
        if not wanted:
            return {}
        counted = Observation()
        with translated(script):
            frame = self._engine.query(script, _tagged(script, list(wanted.values())))
            numbers = (count_if(expr(f"tag = {i}")).alias(f"n{i}") for i in range(len(wanted)))
            frame = frame.observe(counted, *numbers)
            folder = str(self._checkpoint.slab(number))
            frame.coalesce(tasks).write.mode("overwrite").parquet(folder)
        # With its schema, Spark need not look into the file before it reads it.
        self._frames[number] = self._engine.spark.read.schema(frame.schema).parquet(folder)
        rows = counted.get
        return {
            name: Segment(number, tag, rel.columns, int(rows[f"n{tag}"]))
            for tag, (name, rel) in enumerate(wanted.items())
            if rows[f"n{tag}"]
        }

    def read(self, segments: Sequence[Segment]) -> Rel:
        """The rows of a relation, from all its segments."""
        if not segments:
            return EMPTY
        parts = []
        for segment in segments:
            tag = segment.tag
            columns = [f"r{tag}_{column} AS {column}" for column in segment.columns]
            parts.append(self._frame(segment.slab).where(f"tag = {tag}").selectExpr(*columns))
        return self._engine.view(segments[0].columns, reduce(DataFrame.unionAll, parts))

    def forget(self, needed: Collection[int]) -> None:
        """Slabs that nobody will read again."""
        for number in self._frames.keys() - needed:
            del self._frames[number]

    def _frame(self, number: int) -> DataFrame:
        if number not in self._frames:
            folder = str(self._checkpoint.slab(number))
            self._frames[number] = self._engine.spark.read.parquet(folder)
        return self._frames[number]


def _tagged(script: Script, rels: Sequence[Rel]) -> Rel:
    names = [(i, column) for i, rel in enumerate(rels) for column in rel.columns]
    parts = []
    for tag, rel in enumerate(rels):
        cells = [f"{c if i == tag else 'NULL'} AS r{i}_{c}" for i, c in names]
        parts.append(f"SELECT {', '.join([f'{tag} AS tag', *cells])} FROM {rel.name}")
    columns = ["tag", *(f"r{i}_{column}" for i, column in names)]
    return script.define("tagged", " UNION ALL ".join(parts), columns, rels)
