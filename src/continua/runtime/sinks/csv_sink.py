"""`USING csv`: a row on each line, its values between delimiters."""

from __future__ import annotations

from collections.abc import Sequence

from continua.model.element import Values
from continua.model.types import Type
from continua.runtime.formats.csv_lines import csv_header, csv_line, csv_sql
from continua.runtime.formats.form import DELIMITER, HEADER
from continua.runtime.sinks.file_sink import PATH
from continua.runtime.sinks.text_sink import TextSink


class CsvSink(TextSink):
    OPTIONS = (PATH, DELIMITER, HEADER)
    SUFFIX = "csv"

    def header(self, names: Sequence[str]) -> str | None:
        return csv_header(names, self._delimiter) if self.options["header"] else None

    def line(self, row: Values, names: Sequence[str], types: Sequence[Type]) -> str:
        return csv_line(row, types, self._delimiter)

    def line_sql(self, texts: Sequence[str], names: Sequence[str], types: Sequence[Type]) -> str:
        return csv_sql(texts, types, self._delimiter)

    @property
    def _delimiter(self) -> str:
        return str(self.options["delimiter"])
