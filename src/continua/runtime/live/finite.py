"""What is complete from the beginning: tables, rows in the text, generated data, stored history.

It comes with the first slab that knows of it. A query that begins later is given those of the
rows that are valid then.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from pyspark.sql import DataFrame

from continua.model.catalog import Relation
from continua.physical.instant import instant
from continua.physical.relation import Rel
from continua.physical.scan import source_columns
from continua.physical.validity import START
from continua.runtime.engine import Engine
from continua.runtime.live.intake import is_live
from continua.runtime.sources.live_source import Arrived
from continua.runtime.sources.seam import stored_before
from continua.runtime.sources.spark_files import adopted

ReadAll = Callable[[Relation, bool], DataFrame]
"""All rows of a relation, read by Spark or, if asked to, by the exact reader."""

ReadArrived = Callable[[bool], Sequence[Arrived]]
"""The rows that have come, read by Spark or, if asked to, by the exact reader."""


class Finite:
    """Reads relations that are complete."""

    def __init__(self, engine: Engine, read_all: ReadAll) -> None:
        self._engine = engine
        self._read_all = read_all

    def rows_since(
        self, relations: Sequence[Relation], since: int, positioned: Collection[Relation]
    ) -> ReadArrived:
        """The rows from a time on of those among the relations that are complete, and of the stored
        history of the others.

        positioned: of which relations queries need the positions.
        """

        def rows(exact: bool) -> list[Arrived]:
            found = [Arrived(r, self._read(r, exact)) for r in _finite(relations)]
            for relation in relations:
                identified = relation in positioned
                if is_live(relation):
                    stored = stored_before(self._engine.spark, relation, exact, identified)
                    found += [] if stored is None else [stored]
            return [_since(since, arrived) for arrived in found]

        return rows

    def all_rows(self, relations: Sequence[Relation], exact: bool) -> dict[Relation, Rel]:
        """All rows of those among the relations that are complete."""
        return {
            r: self._engine.view(source_columns(r), self._read(r, exact))
            for r in _finite(relations)
        }

    def _read(self, relation: Relation, exact: bool) -> DataFrame:
        return adopted(self._engine.spark, self._read_all(relation, exact))


def _since(since: int, arrived: Arrived) -> Arrived:
    """The rows that start at a time or later."""
    here, placed = START.not_before(instant(since)), arrived.placed
    placed = None if placed is None else placed.where(here)
    return replace(arrived, frame=arrived.frame.where(here), placed=placed)


def _finite(relations: Sequence[Relation]) -> list[Relation]:
    return [relation for relation in relations if not is_live(relation)]
