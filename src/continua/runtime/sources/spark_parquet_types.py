"""What Parquet stores and what is declared: conversions on which Spark and `accept` agree."""

from __future__ import annotations

from typing import Final, NamedTuple

import pyarrow as pa

from continua.model.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    INT,
    SMALLINT,
    STRING,
    TIMESTAMP,
    TINYINT,
    Type,
)
from continua.physical.expression import spark_type
from continua.runtime.sources.spark_text import (
    FIRST_DAY,
    FIRST_TIME,
    LAST_DAY,
    LAST_TIME,
    Cell,
    floating,
    not_infinite,
    text_cell,
)


class Stored(NamedTuple):
    """The type of a stored column; of times also the form, if it is not Spark's own."""

    type: Type
    form: str = ""

    @property
    def read_as(self) -> str:
        return "BIGINT" if self.form == _NANOSECONDS else spark_type(self.type)

    def holds_times_of(self, declared: Type) -> bool:
        """Whether its times are times of the declared type, if they are in range at all."""
        if declared.integral:
            return self.type.integral and self.type.bits <= declared.bits
        return self.type == TIMESTAMP and self.form != _INT96


_NANOSECONDS = "ns"
_INT96 = "int96"

_STORED: Final = {
    pa.bool_(): BOOLEAN,
    pa.int8(): TINYINT,
    pa.int16(): SMALLINT,
    pa.int32(): INT,
    pa.int64(): BIGINT,
    # Spark has no unsigned numbers and reads them as the next wider type.
    pa.uint8(): SMALLINT,
    pa.uint16(): INT,
    pa.uint32(): BIGINT,
    pa.float32(): FLOAT,
    pa.float64(): DOUBLE,
    pa.string(): STRING,
    pa.large_string(): STRING,
    pa.date32(): DATE,
}


def stored_type(arrow: pa.DataType, physical: str | None) -> Stored | None:
    """The type of a column of a file, or None if it is one that Spark may read differently."""
    if pa.types.is_dictionary(arrow):
        arrow = arrow.value_type
    if physical is None:
        return None  # not a leaf
    if pa.types.is_decimal128(arrow) and 0 <= arrow.scale <= arrow.precision:
        return Stored(Type("DECIMAL", arrow.precision, arrow.scale))
    if pa.types.is_timestamp(arrow):
        if physical == "INT96":
            return Stored(TIMESTAMP, _INT96)
        return Stored(TIMESTAMP, _NANOSECONDS if arrow.unit == "ns" else "")
    found = _STORED.get(arrow)
    return None if found is None else Stored(found)


def cell(raw: str, stored: Stored, declared: Type, value: str) -> Cell:
    """The cell of a stored column; `value` is the name its value will have."""
    source = stored.type
    if declared == TIMESTAMP and source == TIMESTAMP:
        return _time(raw, stored, value)
    if source == STRING and declared in (DATE, TIMESTAMP):
        return text_cell(raw, declared, value)
    if source == declared == STRING:
        return Cell(raw, f"({value} IS NULL OR is_valid_utf8({value}))", seldom=True)
    if source == DATE and declared in (DATE, TIMESTAMP):
        inside = f"({raw} IS NULL OR {raw} BETWEEN {FIRST_DAY} AND {LAST_DAY})"
        return Cell(f"TRY_CAST({raw} AS {spark_type(declared)})", inside, seldom=True)
    if declared.floating and source.numeric:
        double = f"CAST({raw} AS DOUBLE)"
        narrowed = (source, declared) == (DOUBLE, FLOAT)
        good = (
            f"({raw} IS NULL OR {not_infinite(value)} OR NOT {not_infinite(double)})"
            if narrowed
            else None
        )
        return Cell(floating(double, declared), good)
    if source == declared:
        return Cell(raw)
    if declared.integral and source.integral and source.bits < declared.bits:
        return Cell(f"CAST({raw} AS {declared})")
    exact = source.integral or source.name == "DECIMAL"
    if exact and (declared.name == "DECIMAL" or (declared.integral and source.integral)):
        return Cell(
            f"TRY_CAST({raw} AS {spark_type(declared)})",
            f"({raw} IS NULL OR {value} IS NOT NULL)",
        )
    # No value but NULL is surely one of the declared type.
    return Cell(f"CAST(NULL AS {spark_type(declared)})", f"{raw} IS NULL")


def _time(raw: str, stored: Stored, value: str) -> Cell:
    if stored.form == _NANOSECONDS:
        # Both cut off towards the epoch.
        return Cell(f"timestamp_micros({raw} div 1000L)")
    if stored.form == _INT96:
        # The reference's reader counts nanoseconds in 64 bits, and cuts off towards the epoch.
        inside = f"{value} >= TIMESTAMP '1970-01-01' AND {value} < TIMESTAMP '2262-01-01'"
        return Cell(raw, f"({value} IS NULL OR ({inside}))")
    inside = f"{value} BETWEEN {FIRST_TIME} AND {LAST_TIME}"
    return Cell(raw, f"({value} IS NULL OR {inside})", seldom=True)
