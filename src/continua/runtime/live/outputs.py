"""What a committed slab has put out, read from its table and on its way to the sinks."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping

from pyspark.sql import DataFrame

from continua.physical.builder import Builder
from continua.physical.printing.spark_sql import spark_sql
from continua.runtime.engine import Engine
from continua.runtime.live.advance import MOST_ROWS_FOR_ONE_TASK
from continua.runtime.live.continuous import LATE_COLUMNS, Continuous
from continua.runtime.live.keys import LATE, AsideKey
from continua.runtime.live.manifest import Manifest
from continua.runtime.live.membership import Membership
from continua.runtime.live.query_graph import Unit
from continua.runtime.live.segments import Stored
from continua.runtime.live.set_aside import SetAside
from continua.runtime.live.slab_tables import SlabTables
from continua.runtime.presented import order_of, presented, titles
from continua.runtime.rows import SparkRows
from continua.runtime.sinks.sink import TAG, Sink

Output = Callable[[int], None]
"""Hands rows to a sink, or to several that are alike, as those of a slab."""


class Outputs:
    """Reads what slabs have put out, and knows for which sinks it is."""

    def __init__(self, engine: Engine, tables: SlabTables, set_aside: SetAside) -> None:
        self._engine = engine
        self._tables = tables
        self._set_aside = set_aside

    def of(
        self, manifest: Manifest, members: Membership, sinks: Mapping[Continuous, Sink]
    ) -> list[Output]:
        """All that a slab has to hand on."""
        found: list[Output] = []
        for unit in members.graph.units:
            if (stored := manifest.outputs.get(unit.key)) is not None:
                found += _routed(unit, sinks, self.of_unit(unit, stored))
        for key, stored in manifest.outputs.items():
            if isinstance(key, AsideKey):
                found.append(_to_sink(self._set_aside.sink(key), self._aside(key, stored, members)))
        return found

    def of_unit(self, unit: Unit, stored: Stored) -> DataFrame:
        """The rows as users see them.

        Those of queries that have been merged have the name of theirs in the first column.
        """
        builder = Builder()
        rel = self._tables.rows(builder, unit.key, stored)
        text = spark_sql(presented(builder, rel, unit.plan.time))
        # Few rows are sorted, because people may look at them.
        if stored.rows <= MOST_ROWS_FOR_ONE_TASK:
            text = f"{text} SORT BY {', '.join(order_of(rel.columns))}"
        return self._engine.spark.sql(text).toDF(*titles(rel, unit.plan.schema.names))

    def _aside(self, key: AsideKey, stored: Stored, members: Membership) -> DataFrame:
        builder = Builder()
        frame = self._engine.query(builder, self._tables.rows(builder, key, stored))
        if key.reason != LATE:
            return frame
        relation = next(r for r in members.relations if r.key == key.stream)
        return frame.toDF(*(c.name for c in relation.columns), *LATE_COLUMNS)


def _to_sink(sink: Sink, rows: DataFrame) -> Output:
    return lambda slab: sink.publish(slab, SparkRows(rows))


def _routed(unit: Unit, sinks: Mapping[Continuous, Sink], rows: DataFrame) -> list[Output]:
    """The rows of a query for its sink, those of merged queries for the sink of each.

    Sinks that are alike and take the same columns are given them together.
    """
    if unit.differing is None:
        return [_to_sink(sinks[query], rows) for query in unit.queries]
    alike: dict[tuple[Hashable, tuple[str, ...]], dict[str, Sink]] = {}
    _, *columns = rows.columns
    for query in unit.queries:
        sink, names = sinks[query], query.plan.schema.names
        titles_here = (*names, *columns[len(names) :])
        alike.setdefault((sink.alike, titles_here), {})[query.name] = sink
    return [_to_all(found, rows.toDF(TAG, *named)) for (_, named), found in alike.items()]


def _to_all(sinks: Mapping[str, Sink], rows: DataFrame) -> Output:
    kind = type(next(iter(sinks.values())))
    return lambda slab: kind.publish_together(slab, sinks, rows)
