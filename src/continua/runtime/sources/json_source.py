"""`json('glob')`: files with a JSON object on each line."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator
from decimal import Decimal

from pyspark.sql import SparkSession

from continua.logical.expr.cast import accept, from_text
from continua.model.types import Type
from continua.runtime.formats.json_lines import NOT_FINITE
from continua.runtime.sources.compressed import open_bytes
from continua.runtime.sources.file_source import FileSource
from continua.runtime.sources.files import File
from continua.runtime.sources.record import Place, Problem, Record
from continua.runtime.sources.spark_json import json_parts
from continua.runtime.sources.spark_rows import Part


class JsonSource(FileSource):
    SUFFIXES = (".json", ".jsonl", ".ndjson")

    def records_of(self, file: File) -> Iterator[Record | Problem]:
        names = [column.name for column in self.relation.columns]
        # As bytes: a line that is not UTF-8 is a bad row, not the end of the file.
        with open_bytes(self.relation, file.path) as stream:
            for number, line in enumerate(stream, start=1):
                raw = (line.removeprefix(codecs.BOM_UTF8) if number == 1 else line).rstrip()
                if not raw:
                    continue
                place = Place(file.name, number, "line")
                text = raw.decode("utf-8", "backslashreplace")
                try:
                    yield Record(_values(_object(raw), names), place, text)
                except _BadLine as problem:
                    yield Problem(str(problem), place, text)

    def convert(self, value: object, type_: Type) -> object:
        """As it is, but floating numbers that JSON does not have are texts."""
        is_number = type_.floating and isinstance(value, str) and value in NOT_FINITE
        return from_text(str(value), type_) if is_number else accept(value, type_)

    def parts(self, spark: SparkSession, identified: bool) -> list[Part] | None:
        return json_parts(spark, self.relation, self.files(), identified)


class _BadLine(Exception):
    """Why a line is no row."""


def _object(raw: bytes) -> dict[str, object]:
    try:
        # Decimals as they are written: a binary fraction would not be the same number.
        value = json.loads(raw.decode("utf-8"), parse_float=Decimal)
    except UnicodeDecodeError:
        raise _BadLine("not UTF-8 text") from None
    except json.JSONDecodeError as error:
        raise _BadLine(f"not JSON: {error.msg} at character {error.pos + 1}") from None
    except (ValueError, ArithmeticError, RecursionError):
        raise _BadLine("not JSON: a number too large, or too many brackets") from None
    if not isinstance(value, dict):
        raise _BadLine("not a JSON object")
    return value


def _values(found: dict[str, object], names: list[str]) -> tuple[object, ...]:
    """The values of the columns; a key that is not there means NULL."""
    if all(name in found for name in names):
        return tuple(found[name] for name in names)
    keys: dict[str, list[str]] = {}
    for key in found:
        keys.setdefault(key.lower(), []).append(key)
    values: list[object] = []
    for name in names:
        fitting = [name] if name in found else keys.get(name.lower(), [])
        if len(fitting) > 1:
            raise _BadLine(f"column {name} could be any of {', '.join(map(repr, fitting))}")
        values.append(found[fitting[0]] if fitting else None)
    return tuple(values)
