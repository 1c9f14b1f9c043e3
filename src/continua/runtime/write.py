"""Writes results: as a table, CSV, JSON lines or Parquet, to a stream or a file."""

from __future__ import annotations

import csv
import io
import json
import math
from decimal import Decimal
from pathlib import Path

import pyarrow.parquet as parquet

from continua.errors import ContinuaError, Span, did_you_mean
from continua.logical.expr.cast import to_text
from continua.runtime.result import Result

FORMATS = ("table", "csv", "json", "parquet")


def check_format(format_: str, span: Span | None = None) -> str:
    if format_ not in FORMATS:
        hint = did_you_mean(format_, FORMATS, f"the formats are {', '.join(FORMATS)}")
        raise ContinuaError("WRONG_ARGUMENTS", f"there is no format {format_}", span, hint=hint)
    return format_


def to_string(result: Result, format_: str) -> str:
    """The result as text; Parquet is no text."""
    if format_ == "csv":
        buffer = io.StringIO()
        writer = csv.writer(buffer, lineterminator="\n")
        writer.writerow(result.columns)
        types = result.schema.types
        for row in result:
            cells = zip(row, types, strict=True)
            writer.writerow("" if v is None else to_text(v, type_) for v, type_ in cells)
        return buffer.getvalue()
    if format_ == "json":
        _check_names(result, format_)
        keys = [json.dumps(name) for name in result.columns]
        return "".join(
            f"{{{', '.join(f'{k}: {_json(v)}' for k, v in zip(keys, row, strict=True))}}}\n"
            for row in result
        )
    if format_ == "table":
        return f"{result.to_text()}\n"
    raise ContinuaError("CANNOT_WRITE", "Parquet goes to a file", hint="--output FILE.parquet")


def write(result: Result, format_: str, path: Path, span: Span | None = None) -> None:
    """Writes to a file; it appears under its name only when it is complete."""
    _check_names(result, format_, span)
    partial = path.with_name(f".{path.name}.partial")
    try:
        if path.exists() and not path.is_file():
            # A rename would put a file in place of a directory, a pipe or a device.
            raise ContinuaError("CANNOT_WRITE", f"{path} is there and is no file", span)
        if format_ == "parquet":
            parquet.write_table(result.to_arrow(), partial)
        else:
            partial.write_text(to_string(result, format_), encoding="utf-8")
        partial.replace(path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        reason = error.strerror or str(error)
        raise ContinuaError("CANNOT_WRITE", f"cannot write {path}: {reason}", span) from None


def _check_names(result: Result, format_: str, span: Span | None = None) -> None:
    """JSON and Parquet find values by name: of two columns of one name, one would be lost."""
    names = result.columns
    twice = next((name for name in names if names.count(name) > 1), None)
    if format_ in ("json", "parquet") and twice is not None:
        message = f"two columns are named {twice}"
        raise ContinuaError("CANNOT_WRITE", message, span, hint="name one of them with AS")


def _json(value: object) -> str:
    """A value as JSON text; decimals keep all their digits."""
    if isinstance(value, Decimal):
        return to_text(value)
    if isinstance(value, float) and not math.isfinite(value):
        return json.dumps(to_text(value))
    if value is None or isinstance(value, (bool, int, float, str)):
        return json.dumps(value, ensure_ascii=False)
    return json.dumps(to_text(value))
