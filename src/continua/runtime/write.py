"""Writes results over history: as a table, CSV, JSON lines or Parquet, to a stream or a file."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as parquet

from continua.errors import ContinuaError, Span
from continua.runtime.formats.csv_lines import csv_header, csv_line
from continua.runtime.formats.form import Form
from continua.runtime.formats.json_lines import json_line
from continua.runtime.result import Result


def to_string(result: Result, form: Form) -> str:
    """The result as text; Parquet is no text."""
    names, types = result.columns, result.schema.types
    if form.format == "csv":
        lines = [csv_line(row, types, form.delimiter) for row in result]
        if form.header:
            lines.insert(0, csv_header(names, form.delimiter))
    elif form.format == "json":
        _check_names(result, form)
        lines = [json_line(row, names, types) for row in result]
    elif form.format == "table":
        lines = [result.to_text()]
    else:
        raise ContinuaError("CANNOT_WRITE", "Parquet goes to a file", hint="--output FILE.parquet")
    return "".join(f"{line}\n" for line in lines)


def write(result: Result, form: Form, path: Path, span: Span | None = None) -> None:
    """Writes to a file; it appears under its name only when it is complete."""
    _check_names(result, form, span)
    partial = path.with_name(f".{path.name}.partial")
    try:
        if path.exists() and not path.is_file():
            # A rename would put a file in place of a directory, a pipe or a device.
            raise ContinuaError("CANNOT_WRITE", f"{path} is there and is no file", span)
        if form.format == "parquet":
            parquet.write_table(result.to_arrow(), partial, compression=form.compression)
        else:
            # As bytes: line ends are what they are.
            partial.write_bytes(to_string(result, form).encode())
        partial.replace(path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        reason = error.strerror or str(error)
        raise ContinuaError("CANNOT_WRITE", f"cannot write {path}: {reason}", span) from None


def _check_names(result: Result, form: Form, span: Span | None = None) -> None:
    """JSON and Parquet find values by name: of two columns of one name, one would be lost."""
    names = result.columns
    twice = next((name for name in names if names.count(name) > 1), None)
    if form.format in ("json", "parquet") and twice is not None:
        message = f"two columns are named {twice}"
        raise ContinuaError("CANNOT_WRITE", message, span, hint="name one of them with AS")
