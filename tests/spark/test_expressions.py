"""Expressions have Spark's meaning: the same type and the same value as Spark computes."""

from datetime import date, datetime, timedelta
from decimal import Decimal

import pytest
from pyspark.sql import SparkSession

import continua

pytestmark = pytest.mark.spark

EXPRESSIONS = """
1 + 2
2147483647L + 1
1 - 2.5
2 * 3.25
7 / 2
7.0 / 2
1.00 / 3.000
0.1 * 5 / 3
5 / 3
7 DIV 2
-7 DIV 2
7 % 3
-7 % 3
7.5 % 2
-7.5D % 2
1e3 + 1
CAST(1 AS TINYINT) + CAST(1 AS SMALLINT)
CAST(1 AS FLOAT) + CAST(2 AS FLOAT)
CAST(0.1 AS FLOAT) + 1
CAST(0.1 AS FLOAT) + 1.5D
CAST(1 AS BIGINT) * 2.5
CAST(12345.678 AS DECIMAL(10,2))
CAST(2.5 AS INT)
CAST(-2.5 AS INT)
CAST('12' AS INT)
CAST(' 12 ' AS INT)
CAST('1.5' AS DOUBLE)
CAST('1.55' AS DECIMAL(4,1))
CAST(1.5D AS STRING)
CAST(CAST(0.1 AS FLOAT) AS STRING)
CAST(true AS STRING)
CAST(1 AS BOOLEAN)
CAST('true' AS BOOLEAN)
CAST('2026-01-02' AS DATE)
CAST('2026-01-02 03:04:05.123456' AS TIMESTAMP)
CAST('2026-01-02T03:04:05+02:00' AS TIMESTAMP)
CAST(DATE '2026-01-02' AS TIMESTAMP)
CAST(TIMESTAMP '2026-01-02 03:04:05' AS DATE)
CAST(TIMESTAMP '2026-01-02 03:04:05' AS BIGINT)
CAST(TIMESTAMP '2026-01-02 03:04:05' AS STRING)
TRY_CAST('abc' AS INT)
TRY_CAST(300 AS TINYINT)
1 = 1.0
1 = NULL
NULL <=> NULL
1 <=> NULL
'a' < 'b'
CAST('NaN' AS DOUBLE) = CAST('NaN' AS DOUBLE)
CAST('NaN' AS DOUBLE) > 1e300
TIMESTAMP '2026-01-02 00:00:00' > '2026-01-01'
DATE '2026-01-02' = TIMESTAMP '2026-01-02 00:00:00'
true AND NULL
false AND NULL
true OR NULL
false OR NULL
NOT NULL
NULL IS NULL
1 IS NOT NULL
(1 = NULL) IS TRUE
(1 = 2) IS FALSE
3 BETWEEN 1 AND 5
3 NOT BETWEEN 1 AND 5
NULL BETWEEN 1 AND 5
3 IN (1, 2, NULL)
3 IN (1, 3, NULL)
3 NOT IN (1, 2, NULL)
'abc' LIKE 'a%'
'a_c' LIKE 'a\\\\_c'
'abc' LIKE 'a_'
'abc' RLIKE 'b.'
CASE WHEN 1 = 2 THEN 'x' WHEN 1 = 1 THEN 'y' ELSE 'z' END
CASE 3 WHEN 1 THEN 'a' ELSE NULL END
CASE WHEN true THEN 1 ELSE 2.5 END
IF(1 > 2, 1, 2.5)
COALESCE(NULL, 1, 2)
COALESCE(NULL, 1.5, 2)
NVL(NULL, 3)
IFNULL(NULL, 'a')
NULLIF(1, 1)
NULLIF(1, 2)
GREATEST(1, 3, 2)
GREATEST(1, NULL, 2.5)
LEAST('b', 'a')
ABS(-3)
ABS(-2.5)
SIGN(-2)
CEIL(1.2)
CEIL(-1.2D)
FLOOR(-1.2)
FLOOR(1.7D)
FLOOR(3)
ROUND(2.5)
ROUND(2.345, 2)
ROUND(2.5D)
ROUND(-2.5D)
ROUND(123, -1)
ROUND(123.45, -1)
SQRT(2)
SQRT(-1)
EXP(1)
POWER(2, 10)
LN(2)
LN(0)
LOG10(1000)
LOG2(8)
MOD(7, 3)
UPPER('aBc')
LOWER('aBc')
TRIM('  a ')
LTRIM('  a')
RTRIM('a  ')
REVERSE('abc')
LENGTH('abc ')
LEFT('abc', 2)
RIGHT('abc', 2)
REPLACE('abcabc', 'b', 'x')
CONTAINS('abc', 'b')
STARTSWITH('abc', 'ab')
ENDSWITH('abc', 'bc')
INSTR('abc', 'c')
SUBSTRING('abcdef', 2, 3)
SUBSTRING('abcdef', -3, 2)
SUBSTRING('abcdef', 0, 2)
SUBSTR('abcdef', 3)
SPLIT_PART('a/b/c', '/', 2)
SPLIT_PART('a/b/c', '/', -1)
SPLIT_PART('a/b/c', '/', 9)
CONCAT('a', 1, 'b')
'a' || 'b'
'a' || NULL
YEAR(TIMESTAMP '2026-03-04 05:06:07')
QUARTER(TIMESTAMP '2026-03-04 05:06:07')
MONTH(DATE '2026-03-04')
DAY(TIMESTAMP '2026-03-04 05:06:07')
HOUR(TIMESTAMP '2026-03-04 05:06:07')
MINUTE(TIMESTAMP '2026-03-04 05:06:07')
SECOND(TIMESTAMP '2026-03-04 05:06:07')
EXTRACT(HOUR FROM TIMESTAMP '2026-03-04 05:06:07')
DATE_TRUNC('hour', TIMESTAMP '2026-03-04 05:06:07')
DATE_TRUNC('week', TIMESTAMP '2026-03-04 05:06:07')
DATE_TRUNC('MONTH', TIMESTAMP '2026-03-04 05:06:07')
DATE_TRUNC('year', TIMESTAMP '2026-03-04 05:06:07')
UNIX_MICROS(TIMESTAMP '1969-12-31 23:59:59.5')
UNIX_SECONDS(TIMESTAMP '1969-12-31 23:59:59.5')
TIMESTAMP_MICROS(1500000)
TIMESTAMP '2026-01-01 00:00:00' + INTERVAL '90' MINUTE
TIMESTAMP '2026-01-01 00:00:00' - INTERVAL 1 DAY
-(-5)
-2.5
""".strip().splitlines()

FAILING = """
1 / 0
1 DIV 0
1 % 0
1.5 / 0
2147483647 + 1
CAST('abc' AS INT)
CAST(300 AS TINYINT)
CAST('2026-13-01' AS DATE)
CAST(12345 AS DECIMAL(4,1))
""".strip().splitlines()


def suffixes(expression: str) -> str:
    """Spark's literal suffixes, which this language does not have, as casts."""
    return (
        expression.replace("2147483647L", "CAST(2147483647 AS BIGINT)")
        .replace("-7.5D", "CAST(-7.5 AS DOUBLE)")
        .replace("-1.2D", "CAST(-1.2 AS DOUBLE)")
        .replace("1.7D", "CAST(1.7 AS DOUBLE)")
        .replace("-2.5D", "CAST(-2.5 AS DOUBLE)")
        .replace("2.5D", "CAST(2.5 AS DOUBLE)")
        .replace("1.5D", "CAST(1.5 AS DOUBLE)")
    )


@pytest.fixture(scope="module")
def in_spark(spark: SparkSession) -> dict[str, tuple[str, object]]:
    """Every expression's type and value in Spark, computed by one query."""
    columns = ", ".join(f"{suffixes(e)} AS c{i}" for i, e in enumerate(EXPRESSIONS))
    frame = spark.sql(f"SELECT {columns}")
    row = frame.collect()[0]
    return {
        e: (frame.schema[i].dataType.simpleString().upper(), row[i])
        for i, e in enumerate(EXPRESSIONS)
    }


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_same_type_and_value(expression: str, in_spark: dict[str, tuple[str, object]]) -> None:
    query = continua.Session(engine="reference").sql(f"SELECT {suffixes(expression)} AS c")
    ((value, _, _),) = query.history()
    wanted_type, wanted = in_spark[expression]
    assert str(query.schema.columns[0].type) == wanted_type
    if isinstance(wanted, float) and isinstance(value, float):
        assert value == pytest.approx(wanted, rel=1e-12, nan_ok=True)
    else:
        assert value == wanted
        assert isinstance(value, (bool, int, str, Decimal, date, datetime, timedelta, type(None)))


@pytest.mark.parametrize("expression", FAILING)
def test_what_fails_in_spark_fails(spark: SparkSession, expression: str) -> None:
    with pytest.raises(Exception):  # noqa: B017 - Spark raises several classes
        spark.sql(f"SELECT {expression}").collect()
    with pytest.raises(continua.ContinuaError) as caught:
        continua.Session(engine="reference").sql(f"SELECT {expression}").history()
    assert caught.value.code == "EVALUATION"
    assert caught.value.span is not None
