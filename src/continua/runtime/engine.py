"""The Spark engine: sources as views, graphs of relations as queries."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from functools import cached_property
from itertools import count
from threading import local
from time import perf_counter

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from continua.logical.expr.function import Function
from continua.model.catalog import Relation
from continua.model.element import SourceRow, identity_order
from continua.model.instant import INFINITY, MINUS_INFINITY, Time
from continua.model.types import BIGINT
from continua.physical.analyzer import spark_function
from continua.physical.builder import Builder
from continua.physical.functions import registered
from continua.physical.instant import BEGINNING, FOREVER
from continua.physical.printing.spark_sql import spark_sql
from continua.physical.relation import Rel, View
from continua.physical.scan import source_columns
from continua.physical.spark import separate_session, spark_session
from continua.physical.spark_internals.class_names import SEMI_JOINS_MOVED_DOWN
from continua.physical.spark_internals.in_memory import freed, in_memory
from continua.runtime.arrow import arrow_table

_FOR_FEW_ROWS = {
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.adaptive.enabled": "false",
    # The times of a slab are in its text: compiled, its code would be new every time.
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    # Rows that are in one place are not broadcast to it.
    "spark.sql.autoBroadcastJoinThreshold": "-1",
    # Spark would compute such joins before their rows are brought to one place.
    "spark.sql.optimizer.excludedRules": SEMI_JOINS_MOVED_DOWN,
    # To infer facts about columns takes Spark long, and fails where a result is used twice.
    "spark.sql.constraintPropagation.enabled": "false",
    # Rows in one place are joined there, however large Spark believes them to be.
    "spark.sql.maxSinglePartitionBytes": "8191p",
    "spark.sql.defaultSizeInBytes": "1m",
    # Rows in memory are read in batches; a small batch of other relations can be skipped.
    "spark.sql.inMemoryColumnarStorage.batchSize": "1000",
    "spark.sql.inMemoryColumnarStorage.compressed": "false",
    "spark.sql.inMemoryColumnarStorage.enableVectorizedReader": "false",
}

_WRITTEN = {
    # The form of times that other readers, too, read exactly.
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    # Days as they are counted: results know no Julian calendar.
    "spark.sql.parquet.datetimeRebaseModeInWrite": "CORRECTED",
}
"""How Parquet files are written."""

MOST_ROWS = 2**31 - 1
"""Spark takes no greater limit; one task never gets as far."""


class Engine:
    """A Spark session of our own, next to the user's: other settings, the same cluster and data."""

    def __init__(self, spark: SparkSession | None = None) -> None:
        self._given = spark
        self._numbers = count()
        # By thread: queries of one session may be asked by several.
        self._temporary = local()
        self._few_rows = False

    @cached_property
    def spark(self) -> SparkSession:
        session = separate_session(self._given or spark_session())
        for key, value in _WRITTEN.items():
            session.conf.set(key, value)
        return session

    @cached_property
    def _usual(self) -> dict[str, str | None]:
        return {key: self.spark.conf.get(key, None) for key in _FOR_FEW_ROWS}

    def another(self) -> Engine:
        """Another engine on the same Spark, with settings of its own."""
        return Engine(self.spark)

    def function(self, name: str) -> Function | None:
        """A function that Spark knows by a name."""
        return spark_function(self.spark, name)

    def view(self, columns: Sequence[str], data: DataFrame | pa.Table) -> View:
        """Data as a relation of a builder."""
        frame = data if isinstance(data, DataFrame) else self.spark.createDataFrame(data)
        name = self.lasting_view(frame)
        made: list[str] | None = getattr(self._temporary, "made", None)
        if made is not None:
            made.append(name)
        return View("view", name, tuple(columns))

    def lasting_view(self, frame: DataFrame) -> str:
        """The name of a view that stays until it is dropped."""
        name = f"view_{next(self._numbers)}"
        frame.createOrReplaceTempView(name)
        return name

    def drop_view(self, name: str) -> None:
        self.spark.catalog.dropTempView(name)

    @contextmanager
    def temporary(self) -> Iterator[None]:
        """Drops, at the end, the views made inside: a query that has been planned needs none."""
        made: list[str] = []
        self._temporary.made = made
        try:
            yield
        finally:
            self._temporary.made = None
            for name in made:
                self.drop_view(name)

    def set_up_for(self, few_rows: bool) -> None:
        """Sets Spark up for few rows, or as usual. Few take longer to plan for than to compute."""
        if few_rows != self._few_rows:
            usual = self._usual
            self._few_rows = few_rows
            for key, value in (_FOR_FEW_ROWS if few_rows else usual).items():
                if value is None:
                    self.spark.conf.unset(key)
                else:
                    self.spark.conf.set(key, value)

    def explained(self, builder: Builder, rel: Rel) -> str:
        """Spark's own plan of a relation."""
        shown = io.StringIO()
        with redirect_stdout(shown):
            self.query(builder, rel).explain(mode="formatted")
        return shown.getvalue().strip()

    def query(self, builder: Builder, rel: Rel) -> DataFrame:
        self._register(builder)
        return self.spark.sql(spark_sql(rel))

    @contextmanager
    def computed_once(
        self, builder: Builder, rels: Sequence[Rel], seconds: dict[str, float] | None = None
    ) -> Iterator[list[DataFrame]]:
        """Relations; what is used several times to make them is computed once.

        Such parts are in memory while the relations are computed, and freed afterwards.
        With `seconds`, operators are computed one after the other, and the time of each is noted.
        """
        self._register(builder)
        views: dict[Rel, str] = {}
        frames: list[DataFrame] = []
        try:
            for part in builder.shared(rels) if seconds is None else builder.outputs(rels):
                before = perf_counter()
                frame = in_memory(self._frame(builder, spark_sql(part, views)))
                frames.append(frame)
                views[part] = self.lasting_view(frame)
                if seconds is not None:
                    frame.count()
                    label = builder.operators[part]
                    seconds[label] = seconds.get(label, 0) + perf_counter() - before
            yield [self._frame(builder, spark_sql(rel, views)) for rel in rels]
        finally:
            for name in views.values():
                self.drop_view(name)
            for frame in frames:
                freed(frame)

    def _frame(self, builder: Builder, text: str) -> DataFrame:
        """The query; for one task with a limit, which gives Spark a bound for the number of rows.

        Without it, Spark's estimate of that number would be multiplied from slab to slab, until the
        number is too long to handle.
        """
        return self.spark.sql(f"{text} LIMIT {MOST_ROWS}" if builder.one_task else text)

    def _register(self, builder: Builder) -> None:
        for name, (function, result) in builder.functions.items():
            registered(self.spark, name, function, result)


def rows_table(relation: Relation, rows: Sequence[SourceRow]) -> pa.Table:
    """Rows with their validity and their place in the order of φ."""
    places = {phi: i for i, phi in enumerate(sorted({row.phi for row in rows}, key=identity_order))}
    types = (*(column.type for column in relation.columns), BIGINT, BIGINT, BIGINT)
    listed = [(*row.values, places[row.phi], _time(row.start), _time(row.end)) for row in rows]
    return arrow_table(source_columns(relation), types, listed)


def _time(t: Time) -> int:
    return BEGINNING if t == MINUS_INFINITY else FOREVER if t == INFINITY else int(t)
