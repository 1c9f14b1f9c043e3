"""`USING parquet`: columns with their types, compressed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pyarrow.parquet as parquet
from pyspark.sql import DataFrame

from continua.model.types import STRING
from continua.physical.analyzer import type_of
from continua.runtime.formats.cells import plain_sql
from continua.runtime.option import Option
from continua.runtime.result import Result
from continua.runtime.sinks.file_sink import PATH, FileSink

COMPRESSIONS = ("snappy", "gzip", "zstd", "none")


class ParquetSink(FileSink):
    OPTIONS = (PATH, Option.choice("compression", COMPRESSIONS))
    SUFFIX = "parquet"
    WRITER = "parquet"

    @property
    def compression(self) -> str:
        return str(self.options["compression"])

    def text(self, result: Result) -> str:
        raise self.refused("Parquet goes to a file", "--output FILE.parquet")

    def write(self, result: Result, path: Path) -> None:
        self.check_different(result.columns)
        parquet.write_table(result.to_arrow(), path, compression=self.compression)

    def prepared(self, rows: DataFrame, tag: Sequence[str]) -> DataFrame:
        # By their places: names may be any text.
        placed = rows.toDF(*(f"x{i}" for i in range(len(rows.columns))))
        cells = [
            f"{plain_sql(f'x{i}', type_of(field.dataType) or STRING)} AS x{i}"
            for i, field in enumerate(rows.schema)
        ]
        return placed.selectExpr(*cells).toDF(*rows.columns)
