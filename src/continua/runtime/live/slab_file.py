"""All that a slab puts out and keeps, in one job, in one table (design §6).

A row of the table belongs to the relation whose name is in its `tag`. Every relation has columns
of its own; those of the others are NULL in its rows, which takes no room. A relation has the same
columns in every slab, so that what several slabs have of it is read at once.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from pyspark.sql import Observation
from pyspark.sql.functions import count_if, expr
from pyspark.sql.types import StructType

from continua.model.types import STRING
from continua.physical.expression import literal
from continua.physical.script import EMPTY, Rel, Script
from continua.runtime.engine import Engine
from continua.runtime.live.checkpoint import Checkpoint
from continua.runtime.live.manifest import Area
from continua.runtime.spark_errors import translated


class SlabFiles:
    """The tables of the slabs of a checkpoint."""

    def __init__(self, engine: Engine, checkpoint: Checkpoint) -> None:
        self._engine = engine
        self._checkpoint = checkpoint
        self._schemas: dict[str, StructType] = {}

    def write(
        self, script: Script, rels: Mapping[str, Rel], number: int, tasks: int
    ) -> dict[str, Area]:
        """Computes relations and writes them; gives where each is, if it has rows."""
        wanted = {name: rel for name, rel in rels.items() if rel is not EMPTY}
        if not wanted:
            return {}
        counted = Observation()
        with translated(script):
            frame = self._engine.query(script, _tagged(script, wanted))
            frame = frame.observe(
                counted,
                *(count_if(expr(_is(name))).alias(_column(name, "")) for name in wanted),
            )
            folder = str(self._checkpoint.slab(number))
            frame.coalesce(tasks).write.mode("overwrite").parquet(folder)
        for name, rel in wanted.items():
            # With its schema, Spark need not look into a file before it reads it.
            columns = ["tag", *(_column(name, column) for column in rel.columns)]
            self._schemas[name] = StructType([frame.schema[column] for column in columns])
        rows = {name: int(counted.get[_column(name, "")]) for name in wanted}
        return {
            name: Area(name, rel.columns, (number,), (rows[name],))
            for name, rel in wanted.items()
            if rows[name]
        }

    def read(self, area: Area) -> Rel:
        """The rows of a relation that are alive, from all slabs that have some."""
        folders = [str(self._checkpoint.slab(number)) for number in area.slabs]
        reader = self._engine.spark.read
        if area.tag in self._schemas:
            reader = reader.schema(self._schemas[area.tag])
        columns = [f"{_column(area.tag, column)} AS {column}" for column in area.columns]
        rows = reader.parquet(*folders).where(_is(area.tag)).selectExpr(*columns)
        return self._engine.view(area.columns, rows.where(area.alive))


def _is(name: str) -> str:
    return f"tag = {literal(name, STRING)}"


def _column(name: str, column: str) -> str:
    """A column of a relation in the table: a name that Parquet takes."""
    plain = re.sub("[^0-9a-z ]", lambda found: f"_{ord(found[0]):x}_", name)
    return f"{plain.replace(' ', '_')}__{column}"


def _tagged(script: Script, rels: Mapping[str, Rel]) -> Rel:
    names = [(name, column) for name, rel in rels.items() for column in rel.columns]
    parts = []
    for tag, rel in rels.items():
        cells = [f"{c if name == tag else 'NULL'} AS {_column(name, c)}" for name, c in names]
        listed = ", ".join([f"{literal(tag, STRING)} AS tag", *cells])
        parts.append(f"SELECT {listed} FROM {rel.name}")
    columns = ["tag", *(_column(name, column) for name, column in names)]
    return script.define("tagged", " UNION ALL ".join(parts), columns, list(rels.values()))
