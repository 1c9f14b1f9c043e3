"""DuckDB: what a database needs that sees everything at once."""

from __future__ import annotations

from pathlib import Path

import duckdb
from systems import STREAMS, kinds


class DuckDB:
    def run(self, query: str, data: Path, format_: str, output: Path | None) -> None:
        with duckdb.connect() as connection:
            connection.execute("SET TimeZone = 'UTC'")
            declare(connection, data, format_)
            if output is None:
                for _ in connection.sql(query).to_arrow_reader():
                    pass
            else:
                output.mkdir()
                connection.execute(f"COPY ({query}) TO '{output}/all.parquet'")


def declare(connection: duckdb.DuckDBPyConnection, data: Path, format_: str) -> None:
    for kind in kinds(data):
        if format_ == "csv":
            columns = dict(c.split(" ") for c in f"{STREAMS[kind]}, at TIMESTAMP".split(", "))
            source = f"read_csv('{data}/{kind}/*.csv', header = false, columns = {columns})"
        else:
            source = f"read_parquet('{data}/{kind}/*.parquet')"
        connection.execute(f"CREATE VIEW {kind} AS SELECT * FROM {source}")
