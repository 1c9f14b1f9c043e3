"""Random streams and tables: their schemas, how they tell the time, and their rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from enum import Enum
from math import inf, isfinite, nan
from typing import Any

from hypothesis import strategies as st

INT, REAL, DEC, TEXT, BOOL, TIME = "int", "real", "dec", "text", "bool", "time"
OPERATION = "operation"
"""Types of columns and expressions."""

OURS = {INT: "INT", REAL: "DOUBLE", DEC: "DECIMAL(6,2)", TEXT: "STRING", BOOL: "BOOLEAN"}
OURS[OPERATION] = "STRING"
PLAIN = {**OURS, INT: "INTEGER", TEXT: "VARCHAR"}
WIDE = {**OURS, INT: "BIGINT", DEC: "DECIMAL(38,2)"}


class Clock(Enum):
    """How the streams of a case tell the time: by numbers, or by timestamps around the epoch."""

    BIGINT = 1
    TIMESTAMP = 1_000_000

    @property
    def unit(self) -> int:
        """The chronons between two times of the generator."""
        return self.value

    @property
    def type(self) -> str:
        return INT if self is Clock.BIGINT else TIME

    def value_of(self, t: int, origin: int = 0) -> object:
        if self is Clock.BIGINT:
            return origin + t
        return datetime(1970, 1, 1) + timedelta(seconds=t, microseconds=origin)


@dataclass(frozen=True)
class Source:
    """A stream or table: columns with their types, and those that carry time."""

    name: str
    columns: tuple[tuple[str, str], ...]
    times: tuple[str, ...] = ()
    windowed: bool = False
    clock: Clock = Clock.BIGINT
    extreme: bool = False
    """Whether values are as great, small or odd as they can be."""
    origin: int = 0
    """The time, in chronons, that times are counted from."""

    def stamp(self, t: int) -> object:
        return self.clock.value_of(t, self.origin)

    @property
    def all_columns(self) -> tuple[tuple[str, str], ...]:
        return self.columns + tuple((time, self.clock.type) for time in self.times)

    def declare(self, rows: Sequence[tuple[object, ...]]) -> str:
        kind = "STREAM" if self.times else "TABLE"
        text = f"CREATE {kind} {self.name} ({self._declared(WIDE if self.extreme else OURS)})"
        if rows:
            text += f" SOURCE rows({', '.join(literal_row(row) for row in rows)})"
        if self.times:
            text += f" ORDERED BY {' UNTIL '.join(self.times)}"
        return text

    @property
    def plain_columns(self) -> str:
        return self._declared(PLAIN)

    def _declared(self, types: dict[str, str]) -> str:
        declared = [f"{name} {types[type_]}" for name, type_ in self.columns]
        return ", ".join(declared + [f"{time} {self.clock.name}" for time in self.times])


class Log(Source):
    """A table that is made of changes by the first column; those that do not fit are many."""

    def declare(self, rows: Sequence[tuple[object, ...]]) -> str:
        columns, key = self._declared(WIDE if self.extreme else OURS), self.columns[0][0]
        text = f"CREATE TABLE {self.name} ({columns}, PRIMARY KEY ({key}))"
        if rows:
            text += f" SOURCE rows({', '.join(literal_row(row) for row in rows)})"
        (operation,) = (name for name, type_ in self.columns if type_ == OPERATION)
        return f"{text} CHANGES ORDERED BY {self.times[0]} OPERATION {operation} ON ERROR DROP"


R = Source("r", (("a", INT), ("b", INT), ("s", TEXT), ("x", REAL)), ("ts",), windowed=True)
Q = Source("q", (("a", INT), ("c", INT), ("s", TEXT), ("d", DEC)), ("ts",), windowed=True)
P = Source("p", (("b", INT), ("c", INT)), ("ts", "te"))
K = Source("k", (("a", INT), ("s", TEXT), ("v", INT)))
SOURCES = (R, Q, P, K)


ORIGINS = {
    Clock.BIGINT: [0, 2**63 - 19, -(2**62) + 10],
    Clock.TIMESTAMP: [
        (datetime(*day) - datetime(1970, 1, 1)) // timedelta(microseconds=1)
        for day in ((1970, 1, 1), (9999, 12, 31, 23, 59, 40), (1, 1, 1, 0, 0, 5))
    ],
}
"""What the times of extreme streams are counted from: zero, and near both ends of time."""


@st.composite
def sources(draw: Any, extreme: bool = False) -> tuple[Source, ...]:
    """The four sources with columns of any types; a name has one type in all of them."""
    clock = draw(st.sampled_from([Clock.BIGINT, Clock.BIGINT, Clock.TIMESTAMP]))
    origin = draw(st.sampled_from(ORIGINS[clock])) if extreme else 0
    types = {"a": INT, "s": TEXT}
    for name in "bcdvx":
        types[name] = draw(st.sampled_from([INT, INT, REAL, DEC, TEXT, BOOL]))
    found = []
    for source in SOURCES:
        names = st.lists(st.sampled_from(sorted(types)), min_size=1, max_size=5, unique=True)
        columns = tuple((name, types[name]) for name in draw(names))
        given = (source.times, source.windowed, clock, extreme, origin)
        found.append(Source(source.name, columns, *given))
    return tuple(found)


def literal_row(row: Sequence[object]) -> str:
    return f"({', '.join(map(literal, row))})"


def literal(value: object) -> str:
    """A value as a literal that both systems read alike."""
    if value is None:
        return "NULL"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, float):
        if not isfinite(value):
            return "NULL"  # It has no literal; `both_engines` puts it into the rows.
        return repr(value) if "e" in repr(value) else f"{value!r}e0"
    if isinstance(value, datetime):
        return f"TIMESTAMP '{value}'"
    return str(value)


VALUES: dict[str, list[Any]] = {
    INT: [1, 2, 0, 3, -1],
    REAL: [1.0, 0.5, 0.0, 2.75, -1.25],
    DEC: [Decimal(text) for text in ("1.00", "0.50", "0.00", "2.75", "-1.25")],
    TEXT: ["a", "b", "ab", "", "it's", "é"],
    BOOL: [True, False],
    OPERATION: ["insert", "I", "update", "U", "u", "delete", "d", "r"],
}

EXTREME: dict[str, list[Any]] = {
    INT: [2**31 - 1, -(2**31), 2**63 - 1, -(2**63)],
    REAL: [nan, inf, -inf, -0.0, 1e308, -1e308, 5e-324, 1e16, 0.1],
    DEC: [Decimal("9" * 36 + ".99"), Decimal("-" + "9" * 36 + ".99"), Decimal(10**34)],
    TEXT: ["\0", "\U0001f600", "a\u0301", "NaN", " "],
    BOOL: [],
}
"""What extreme streams hold beside the usual values."""


@st.composite
def rows_of(draw: Any, source: Source, at_most: int = 8) -> list[tuple[object, ...]]:
    """Rows with NULLs, duplicates, ties in time, gaps and times before 0; sometimes none at all."""
    times = st.sampled_from([0, 1, 2, 3, 4, 5, 7, 11, -1, -4])
    columns = (
        st.sampled_from([*VALUES[type_], *(EXTREME if source.extreme else VALUES)[type_], None])
        for _, type_ in source.columns
    )
    # No row at all comes last: what comes first is drawn more often than the others.
    count = draw(st.sampled_from([*range(1, at_most + 1), *range(at_most // 2, at_most + 1), 0]))
    rows = draw(st.lists(st.tuples(*columns), min_size=count, max_size=count))
    if len(rows) > 1 and draw(st.booleans()):
        rows[-1] = rows[0]
    stamped = []
    for row in rows:
        stamps: tuple[object, ...] = ()
        if source.times:
            start = draw(times)
            stamps = (source.stamp(start),)
            if len(source.times) == 2:
                length = draw(st.sampled_from([1, 2, 3, 6, None]))
                end = None if length is None else source.stamp(start + length)
                stamps = (*stamps, end)
        stamped.append((*row, *stamps))
    return stamped
