"""Types and rows as Arrow."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from continua.model.element import Values
from continua.model.types import Type

_ARROW = {
    "NULL": pa.null(),
    "BOOLEAN": pa.bool_(),
    "TINYINT": pa.int8(),
    "SMALLINT": pa.int16(),
    "INT": pa.int32(),
    "BIGINT": pa.int64(),
    "FLOAT": pa.float32(),
    "DOUBLE": pa.float64(),
    "STRING": pa.string(),
    "DATE": pa.date32(),
    "TIMESTAMP": pa.timestamp("us", tz="UTC"),
    "INTERVAL": pa.duration("us"),
}


def arrow_type(type_: Type) -> pa.DataType:
    if type_.name == "DECIMAL":
        return pa.decimal128(type_.precision, type_.scale)
    return _ARROW[type_.name]


def arrow_table(names: Sequence[str], types: Sequence[Type], rows: Sequence[Values]) -> pa.Table:
    """Rows as a table; columns may share a name, as in SQL."""
    columns = zip(*rows, strict=True) if rows else ((),) * len(names)
    arrays = [
        pa.array(column, arrow_type(type_)) for column, type_ in zip(columns, types, strict=True)
    ]
    fields = [pa.field(name, array.type) for name, array in zip(names, arrays, strict=True)]
    return pa.Table.from_arrays(arrays, schema=pa.schema(fields))
