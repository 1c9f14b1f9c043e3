"""The SQL types and the types that expressions over them have, as in Spark's ANSI mode."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Type:
    """A SQL type; `precision` and `scale` are those of DECIMAL and 0 otherwise."""

    name: str
    precision: int = 0
    scale: int = 0

    def __str__(self) -> str:
        return f"DECIMAL({self.precision},{self.scale})" if self.name == "DECIMAL" else self.name

    @property
    def integral(self) -> bool:
        return self.name in _INTEGRAL_BITS

    @property
    def floating(self) -> bool:
        return self.name in ("FLOAT", "DOUBLE")

    @property
    def numeric(self) -> bool:
        return self.integral or self.floating or self.name == "DECIMAL"

    @property
    def bits(self) -> int:
        """The width of an integral type."""
        return _INTEGRAL_BITS[self.name]

    @property
    def temporal(self) -> bool:
        """Whether it can be a time attribute."""
        return self.integral or self == TIMESTAMP


_INTEGRAL_BITS = {"TINYINT": 8, "SMALLINT": 16, "INT": 32, "BIGINT": 64}

NULL = Type("NULL")
BOOLEAN = Type("BOOLEAN")
TINYINT, SMALLINT, INT, BIGINT = (Type(name) for name in _INTEGRAL_BITS)
FLOAT, DOUBLE = Type("FLOAT"), Type("DOUBLE")
STRING = Type("STRING")
DATE, TIMESTAMP = Type("DATE"), Type("TIMESTAMP")
INTERVAL = Type("INTERVAL")
"""A duration of days and smaller units; months have no fixed length and are not supported."""

MAX_PRECISION = 38


def decimal(precision: int, scale: int) -> Type:
    """DECIMAL within 38 digits, as in Spark: digits before the point win, 6 after it stay."""
    if precision > MAX_PRECISION:
        integral = precision - scale
        scale = max(MAX_PRECISION - integral, min(scale, 6))
        precision = MAX_PRECISION
    return Type("DECIMAL", precision, scale)


_NAMES = {
    "BOOL": BOOLEAN,
    "BYTE": TINYINT,
    "SHORT": SMALLINT,
    "INTEGER": INT,
    "LONG": BIGINT,
    "REAL": FLOAT,
    "DOUBLE PRECISION": DOUBLE,
    "TEXT": STRING,
    "VARCHAR": STRING,
    "CHAR": STRING,
} | {
    t.name: t
    for t in (BOOLEAN, TINYINT, SMALLINT, INT, BIGINT, FLOAT, DOUBLE, STRING, DATE, TIMESTAMP)
}

TYPE_NAMES = sorted({*_NAMES, "DECIMAL"})


def parse_type(text: str) -> Type | None:
    """The type a name such as `INT`, `DECIMAL(10,2)` or `VARCHAR(20)` stands for, or None."""
    match = re.fullmatch(r"\s*([A-Z ]+?)\s*(?:\(\s*(\d+)\s*(?:,\s*(\d+)\s*)?\))?\s*", text.upper())
    if match is None:
        return None
    name, first, second = match.groups()
    if name in ("DECIMAL", "NUMERIC", "DEC"):
        precision, scale = int(first or 10), int(second or 0)
        valid = 0 < precision <= MAX_PRECISION and scale <= precision
        return Type("DECIMAL", precision, scale) if valid else None
    if first is not None and name not in ("VARCHAR", "CHAR"):
        return None
    return _NAMES.get(name)


def as_decimal(type_: Type) -> Type:
    """The DECIMAL that holds every value of an exact numeric type."""
    if type_.integral:
        return Type("DECIMAL", {8: 3, 16: 5, 32: 10, 64: 20}[type_.bits], 0)
    return type_


def common_type(a: Type, b: Type) -> Type | None:
    """The least type both convert to without loss of meaning, or None if there is none."""
    if a == b or b == NULL:
        return a
    if a == NULL:
        return b
    if a.integral and b.integral:
        return a if a.bits >= b.bits else b
    if a.numeric and b.numeric:
        if a.floating or b.floating:
            return FLOAT if FLOAT in (a, b) and not {DOUBLE, INT, BIGINT} & {a, b} else DOUBLE
        x, y = as_decimal(a), as_decimal(b)
        scale = max(x.scale, y.scale)
        return decimal(max(x.precision - x.scale, y.precision - y.scale) + scale, scale)
    if {a, b} == {DATE, TIMESTAMP}:
        return TIMESTAMP
    return None


def arithmetic_type(operator: str, a: Type, b: Type) -> Type | None:
    """The type of `a operator b` for numbers (Spark's rules), or None if they do not fit."""
    if a == NULL or b == NULL:
        a = b = b if a == NULL else a
    if a == NULL:
        return DOUBLE
    if not (a.numeric and b.numeric):
        return None
    if operator == "/" and a.name != "DECIMAL" and b.name != "DECIMAL":
        return DOUBLE
    if operator == "div":
        return None if a.floating or b.floating else BIGINT
    if a.floating or b.floating:
        return FLOAT if a == b == FLOAT else DOUBLE
    if a.integral and b.integral:
        return common_type(a, b)
    x, y = as_decimal(a), as_decimal(b)
    if operator in ("+", "-"):
        scale = max(x.scale, y.scale)
        return decimal(max(x.precision - x.scale, y.precision - y.scale) + scale + 1, scale)
    if operator == "*":
        return decimal(x.precision + y.precision + 1, x.scale + y.scale)
    if operator == "%":
        scale = max(x.scale, y.scale)
        return decimal(min(x.precision - x.scale, y.precision - y.scale) + scale, scale)
    scale = max(6, x.scale + y.precision + 1)
    return decimal(x.precision - x.scale + y.scale + scale, scale)
