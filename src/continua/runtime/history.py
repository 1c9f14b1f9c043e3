"""The rows that the relations of a session have stored, read when a query asks for them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from pyspark.sql import DataFrame

from continua.model.catalog import Relation
from continua.model.element import SourceRow
from continua.runtime.engine import Engine, rows_table
from continua.runtime.sources.keyed import has_versions, may_overlap
from continua.runtime.sources.kinds import source_of
from continua.runtime.sources.read import ReadRows, Rejected, read, read_exactly
from continua.runtime.sources.record import shorten
from continua.runtime.sources.source import Source


@dataclass(frozen=True)
class PassedOver:
    """The bad rows that the last read of a relation has passed over: how many, and which."""

    number: int
    rows: Callable[[], Sequence[Rejected]]


class History:
    """Reads relations for either engine, and notes which of their rows were passed over.

    find: what has a name now; rows may have been inserted into a relation since a plan was made.
    """

    def __init__(self, engine: Engine, find: Callable[[str], object]) -> None:
        self._engine = engine
        self._find = find
        self._arrived: dict[str, dict[Hashable, SourceRow]] = {}
        self._passed_over: dict[str, PassedOver] = {}

    def forget(self, relation: Relation) -> None:
        """Has the rows of a relation that is declared anew arrive anew."""
        self._arrived.pop(_key(relation), None)

    def counts(self) -> dict[str, int]:
        """How many rows the last reads have passed over, where they have."""
        return {name: found.number for name, found in self._passed_over.items() if found.number}

    def passed_over(self, relation: Relation) -> Sequence[Rejected]:
        """The rows that the last read of a relation has passed over."""
        found = self._passed_over.get(_key(relation))
        return () if found is None else found.rows()

    def opened(self, relation: Relation, identified: bool, exact: bool) -> DataFrame:
        """The rows of a relation for Spark, read by Spark itself where it can be trusted to.

        Rows that are stamped on arrival arrive once, however often they are read: that is noted
        here, row by row, unless Spark alone can read them.
        """
        source = source_of(self._current(relation))
        relation = source.relation
        arriving = relation.is_stream and relation.start is None
        if not exact and (not arriving or source.unreadable() is not None):
            found = source.opened(self._engine.spark, identified)
            if found is not None and has_versions(relation) and may_overlap(relation, found):
                found = None
            if found is not None:
                self._note_spark(source)
                return found
        rows = self._noted(relation, read_exactly(source))
        return self._engine.spark.createDataFrame(rows_table(relation, rows))

    def read(self, relation: Relation) -> tuple[SourceRow, ...]:
        """The rows of a relation for the reference."""
        relation = self._current(relation)
        return self._noted(relation, read(source_of(relation)))

    def _current(self, relation: Relation) -> Relation:
        current = self._find(relation.name)
        if isinstance(current, Relation) and replace(current, source=relation.source) == relation:
            return current
        return relation

    def _noted(self, relation: Relation, found: ReadRows) -> tuple[SourceRow, ...]:
        """The rows that were read, once it is noted what was passed over."""
        key = _key(relation)
        self._passed_over[key] = PassedOver(len(found.rejected), lambda: found.rejected)
        if not relation.is_stream or relation.start is not None:
            return found.rows
        # Stamped on arrival: a row arrives once, however often it is read.
        arrived = self._arrived.setdefault(key, {})
        return tuple(arrived.setdefault(row.phi, row) for row in found.rows)

    def _note_spark(self, source: Source) -> None:
        """Bad rows that Spark passes over are counted by it, and brought here if asked for."""
        relation = source.relation
        self._passed_over.pop(_key(relation), None)
        failing = relation.on_error == "FAIL"
        bad = None if failing else source.passed_over(self._engine.spark)
        if bad is not None:
            listed = partial(_listed, relation, bad)
            self._passed_over[_key(relation)] = PassedOver(bad.count(), listed)


def _listed(relation: Relation, bad: DataFrame) -> list[Rejected]:
    return [Rejected(relation.name, row.reason, shorten(row.text)) for row in bad.collect()]


def _key(relation: Relation) -> str:
    return relation.name.lower()
