"""Functions that users wrote in Python, as functions of Spark: vectorised over Arrow."""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql import SparkSession
from pyspark.sql.functions import udf

from continua.logical.expr.aggregates import AggregateFunction
from continua.logical.expr.function import Function
from continua.model.types import Type
from continua.physical.expression import spark_type


def registered(
    spark: SparkSession, name: str, function: Function | AggregateFunction, result: Type
) -> None:
    """Make a function known to a session by a name."""
    call = _scalar(function, result) if isinstance(function, Function) else _fold(function, result)
    spark.udf.register(name, udf(call, spark_type(result), useArrow=True))


def _scalar(function: Function, result: Type) -> Callable[..., object]:
    return lambda *values: function.apply(result, *values)


def _fold(function: AggregateFunction, result: Type) -> Callable[..., object]:
    """The aggregate of a list of rows, each with the arguments of one call."""

    def fold(rows: list[tuple[object, ...]]) -> object:
        if not rows:
            return function.empty
        partial = function.init(*rows[0])
        for row in rows[1:]:
            partial = function.merge(partial, *row)
        return function.eval(result, partial)

    return fold
