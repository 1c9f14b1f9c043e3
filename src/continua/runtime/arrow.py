"""Types and rows as Arrow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

import pyarrow as pa
import pyarrow.compute as pc

from continua.errors import ContinuaError
from continua.logical.expr.cast import FROM_TO, OUTSIDE
from continua.model.element import Values
from continua.model.types import Type
from continua.model.values import normal

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


def sorted_table(table: pa.Table, names: Sequence[str]) -> pa.Table:
    """The rows in ascending order of columns: NULL first, NaN greater than every number."""
    keyed, keys = table, []
    for name in names:
        column = table[name]
        if pa.types.is_floating(column.type):
            not_a_number = pc.fill_null(pc.is_nan(column), False)
            keyed = keyed.append_column(f"nan {name}", not_a_number)
            keys.append((f"nan {name}", "ascending"))
        if column.null_count:
            keyed = keyed.append_column(f"valid {name}", pc.is_valid(column))
            keys.append((f"valid {name}", "ascending"))
        keys.append((name, "ascending"))
    return table.take(pc.sort_indices(keyed, sort_keys=keys))


def python_rows(table: pa.Table, types: Sequence[Type]) -> Iterator[Values]:
    """The rows as Python values: timestamps naive in UTC, one NaN, one zero."""
    columns: list[list[object]] = []
    for position, column in enumerate(table.columns):
        try:
            values = column.to_pylist()
        except (OverflowError, ValueError):
            raise ContinuaError("EVALUATION", OUTSIDE, hint=FROM_TO) from None
        if position < len(types) and types[position].floating:
            values = [None if value is None else normal(value) for value in values]
        elif pa.types.is_timestamp(column.type):
            values = [_naive(value) for value in values]
        columns.append(values)
    return zip(*columns, strict=True)


def _naive(value: datetime | None) -> datetime | None:
    return None if value is None else value.replace(tzinfo=None)
