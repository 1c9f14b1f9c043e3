"""Functions that only Spark knows: typed by Spark's analyzer, and run by Spark alone."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import types as spark_types

from continua.logical.expr.function import ArityProblem, Function, Refused, Signature, TypeProblem
from continua.logical.expr.refused import IN_PARTS, OTHER_AGGREGATES, SAME_TWICE
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
from continua.physical.spark_internals.analyzed_plan import analyzed_plan
from continua.physical.spark_internals.error_conditions import expected_arguments
from continua.physical.spark_internals.error_texts import objection
from continua.physical.spark_internals.quiet import quiet

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
"""The functions without arguments that always give the same; others may ask for the time."""


def type_of(data_type: spark_types.DataType) -> Type | None:
    """The type of ours that a type of Spark is, or None."""
    if isinstance(data_type, spark_types.DecimalType):
        return Type("DECIMAL", data_type.precision, data_type.scale)
    return _TYPES.get(type(data_type))


def spark_function(spark: SparkSession, name: str) -> Function | None:
    """The function that Spark has of a name, or None."""
    if not name.isidentifier() or not spark.catalog.functionExists(name):
        return None

    def refine(signature: Signature, values: Sequence[object]) -> Type:
        return _result(spark, name, signature[0], values)

    return Function(name.lower(), lambda types: (tuple(types), NULL), strict=False, refine=refine)


def _result(
    spark: SparkSession, name: str, types: Sequence[Type], values: Sequence[object]
) -> Type:
    """The type of a call; of arguments that are not literals only the type is known."""
    if not types and name.lower() not in CONSTANTS:
        raise Refused("asks for more than its arguments", SAME_TWICE)
    arguments = ", ".join(literal(value, type_) for value, type_ in zip(values, types, strict=True))
    try:
        with quiet():
            asked = spark.sql(f"SELECT {name}({arguments}) AS value")
    except PySparkException as error:
        raise _problem(error, len(types)) from None
    _check_one_value_per_row(asked)
    found = type_of(asked.schema[0].dataType)
    if found is None:
        shown = asked.schema[0].dataType.simpleString().upper()
        raise Refused(f"gives {shown}, which tuples cannot carry", IN_PARTS)
    return found


def _check_one_value_per_row(asked: DataFrame) -> None:
    plan = analyzed_plan(asked)
    if plan.operator == "Aggregate":
        raise Refused("is an aggregate that only Spark has", OTHER_AGGREGATES)
    if plan.operator != "Project":
        raise Refused("makes several rows of one")
    if not plan.deterministic:
        raise Refused("does not give the same twice", SAME_TWICE)


def _problem(error: PySparkException, number: int) -> TypeProblem:
    """What Spark's analyzer objects to."""
    if found := expected_arguments(error):
        expected = found.replace(", ", " or ")
        return ArityProblem(f"takes {expected} argument{'s' * (expected != '1')}, not {number}")
    return TypeProblem(f"cannot be called so: {objection(error)}")
