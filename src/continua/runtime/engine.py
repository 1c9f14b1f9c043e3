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
from continua.physical.spark import session_beside, spark_session
from continua.physical.spark_internals.class_names import SEMI_JOINS_MOVED_DOWN
from continua.physical.spark_internals.in_memory import freed, in_memory
from continua.runtime.arrow import arrow_table

_HURRIED = {
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.adaptive.enabled": "false",
    # The times of a slab are in its text: compiled, its code would be new every time.
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    # Rows that are in one place are not broadcast to it.
    "spark.sql.autoBroadcastJoinThreshold": "-1",
    # What is in one place stays there; Spark would move such joins to before it is brought there.
    "spark.sql.optimizer.excludedRules": SEMI_JOINS_MOVED_DOWN,
    # What Spark infers about columns takes it long, and fails where a result is used twice.
    "spark.sql.constraintPropagation.enabled": "false",
    # However large Spark believes them to be, they are joined there.
    "spark.sql.maxSinglePartitionBytes": "8191p",
    "spark.sql.defaultSizeInBytes": "1m",
    # What is in memory is passed over by the batch where it is of other relations.
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
    """A Spark session of our own beside the user's: other settings, the same cluster and data."""

    def __init__(self, spark: SparkSession | None = None) -> None:
        self._given = spark
        self._numbers = count()
        # By thread: queries of one session may be asked by several.
        self._temporary = local()
        self._small = False

    @cached_property
    def spark(self) -> SparkSession:
        session = session_beside(self._given or spark_session())
        for key, value in _WRITTEN.items():
            session.conf.set(key, value)
        return session

    @cached_property
    def _usual(self) -> dict[str, str | None]:
        return {key: self.spark.conf.get(key, None) for key in _HURRIED}

    def beside(self) -> Engine:
        """Another engine on the same Spark, which can be set up otherwise."""
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
        """Inside, relations are made for a while only; what has been planned does not need them."""
        made: list[str] = []
        self._temporary.made = made
        try:
            yield
        finally:
            self._temporary.made = None
            for name in made:
                self.drop_view(name)

    def hurry(self, small: bool) -> None:
        """Few rows take longer to plan for than to compute: one task, and nothing compiled."""
        if small != self._small:
            usual = self._usual
            self._small = small
            for key, value in (_HURRIED if small else usual).items():
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
        self, builder: Builder, rel: Rel, seconds: dict[str, float] | None = None
    ) -> Iterator[DataFrame]:
        """The relation, of which what it uses several times is computed once.

        That is in memory while the relation is computed, and freed then.
        With `seconds`, operators are computed one after the other, and the time of each is noted.
        """
        self._register(builder)
        views: dict[Rel, str] = {}
        frames: list[DataFrame] = []
        try:
            for part in builder.shared(rel) if seconds is None else builder.outputs(rel):
                before = perf_counter()
                frame = in_memory(self._frame(builder, spark_sql(part, views)))
                frames.append(frame)
                views[part] = self.lasting_view(frame)
                if seconds is not None:
                    frame.count()
                    label = builder.operators[part]
                    seconds[label] = seconds.get(label, 0) + perf_counter() - before
            yield self._frame(builder, spark_sql(rel, views))
        finally:
            for name in views.values():
                self.drop_view(name)
            for frame in frames:
                freed(frame)

    def _frame(self, builder: Builder, text: str) -> DataFrame:
        """By one task, a query with a limit, from which Spark has a bound for the number of rows.

        Otherwise it would multiply what it believes about their numbers from slab to slab, up to
        numbers too long to handle.
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
