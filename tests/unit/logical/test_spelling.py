"""Which texts are values, and how values are written: Spark's rules, without a clock."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from decimal import Decimal

import pytest

from continua.logical.expr.cast import ValueProblem, from_text, to_text
from continua.model.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    INT,
    INTERVAL,
    TIMESTAMP,
    Type,
)
from continua.model.values import single

CENTS = Type("DECIMAL", 10, 2)


@pytest.mark.parametrize(
    ("text", "type_", "value"),
    [
        ("2026", DATE, date(2026, 1, 1)),
        ("2026-3-1", DATE, date(2026, 3, 1)),
        (" 2026-03-01 ", DATE, date(2026, 3, 1)),
        ("2026-03-01 08:00:00", DATE, date(2026, 3, 1)),
        ("2026-3", TIMESTAMP, datetime(2026, 3, 1)),
        ("2026-03-01 8:5", TIMESTAMP, datetime(2026, 3, 1, 8, 5)),
        ("2026-03-01T08:00:00.1234567Z", TIMESTAMP, datetime(2026, 3, 1, 8, 0, 0, 123456)),
        ("2026-03-01 08:00:00 UTC", TIMESTAMP, datetime(2026, 3, 1, 8)),
        ("2026-03-01 08:00:00+0130", TIMESTAMP, datetime(2026, 3, 1, 6, 30)),
        ("2026-03-01 08:00:00-1", TIMESTAMP, datetime(2026, 3, 1, 9)),
        ("Yes", BOOLEAN, True),
        ("0", BOOLEAN, False),
        ("1f", DOUBLE, 1.0),
        ("0x1p3", DOUBLE, 8.0),
        ("-INF", DOUBLE, float("-inf")),
        ("\t+7\n", INT, 7),
        ("1e3", CENTS, Decimal("1000.00")),
        ("-0.001", CENTS, Decimal("0.00")),
    ],
)
def test_texts_that_are_values(text: str, type_: Type, value: object) -> None:
    found = from_text(text, type_)
    assert (found, str(found)) == (value, str(value))


@pytest.mark.parametrize(
    ("text", "type_"),
    [
        *(
            (text, TIMESTAMP)
            for text in ("12:30", "T12:30", "now", "today", "epoch", "2026-03-01Z")
        ),
        ("2026-03-01 08:00:00 Europe/Paris", TIMESTAMP),
        ("2026-03-01 08:00:00+18:01", TIMESTAMP),
        ("9999-12-31 23:59:59-00:01", TIMESTAMP),
        *((text, DATE) for text in ("epoch", "10000-01-01", "0000-01-01", "2026-02-29", "260301")),
        *((text, BIGINT) for text in ("٣", "1.5", "", "1_000", "\u00a01", "9223372036854775808")),
        *((text, DOUBLE) for text in ("٣", "1_0", "1e", "+nan", "")),
        *((text, CENTS) for text in ("٣", "NaN", "1e400", "99999999.995")),
        *((text, BOOLEAN) for text in ("on", "oui", "2", "")),
    ],
)
def test_texts_that_are_none(text: str, type_: Type) -> None:
    with pytest.raises(ValueProblem):
        from_text(text, type_)


@pytest.mark.parametrize(
    ("value", "type_", "text"),
    [
        (9999999.0, DOUBLE, "9999999.0"),
        (10000000.0, DOUBLE, "1.0E7"),
        (-12345678.9, DOUBLE, "-1.23456789E7"),
        (0.001, DOUBLE, "0.001"),
        (0.0009999, DOUBLE, "9.999E-4"),
        (5e-324, DOUBLE, "4.9E-324"),
        (1e23, DOUBLE, "1.0E23"),
        (2.0**-44, DOUBLE, "5.684341886080802E-14"),
        (float("-inf"), DOUBLE, "-Infinity"),
        (0.0, FLOAT, "0.0"),
        (single(0.1), FLOAT, "0.1"),
        (single(1e10), FLOAT, "1.0E10"),
        (single(1.401298464324817e-45), FLOAT, "1.4E-45"),
        (datetime(2026, 3, 1, 8, 0, 0, 120000), TIMESTAMP, "2026-03-01 08:00:00.12"),
        (datetime(1, 1, 1), TIMESTAMP, "0001-01-01 00:00:00"),
        (timedelta(days=1, seconds=4.5), INTERVAL, "INTERVAL '1 00:00:04.5' DAY TO SECOND"),
        (timedelta(microseconds=-1), INTERVAL, "INTERVAL '-0 00:00:00.000001' DAY TO SECOND"),
    ],
)
def test_values_as_text(value: object, type_: Type, text: str) -> None:
    assert to_text(value, type_) == text
