"""`USING json`: an object on each line."""

from __future__ import annotations

from collections.abc import Sequence

from continua.model.element import Values
from continua.model.types import Type
from continua.runtime.formats.json_lines import json_line, json_sql
from continua.runtime.result import Result
from continua.runtime.sinks.file_sink import PATH
from continua.runtime.sinks.text_sink import TextSink


class JsonSink(TextSink):
    OPTIONS = (PATH,)
    SUFFIX = "json"

    def text(self, result: Result) -> str:
        self.check_different(result.columns)
        return super().text(result)

    def line(self, row: Values, names: Sequence[str], types: Sequence[Type]) -> str:
        return json_line(row, names, types)

    def line_sql(self, texts: Sequence[str], names: Sequence[str], types: Sequence[Type]) -> str:
        return json_sql(texts, names, types)
