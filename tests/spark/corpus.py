"""Odd values of every type: what engines are most likely to disagree about."""

from __future__ import annotations

import math
from datetime import date, datetime, timedelta
from decimal import Decimal

from continua.model.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    INT,
    INTERVAL,
    SMALLINT,
    STRING,
    TIMESTAMP,
    TINYINT,
    Type,
)
from continua.model.values import single


def _whole(bits: int) -> list[object]:
    least, greatest = -(1 << bits - 1), (1 << bits - 1) - 1
    edges = [least, least + 1, greatest - 1, greatest]
    known = [0, 1, -1, 2, -3, 7, 10, -15, 100, 1000, -32769, 65536, 10**9 + 7, -(10**12) - 5]
    return [*edges, *(n for n in [*known, 2**53 - 1, 2**53 + 1] if least <= n <= greatest)]


_DOUBLES = [
    *(0.0, 1.0, -1.0, 2.0, 0.5, -0.5, 2.5, -2.5, 0.1, -0.01, 1.5, 1e-3, 9.999e-4, 123456.789),
    *(1e7, 9999999.0, -12345678.9, 1e15, 1e16, 1e22, 1e23, 2e-44, 5e-324, -5e-324, 1e-310),
    *(2.2250738585072014e-308, 1.7976931348623157e308, -1.7976931348623157e308, 1e300),
    *(3.4028234663852886e38, 3.5e38, 1e-46, -1e-46, 0.05, 1.005, 2.0**-44, 4.35, 0.285),
    *(2.0**31, 2.0**31 - 1, 2.0**53, 2.0**53 + 2, 2.0**63, -(2.0**63), 2.0**63 - 1024),
    *(127.5, 128.0, -129.0, 253402300800.0, math.inf, -math.inf, math.nan),
]
_FLOATS = [
    *(0.0, 1.0, -1.0, 0.1, 0.5, 2.5, -2.5, 1e7, 9999999.0, 1e10, 16777217.0, 3.4028234663852886e38),
    *(1.401298464324817e-45, 1.1754943508222875e-38, 3.3333333, 1e-3, 1e-4, 8388608.5, 2.0**31),
    *(2.0**63, -(2.0**63), 0.3, 123.456, math.inf, -math.inf, math.nan),
]


def _decimals(precision: int, scale: int) -> list[object]:
    unit = Decimal(1).scaleb(-scale)
    digits = [1, 5, 15, 49, 50, 51, 99, 125, 10**scale, 15 * 10**scale // 10, 7 * 10**scale]
    digits += [10**precision - 1, 10**precision // 3, 2**63, 2**63 - 1, 2**53 + 1, 10**28 + 1]
    digits += [int("1234567890" * 4), int("9" * 28), 10**precision // 2]
    found: list[Decimal] = [Decimal((0, (0,), -scale))]
    for n in dict.fromkeys(n for n in digits if 0 < n < 10**precision):
        found += [Decimal((sign, tuple(map(int, str(n))), -scale)) for sign in (0, 1)]
    assert all(d.as_tuple().exponent == unit.as_tuple().exponent for d in found)
    return list(found)


_NUMBERS = [
    "0",
    "1",
    "-1",
    "+1",
    "007",
    "128",
    "-129",
    "32768",
    "2147483647",
    "2147483648",
    "-2147483648",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "-9223372036854775809",
    "1.5",
    "-0.5",
    "-0",
    "-0.0",
    ".5",
    "5.",
    ".",
    "+",
    "-",
    "1e3",
    "1E3",
    "1e+3",
    "1e-3",
    "1e",
    "1e400",
    "-1e400",
    "1e-400",
    "0e50",
    "1e38",
    "1e37",
    "1e-39",
    "5e-39",
    "1f",
    "1F",
    "1d",
    "1D",
    "1.5f",
    "1e3d",
    "1L",
    "0x10",
    "0x1p3",
    "0X1.8P-1d",
    "1_000",
    "1,000",
    "٣",
    "١٢",
    "３",
    "1٣",
    "inf",
    "Inf",
    "+inf",
    "-inf",
    "INFINITY",
    "Infinity",
    "-Infinity",
    "+Infinity",
    "infinit",
    "nan",
    "NaN",
    "NAN",
    "+NaN",
    "-nan",
    "NaNf",
    "true",
    "0.30000001192092896",
    "3.4028235677973366e38",
    "3.4028236e38",
    "99999999999999999999999999999999999999",
    "999999999999999999999999999999999999990",
    "0.00000000000000000000000000000000000000499999",
    "12345678901234567890.1234567890123456789",
    "16777217.0000000000000001",
    "1.17549431e-38",
    "4.9e-324",
    "2e-324",
    "1e99999999999",
    "0e99999999999",
    "--1",
    "1-",
]

_WORDS = [
    "true",
    "TRUE",
    "tRuE",
    "t",
    "T",
    "false",
    "f",
    "F",
    "yes",
    "Yes",
    "y",
    "Y",
    "no",
    "N",
    "n",
    "1",
    "0",
    "on",
    "off",
    "truE",
    "tru",
    "null",
    "NULL",
    "ｔ",
    "oui",
]

_TIMES = [
    *("2026", "2026-3", "2026-03", "2026-3-1", "2026-03-01", "2026-02-29", "2024-02-29"),
    *("1900-02-29", "2000-02-29", "0001-01-01", "0000-12-31", "9999-12-31", "10000-01-01"),
    *("02026-03-01", "+2026-03-01", "-2026-03-01", "026-03-01", "26-03-01", "2026-13-01"),
    *("2026-00-01", "2026-04-31", "2026-003-01", "2026-", "2026-1-", "2026-1-1T", "2026-1-1 "),
    *("2026-03-01 x", "2026-03-01Tx", "2026-03-01x", "20260301", "2026/03/01", "2026-W10-7"),
    *("2026-060", "12:30", "T12:30", "12:30:00", "1", "now", "today", "tomorrow", "yesterday"),
    *("epoch", "NOW", " now ", "2026-03-01 8", "2026-03-01 08:00", "2026-03-01 8:0"),
    *("2026-03-01T08:00:01", "2026-03-01t08:00:01", "2026-03-01 08:00:00.", "2026-3-1 8:0:5.5"),
    *("2026-03-01 08:00:00.1234567", "2026-03-01 08:00:00.999999999", "2026-03-01 24:00:00"),
    *("2026-03-01 08:60:00", "2026-03-01 08:00:60", "2026-03-01  08:00", "2026-03-01 08:"),
    *(
        "2026-03-01\t08:00",
        "2026-03-01\n",
        "\u00a02026-03-01",
        "2026-03-01\u2003",
        "２０２６-03-01",
    ),
    *("9999-12-31 23:59:59.999999", "9999-12-31 23:59:59-00:01", "0001-01-01 00:00:00+00:01"),
    *("0001-01-01 00:00:00-00:01", "9999-12-31 23:59:59+00:01", "1969-12-31 23:59:59.999999"),
    *("1582-10-10", "1582-10-10 12:00:00", "2026-03-01 08:00Z", "2026-03-01Z"),
    *(
        f"2026-03-01 08:00:00{zone}"
        for zone in (
            *("Z", "z", " Z", "UTC", " UTC", "UT", "GMT", "+01", "+1", "+0100", "+100", "+01:00"),
            *(
                "+1:00",
                "+1:0",
                "+18:00",
                "+18:01",
                "-18:00",
                "+19",
                "+01:60",
                "-00:00",
                "+01:00:30",
            ),
            *("GMT+1", "UTC+1", "CET", "Europe/Paris", " America/New_York", ".5+01:00", "+010000"),
        )
    ),
]

_TEXTS = [
    *("", " ", "  a  ", "a", "A", "abc", "abcabc", "aBc", "b", "c", "%", "_", "a%", "a_c", "%b%"),
    *(
        "\\",
        "\\%",
        "a\\_c",
        "\\a",
        "'",
        '"',
        "''",
        "a'b\"c",
        "${x}",
        "$1",
        ".",
        "a.c",
        "a/b/c",
        "/",
    ),
    *("\t", "\n", "a\nb", "\x00", "\x7f", "\u00a0", "\u2003", "ß", "ẞ", "İ", "ı", "ſ", "Σ", "ΟΔΟΣ"),
    *(
        "é",
        "e\u0301",
        "ﬁ",
        "😀",
        "👩‍👩‍👧",
        "日本",
        "\ufffd",
        "\U00010400",
        "ǅ",
        "NULL",
        "{}",
        "--",
        "/*",
    ),
    "x" * 3000,
    *("second", "MINUTE", "hour", "day", "DD", "week", "month", "MON", "mm", "quarter", "year"),
    *("yyyy", "YY", "millisecond", "microsecond", "decade", "century", "microseconds"),
]

_BLANKS = [
    " 1 ",
    "\t1\n",
    "\x001\x1f",
    "1\x7f",
    "\u00a01",
    "1\u2003",
    "\x851",
    " true\t",
    "- 1",
    "1 2",
]

CORPUS: dict[Type, list[object]] = {
    BOOLEAN: [True, False],
    TINYINT: _whole(8),
    SMALLINT: _whole(16),
    INT: _whole(32),
    BIGINT: [*_whole(64), 253402300799, 253402300800, -62135596800, -62135596801],
    FLOAT: [single(value) for value in _FLOATS],
    DOUBLE: list(_DOUBLES),
    Type("DECIMAL", 10, 2): _decimals(10, 2),
    Type("DECIMAL", 20, 0): _decimals(20, 0),
    Type("DECIMAL", 38, 0): _decimals(38, 0),
    Type("DECIMAL", 38, 10): _decimals(38, 10),
    Type("DECIMAL", 38, 38): _decimals(38, 38),
    STRING: list(dict.fromkeys([*_TEXTS, *_NUMBERS, *_WORDS, *_TIMES, *_BLANKS])),
    DATE: [
        *(date.min, date(1, 1, 2), date(4, 2, 29), date(1582, 10, 4), date(1582, 10, 15)),
        *(date(1900, 2, 28), date(1969, 12, 31), date(1970, 1, 1), date(2000, 2, 29)),
        *(date(2023, 12, 31), date(2024, 2, 29), date(2026, 3, 1), date(9999, 12, 30), date.max),
    ],
    TIMESTAMP: [
        *(datetime.min, datetime(1, 1, 1, 0, 0, 0, 1), datetime(4, 2, 29, 12)),
        *(datetime(1582, 10, 10, 1, 2, 3), datetime(1901, 12, 13, 20, 45, 51, 999999)),
        *(datetime(1969, 12, 31, 23, 59, 59, 999999), datetime(1969, 12, 31, 23, 59, 59, 500000)),
        *(
            datetime(1970, 1, 1),
            datetime(1970, 1, 1, 0, 0, 0, 1),
            datetime(2000, 2, 29, 23, 59, 59),
        ),
        *(
            datetime(2024, 12, 30),
            datetime(2026, 3, 1, 8, 0, 0, 120000),
            datetime(2026, 7, 5, 7, 8),
        ),
        *(datetime(2038, 1, 19, 3, 14, 8), datetime(9999, 12, 31), datetime.max),
    ],
    INTERVAL: [
        *(
            timedelta(0),
            timedelta(microseconds=1),
            timedelta(microseconds=-1),
            timedelta(seconds=1),
        ),
        *(
            timedelta(days=1),
            timedelta(days=-1),
            timedelta(days=1, hours=2, minutes=3, seconds=4.5),
        ),
        *(-timedelta(hours=25, microseconds=100), timedelta(days=400000), timedelta(days=-400000)),
        *(timedelta(days=3652058), timedelta(days=-3652059), timedelta(days=106751991)),
        *(timedelta(days=106751991, hours=4), timedelta(days=-106751991)),
    ],
}
"""The values of each type, without NULL; the types are all that expressions can have."""

TYPES = tuple(CORPUS)
