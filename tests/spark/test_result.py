"""Results and Spark: a result becomes a DataFrame, in whatever session there is."""

from datetime import datetime
from decimal import Decimal

import pytest
from pyspark.sql import SparkSession

import continua

pytestmark = pytest.mark.spark


def test_a_result_as_a_dataframe(spark: SparkSession) -> None:
    session = continua.Session()
    session.sql("""
        CREATE STREAM s (a INT, p DECIMAL(5,2), x REAL, name STRING, ts TIMESTAMP)
        SOURCE rows((1, 1.5, 2.5, 'one', '2026-01-01 12:00:00'), (2, NULL, NULL, NULL, '2026-01-01'))
        ORDERED BY ts
    """)
    frame = session.sql("SELECT * FROM s WINDOW(RANGE 1 HOUR)").history().to_spark(spark)
    assert [f.dataType.simpleString() for f in frame.schema] == [
        "int",
        "decimal(5,2)",
        "float",
        "string",
        "timestamp",
        "timestamp",
    ]
    assert frame.where("a = 1").collect()[0].p == Decimal("1.50")
    text = frame.selectExpr("a", "CAST(valid_to AS STRING) AS until").orderBy("a").collect()
    assert [tuple(row) for row in text] == [(1, "2026-01-01 13:00:00"), (2, "2026-01-01 01:00:00")]
    assert datetime.fromisoformat(text[0].until) == datetime(2026, 1, 1, 13)


def test_without_a_session_given_the_active_one_is_used(spark: SparkSession) -> None:
    frame = continua.Session().sql("SELECT 1 AS one").snapshot().to_spark()
    assert frame.sparkSession.sparkContext is spark.sparkContext
    assert [tuple(row) for row in frame.collect()] == [(1,)]
