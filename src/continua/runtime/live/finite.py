"""Relations that are complete from the beginning: tables, rows in the text, generated data.

They come with the first slab that knows of them. What was valid before that stands, and is given
to each query that begins with the slab.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pyspark.sql import DataFrame

from continua.model.catalog import Relation
from continua.physical.instant import instant
from continua.physical.relation import Rel
from continua.physical.scan import source_columns
from continua.physical.validity import START
from continua.runtime.engine import Engine
from continua.runtime.live.intake import Arrived, is_live
from continua.runtime.sources.spark_files import adopted

Complete = Callable[[Relation, bool], DataFrame]
"""All rows of a relation, read by Spark or, if asked to, by the exact reader."""

Coming = Callable[[bool], Sequence[Arrived]]
"""The rows that have come, read by Spark or, if asked to, by the exact reader."""


class Finite:
    """Reads relations that are complete."""

    def __init__(self, engine: Engine, complete: Complete) -> None:
        self._engine = engine
        self._complete = complete

    def coming(self, relations: Sequence[Relation], since: int) -> Coming:
        """The rows of those among the relations that are complete, from a time on."""

        def rows(exact: bool) -> list[Arrived]:
            found = {r: self._read(r, exact) for r in _finite(relations)}
            return [
                Arrived(r, frame.where(START.not_before(instant(since))))
                for r, frame in found.items()
            ]

        return rows

    def standing(self, relations: Sequence[Relation], exact: bool) -> dict[Relation, Rel]:
        """All rows of those among the relations that are complete."""
        return {
            r: self._engine.view(source_columns(r), self._read(r, exact))
            for r in _finite(relations)
        }

    def _read(self, relation: Relation, exact: bool) -> DataFrame:
        return adopted(self._engine.spark, self._complete(relation, exact))


def _finite(relations: Sequence[Relation]) -> list[Relation]:
    return [relation for relation in relations if not is_live(relation)]
