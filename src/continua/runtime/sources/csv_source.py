"""`csv('glob', header => true, delimiter => ',')`: files of comma-separated values in UTF-8."""

from __future__ import annotations

from collections.abc import Iterator

from pyspark.sql import SparkSession

from continua.errors import ContinuaError, counted
from continua.logical.expr.cast import from_text
from continua.model.types import STRING, Type
from continua.runtime.formats.form import DELIMITER, HEADER
from continua.runtime.sources.columns import locate
from continua.runtime.sources.csv_rows import Row, header_of, names_of, rows_of
from continua.runtime.sources.file_source import FileSource
from continua.runtime.sources.files import File
from continua.runtime.sources.record import Place, Problem, Record
from continua.runtime.sources.spark_csv import Form, csv_parts
from continua.runtime.sources.spark_rows import Part


class CsvSource(FileSource):
    OPTIONS = (HEADER, DELIMITER)
    SUFFIXES = (".csv",)

    def records_of(self, file: File) -> Iterator[Record | Problem]:
        with self.text(file) as stream:
            rows = rows_of(stream, self._form.delimiter)
            columns = self.relation.columns
            positions = list(range(len(columns)))
            width, whose = len(positions), "declared"
            if self._form.header:
                header = header_of(rows)
                if header is None:
                    return
                positions = locate(self.relation, self._names(file, header), file.name)
                width, whose = len(header.fields), "in the header"
            texts = [column.type == STRING for column in columns]
            for row in rows:
                if row.blank and width > 1:
                    continue
                place = Place(file.name, row.line, "line")
                problem = row.problem
                if problem is None and len(row.fields) != width:
                    problem = f"{counted(len(row.fields), 'field')} instead of the {width} {whose}"
                if problem is not None:
                    yield Problem(problem, place, row.text)
                else:
                    fields = (row.fields[position] for position in positions)
                    # Only a text can be empty; of other types, nothing in quotes is nothing.
                    values = (
                        f if is_text else f or None
                        for f, is_text in zip(fields, texts, strict=True)
                    )
                    yield Record(tuple(values), place, row.text)

    def _names(self, file: File, header: Row) -> list[str]:
        """The names in a header. Without one no row has a meaning: no policy passes it over."""
        if header.problem is None:
            return names_of(header)
        message = f"{file.name}, line {header.line}: {header.problem}"
        raise ContinuaError("BAD_ROW", message, self.relation.source.span)

    def convert(self, value: object, type_: Type) -> object:
        assert isinstance(value, str), value
        return from_text(value, type_)

    def parts(self, spark: SparkSession, identified: bool) -> list[Part] | None:
        return csv_parts(spark, self.relation, self.files(), self._form, identified)

    @property
    def _form(self) -> Form:
        return Form(self.options["header"], self.options["delimiter"])
