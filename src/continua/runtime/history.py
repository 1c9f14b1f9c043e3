"""The rows that the relations of a session have stored, read when a query asks for them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from pyspark.sql import DataFrame

from continua.model.catalog import Relation
from continua.model.element import SourceRow
from continua.runtime.engine import Engine, rows_table
from continua.runtime.sources.frames import SOURCE, frame_delivery, frame_reader
from continua.runtime.sources.read import Rejected, read
from continua.runtime.sources.record import shorten
from continua.runtime.sources.spark_files import adopted
from continua.runtime.sources.spark_read import open_source, read_exactly
from continua.runtime.sources.spark_using import rejected_rows


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
        self._frames: dict[str, DataFrame] = {}
        self._arrived: dict[str, dict[Hashable, SourceRow]] = {}
        self._passed_over: dict[str, PassedOver] = {}

    def adopt(self, relation: Relation, frame: DataFrame) -> None:
        """Has the rows of a relation be those of a DataFrame of the user's."""
        self._frames[_key(relation)] = adopted(self._engine.spark, frame)

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
        relation = self._current(relation)
        arriving = relation.is_stream and relation.start is None
        if not exact and (not arriving or relation.source.is_format):
            if relation.source.function == SOURCE:
                found = frame_delivery(relation, self._frames[_key(relation)])
            else:
                found = open_source(self._engine.spark, relation, identified)
            if found is not None:
                self._note_format(relation)
                return found
        rows = self._read(relation, by_reference=False)
        return self._engine.spark.createDataFrame(rows_table(relation, rows))

    def read(self, relation: Relation) -> tuple[SourceRow, ...]:
        """The rows of a relation for the reference."""
        return self._read(self._current(relation), by_reference=True)

    def _current(self, relation: Relation) -> Relation:
        current = self._find(relation.name)
        if isinstance(current, Relation) and replace(current, source=relation.source) == relation:
            return current
        return relation

    def _read(self, relation: Relation, by_reference: bool) -> tuple[SourceRow, ...]:
        key = _key(relation)
        if relation.source.function == SOURCE:
            delivery = read(relation, frame_reader(self._frames[key]))
        else:
            delivery = read(relation) if by_reference else read_exactly(relation)
        self._passed_over[key] = PassedOver(len(delivery.rejected), lambda: delivery.rejected)
        if not relation.is_stream or relation.start is not None:
            return delivery.rows
        # Stamped on arrival: a row arrives once, however often it is read.
        arrived = self._arrived.setdefault(key, {})
        return tuple(arrived.setdefault(row.phi, row) for row in delivery.rows)

    def _note_format(self, relation: Relation) -> None:
        """Bad rows that Spark passes over are counted by it, and brought here if asked for."""
        self._passed_over.pop(_key(relation), None)
        if relation.source.is_format and relation.on_error != "FAIL":
            bad = rejected_rows(self._engine.spark, relation)
            listed = partial(_listed, relation, bad)
            self._passed_over[_key(relation)] = PassedOver(bad.count(), listed)


def _listed(relation: Relation, bad: DataFrame) -> list[Rejected]:
    return [Rejected(relation.name, row.reason, shorten(row.text)) for row in bad.collect()]


def _key(relation: Relation) -> str:
    return relation.name.lower()
