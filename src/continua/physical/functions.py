"""Functions that users wrote in Python, as functions of Spark: vectorised over Arrow."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from pyspark.sql import SparkSession
from pyspark.sql.functions import udf

from continua.errors import ContinuaError
from continua.logical.expr.aggregates import AggregateFunction
from continua.logical.expr.cast import ValueProblem
from continua.logical.expr.function import Function
from continua.model.types import Type
from continua.physical.expression import spark_type
from continua.physical.failures import PYTHON


def registered(
    spark: SparkSession, name: str, function: Function | AggregateFunction, result: Type
) -> None:
    """Makes a function known to a session by a name."""
    call = _scalar(function, result) if isinstance(function, Function) else _fold(function, result)
    spark.udf.register(
        name, udf(_with_marked_failure(name, call), spark_type(result), useArrow=True)
    )


def _with_marked_failure(name: str, call: Callable[..., object]) -> Callable[..., object]:
    """The function; its errors reach the driver as messages that the driver can read."""

    def guarded(*values: object) -> object:
        try:
            return call(*values)
        except ContinuaError as error:
            code, message = error.code, error.message
        except ValueProblem as problem:
            code, message = "EVALUATION", str(problem)
        raise RuntimeError(f"{PYTHON}{code}:{name}:{message}{PYTHON}")

    return guarded


def _scalar(function: Function, result: Type) -> Callable[..., object]:
    return lambda *values: function.apply(result, *values)


def _fold(function: AggregateFunction, result: Type) -> Callable[..., object]:
    """The aggregate of a list of rows, each with the arguments of one call."""

    def fold(rows: list[dict[str, object] | tuple[object, ...]]) -> object:
        if not rows:
            return function.empty
        partial = function.init(*_arguments(rows[0]))
        for row in rows[1:]:
            partial = function.merge(partial, *_arguments(row))
        return function.eval(result, partial)

    return fold


def _arguments(row: dict[str, object] | tuple[object, ...]) -> Iterable[object]:
    """The fields of a struct, which comes as a dictionary or a row, as Spark is set."""
    return row.values() if isinstance(row, dict) else row
