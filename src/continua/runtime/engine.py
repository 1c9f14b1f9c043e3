"""The Spark engine: sources as views, scripts as queries."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from functools import cached_property
from itertools import count

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from continua.logical.expr.function import Function
from continua.model.catalog import Relation
from continua.model.element import SourceRow, identity_order
from continua.model.instant import INFINITY, MINUS_INFINITY, Time
from continua.model.types import BIGINT
from continua.physical.analyzer import spark_function
from continua.physical.functions import registered
from continua.physical.scan import delivered
from continua.physical.script import Rel, Script
from continua.physical.slab import BEGINNING, FOREVER
from continua.physical.spark import session_beside, spark_session
from continua.runtime.arrow import arrow_table


class Engine:
    """A Spark session of our own beside the user's: other settings, the same cluster and data."""

    def __init__(self, spark: SparkSession | None = None) -> None:
        self._given = spark
        self._numbers = count()
        self._temporary: list[str] | None = None
        self._small: bool | None = None

    @cached_property
    def spark(self) -> SparkSession:
        return session_beside(self._given or spark_session())

    def function(self, name: str) -> Function | None:
        """A function that Spark knows by a name."""
        return spark_function(self.spark, name)

    def view(self, columns: Sequence[str], data: DataFrame | pa.Table) -> Rel:
        """Data as a relation of a script."""
        frame = data if isinstance(data, DataFrame) else self.spark.createDataFrame(data)
        name = f"view_{next(self._numbers)}"
        frame.createOrReplaceTempView(name)
        if self._temporary is not None:
            self._temporary.append(name)
        return Rel(name, tuple(columns))

    @contextmanager
    def temporary(self) -> Iterator[None]:
        """Inside, relations are made for a while only: a graph that runs makes many."""
        made: list[str] = []
        self._temporary = made
        try:
            yield
        finally:
            self._temporary = None
            for name in made:
                self.spark.catalog.dropTempView(name)

    def hurry(self, small: bool) -> None:
        """Few rows take longer to plan for than to compute: one task, and nothing compiled."""
        if small != self._small:
            self._small = small
            self.spark.conf.set("spark.sql.shuffle.partitions", 1 if small else self.cores)
            self.spark.conf.set("spark.sql.adaptive.enabled", not small)
            self.spark.conf.set("spark.sql.codegen.wholeStage", not small)

    @property
    def cores(self) -> int:
        return self.spark.sparkContext.defaultParallelism

    def rows(self, relation: Relation, rows: Sequence[SourceRow]) -> Rel:
        """Rows that a source has delivered, as the relation that a scan reads."""
        return self.view(delivered(relation), rows_table(relation, rows))

    def explained(self, script: Script, rel: Rel) -> str:
        """Spark's own plan of a relation."""
        shown = io.StringIO()
        with redirect_stdout(shown):
            self.query(script, rel).explain(mode="formatted")
        return shown.getvalue().strip()

    def query(self, script: Script, rel: Rel) -> DataFrame:
        for name, (function, result) in script.functions.items():
            registered(self.spark, name, function, result)
        return self.spark.sql(script.text(rel))


def rows_table(relation: Relation, rows: Sequence[SourceRow]) -> pa.Table:
    """Rows with their validity and their place in the order of φ."""
    places = {phi: i for i, phi in enumerate(sorted({row.phi for row in rows}, key=identity_order))}
    types = (*(column.type for column in relation.columns), BIGINT, BIGINT, BIGINT)
    listed = [(*row.values, places[row.phi], _time(row.start), _time(row.end)) for row in rows]
    return arrow_table(delivered(relation), types, listed)


def _time(t: Time) -> int:
    return BEGINNING if t == MINUS_INFINITY else FOREVER if t == INFINITY else int(t)
