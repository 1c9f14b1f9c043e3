"""Functions that only Spark knows: typed by Spark's analyzer, and run by Spark alone."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import types as spark_types

from continua.logical.expr.function import ArityProblem, Function, Signature, TypeProblem
from continua.model.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    INT,
    INTERVAL,
    NULL,
    SMALLINT,
    STRING,
    TIMESTAMP,
    TINYINT,
    Type,
)
from continua.physical.expression import literal

_TYPES: dict[type[spark_types.DataType], Type] = {
    spark_types.NullType: NULL,
    spark_types.BooleanType: BOOLEAN,
    spark_types.ByteType: TINYINT,
    spark_types.ShortType: SMALLINT,
    spark_types.IntegerType: INT,
    spark_types.LongType: BIGINT,
    spark_types.FloatType: FLOAT,
    spark_types.DoubleType: DOUBLE,
    spark_types.StringType: STRING,
    spark_types.DateType: DATE,
    spark_types.TimestampType: TIMESTAMP,
    spark_types.DayTimeIntervalType: INTERVAL,
}

CONSTANTS = ("pi", "e")
"""The functions without arguments that give the same always; all others ask the world."""


def type_of(data_type: spark_types.DataType) -> Type | None:
    """The type of ours that a type of Spark is, or None."""
    if isinstance(data_type, spark_types.DecimalType):
        return Type("DECIMAL", data_type.precision, data_type.scale)
    return _TYPES.get(type(data_type))


def spark_function(spark: SparkSession, name: str) -> Function | None:
    """The function that Spark has of a name, or None."""
    if not name.isidentifier() or not spark.catalog.functionExists(name):
        return None

    def resolve(types: Sequence[Type]) -> Signature:
        return tuple(types), _result(spark, name, types)

    return Function(name.lower(), resolve, strict=False)


def _result(spark: SparkSession, name: str, types: Sequence[Type]) -> Type:
    if not types and name.lower() not in CONSTANTS:
        raise ArityProblem("takes arguments here: it would not give the same twice")
    arguments = ", ".join(literal(None, type_) for type_ in types)
    try:
        asked = spark.sql(f"SELECT {name}({arguments}) AS value")
    except PySparkException as error:
        raise TypeProblem(_reason(error)) from None
    if not _one_value_per_row(asked):
        raise TypeProblem("is not a function of one row: it aggregates, explodes or is random")
    found = type_of(asked.schema[0].dataType)
    if found is None:
        shown = asked.schema[0].dataType.simpleString().upper()
        raise TypeProblem(f"gives {shown}, which tuples cannot carry")
    return found


def _one_value_per_row(asked: DataFrame) -> bool:
    plan = asked._jdf.queryExecution().analyzed()
    return plan.nodeName() == "Project" and bool(plan.deterministic())


def _reason(error: PySparkException) -> str:
    """What Spark's analyzer objects to, without its name for it and its view of our text."""
    text = str(error).split("SQLSTATE")[0].split("\n")[0]
    plain = text.split("] ", 1)[-1].strip().rstrip(".")
    return plain.rsplit(": ", 1)[-1] if "data type mismatch" in plain else plain
