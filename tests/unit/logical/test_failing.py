"""Which expressions may fail; that those which do are among them, tests/spark/test_engines.py tells."""

from __future__ import annotations

import pytest

from continua import Session
from continua.logical.expr.failing import may_fail
from continua.logical.map import Map

COLUMNS = "i INT, l BIGINT, d DOUBLE, k STRING, n DECIMAL(10,2), w DECIMAL(38,2), m TIMESTAMP"


@pytest.mark.parametrize(
    "text",
    [
        "i",
        "i > 3 AND k IS NULL",
        "d + 1 < i * 1.5e0",
        "d / 2",
        "n * 2",
        "k LIKE 'a%'",
        "CAST(i AS BIGINT)",
        "CAST(i AS DECIMAL(12,2))",
        "CAST(d AS STRING)",
        "TRY_CAST(k AS INT)",
        "upper(k)",
        "CASE WHEN i > 0 THEN k ELSE 'x' END",
    ],
)
def test_has_always_a_value(text: str) -> None:
    assert not _may_fail(text)


@pytest.mark.parametrize(
    "text",
    [
        "i + 1",
        "-l",
        "d / i",
        "d / 0",
        "n / n",
        "w + 1",
        "k LIKE k",
        "CAST(k AS INT)",
        "CAST(l AS INT)",
        "CAST(n AS DECIMAL(9,1))",
        "CAST(w AS DECIMAL(38,3))",
        "CAST(d AS BIGINT)",
        "m + INTERVAL '1' DAY",
        "floor(d)",
        "CASE WHEN i > 0 THEN 1 / i ELSE 0 END",
        "shout(k)",
    ],
)
def test_may_have_none(text: str) -> None:
    assert _may_fail(text)


def _may_fail(text: str) -> bool:
    session = Session(engine="reference")
    session.udf("shout", lambda k: k + "!", "STRING")
    session.sql(f"CREATE STREAM s ({COLUMNS}, t INT) SOURCE rows() ORDERED BY t")
    plan = session.sql(f"SELECT {text} AS x FROM s").plan
    assert isinstance(plan, Map)
    return may_fail(plan.outputs[0])
