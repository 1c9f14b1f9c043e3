"""Queries on Spark: the physical plan advanced once, over all of history."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TypeVar

import pyarrow as pa
from pyspark.sql import DataFrame

from continua.errors import ContinuaError
from continua.logical.node import Node
from continua.logical.scan import Scan as LogicalScan
from continua.logical.split import Split
from continua.model.catalog import Relation
from continua.model.element import Values
from continua.model.instant import BEGINNING as FIRST
from continua.model.instant import FOREVER as LAST
from continua.model.instant import MINUS_INFINITY, Instant, Time
from continua.physical.batches import in_columns
from continua.physical.builder import Builder
from continua.physical.explain import explain
from continua.physical.graph import graph_of
from continua.physical.instant import BEGINNING, FOREVER, instant
from continua.physical.operator import Operator
from continua.physical.plan import delivering_plan, physical_plan, result_plan
from continua.physical.relation import EMPTY, Rel
from continua.physical.scan import Scan, source_columns
from continua.physical.slab import Slab
from continua.physical.validity import END, START
from continua.runtime.arrow import arrow_table, python_rows, sorted_table
from continua.runtime.deliver import DELIVERIES, shown
from continua.runtime.engine import Engine
from continua.runtime.evaluation import Evaluation, Valid
from continua.runtime.interrupt import interruptible
from continua.runtime.presented import order_of, presented, titles
from continua.runtime.rows import Rows, SparkRows
from continua.runtime.spark_errors import Suspicion, translated
from continua.runtime.terminal_status import terminal_status

T = TypeVar("T")
Open = Callable[[Relation, bool, bool], DataFrame]
"""What gives the rows of a relation: with their positions φ if asked for, and exactly as the
reference reads them if Spark's own reader has met something it does not understand."""


class SparkEvaluation(Evaluation):
    """Sources are opened once; each result is computed when it is asked for.

    While one is planned, views name the sources for Spark, and no longer.
    """

    def __init__(self, plan: Node, engine: Engine, open_: Open) -> None:
        self._plan = plan
        self._engine = engine
        self._open = open_
        self._exact = False
        self._frames: dict[Relation, DataFrame] = {}
        self._views: dict[Relation, Rel] = {}

    def rows(self) -> Sequence[Valid]:
        def found() -> pa.Table | None:
            builder, rel = self._advanced(result_plan(self._plan))
            ended = END.otherwise(instant(FOREVER))
            columns = [(name, ended if name == END else name) for name in rel.columns]
            return self._collected(builder, builder.select("result", rel, columns))

        if (table := self._careful(found)) is None:
            return []
        width = len(self._plan.schema)
        times, values = table.column_names[width:], table.column_names[:width]
        return [
            Valid(row[:width], *_bounds(row[width:]))
            for row in python_rows(sorted_table(table, [*times, *values]), self._plan.schema.types)
        ]

    def deliver(self, delivery: str, to: Callable[[Rows], None]) -> None:
        self._careful(lambda: self._deliver(delivery, to))

    def _deliver(self, delivery: str, to: Callable[[Rows], None]) -> None:
        plan = self._plan
        builder, rel = self._advanced(delivering_plan(plan, delivery))
        if rel is EMPTY:
            to(DELIVERIES[delivery]((), plan))
            return
        result = presented(builder, rel, plan.time)
        spark = self._engine.spark
        with translated(builder), terminal_status(spark), interruptible(spark.sparkContext):
            frame = self._engine.query(builder, result).toDF(*titles(rel, plan.schema.names))
            to(SparkRows(frame, order_of(rel.columns)))

    def at(self, t: Time) -> list[Values]:
        moment = BEGINNING if t == MINUS_INFINITY else int(t)

        def snapshot() -> pa.Table | None:
            root = in_columns(physical_plan(self._plan))
            builder, rel = self._advanced(root, moment + 1)
            columns = [(name, name) for name in rel.columns[: len(self._plan.schema)]]
            valid = END.after(instant(moment))
            return self._collected(builder, builder.select("snapshot", rel, columns, valid))

        table = self._careful(snapshot)
        return [] if table is None else list(python_rows(table, self._plan.schema.types))

    def bounds(self) -> tuple[Time, Time]:
        first, last = self._careful(lambda: self._first_and_last)
        return _instant(first).t, _instant(last).t

    def to_spark(self, canonical: bool) -> DataFrame:
        """The result with its times; NULL is an infinity."""
        return self._careful(lambda: self._with_times(canonical))

    def _with_times(self, canonical: bool) -> DataFrame:
        schema = shown((), self._plan).schema
        if self._plan.chronon:
            builder, rel = self._advanced(delivering_plan(self._plan, "INSERTS"))
        else:
            root = result_plan if canonical else physical_plan
            builder, rel = self._advanced(root(self._plan))
        if rel is EMPTY:
            table = arrow_table(schema.names, schema.types, ())
            return self._engine.spark.createDataFrame(table)
        result = presented(builder, rel, self._plan.time)
        with translated(builder):
            return self._engine.query(builder, result).toDF(*schema.names)

    def explain(self, stage: str) -> str:
        if stage == "PHYSICAL":
            return explain(result_plan(self._plan))
        return self._careful(self._explained)

    def _explained(self) -> str:
        builder, rel = self._advanced(result_plan(self._plan))
        if rel is EMPTY:
            return "nothing to compute: the result is empty"
        with translated(builder):
            return self._engine.explained(builder, rel)

    def _advanced(self, root: Operator, end: int = FOREVER) -> tuple[Builder, Rel]:
        """The relations of a plan over everything before a time, and the relation of its output."""
        for scan in _scans(root):
            self._source(scan.node.relation, scan.identified)
        seen = {relation.name.lower(): self._first_and_last for relation in self._sampled}
        builder, slab = Builder(), Slab(end=end, seen=seen)

        def source(relation: Relation) -> Rel:
            rel = self._views[relation]
            return rel if slab.endless else builder.where("source", rel, START.before(slab.until))

        try:
            (result,), _ = graph_of([root]).advance(builder, slab, source, {})
            return builder, result
        except RecursionError:
            message = "an expression of the query is nested too deeply"
            raise ContinuaError("UNSUPPORTED", message) from None

    def _source(self, relation: Relation, identified: bool) -> Rel:
        if relation not in self._frames:
            wanted = identified or any(
                scan.identified
                for scan in _scans(physical_plan(self._plan))
                if scan.node.relation == relation
            )
            self._frames[relation] = self._open(relation, wanted, self._exact)
        if relation not in self._views:
            frame = self._frames[relation]
            self._views[relation] = self._engine.view(source_columns(relation), frame)
        return self._views[relation]

    @property
    def _sampled(self) -> list[Relation]:
        """The streams whose times must be known, because something is sampled between them."""
        sampled = any(isinstance(node, Split) for node in self._plan.walk())
        return self._streams if sampled else []

    @property
    def _streams(self) -> list[Relation]:
        scans = (node for node in self._plan.walk() if isinstance(node, LogicalScan))
        return list(dict.fromkeys(scan.relation for scan in scans if scan.relation.is_stream))

    @cached_property
    def _first_and_last(self) -> tuple[int, int]:
        """The least and the greatest time in the streams."""
        builder = Builder()
        starts = [
            builder.select("starts", self._source(relation, False), [(START, START)])
            for relation in self._streams
        ]
        rel = builder.union("starts", *starts)
        if rel is EMPTY:
            return FOREVER, BEGINNING
        ends = [("first", START.earliest), ("last", START.latest)]
        bounds = builder.group("first_and_last", rel, (), ends)
        table = self._collected(builder, bounds)
        assert table is not None
        first, last = table.to_pylist()[0].values()
        return (FOREVER, BEGINNING) if first is None else (first, last)

    def _collected(self, builder: Builder, rel: Rel) -> pa.Table | None:
        if rel is EMPTY:
            return None
        spark = self._engine.spark
        with translated(builder), terminal_status(spark), interruptible(spark.sparkContext):
            return self._engine.query(builder, rel).toArrow()

    def _careful(self, compute: Callable[[], T]) -> T:
        """A row that Spark's reader could not take is looked at again by the exact one."""
        try:
            return self._planned(compute)
        except Suspicion:
            self._exact = True
            self._frames.clear()
            return self._planned(compute)

    def _planned(self, compute: Callable[[], T]) -> T:
        with self._engine.temporary():
            self._views = {}
            return compute()


def _scans(root: Operator) -> list[Scan]:
    below = [scan for child in root.inputs for scan in _scans(child)]
    return [root] if isinstance(root, Scan) else below


def _bounds(columns: Sequence[object]) -> tuple[Instant, Instant]:
    """The instants in which a row starts and ends, of columns with or without batches."""
    if len(columns) == 2:
        return _instant(columns[0]), _instant(columns[1])
    return _instant(*columns[:2]), _instant(*columns[2:])


def _instant(t: object, i: object = 0) -> Instant:
    if t is None or t == FOREVER:
        return LAST
    assert isinstance(t, int)
    assert isinstance(i, int)
    return FIRST if t == BEGINNING else Instant(t, i)
