"""Whether all systems put out the same: as multisets of rows, over few events."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

import duckdb
from data import place
from duckdb_system import declare
from queries import Cannot, Query
from workers import Failed, Worker


@dataclass(frozen=True)
class Checked:
    """How many rows were compared with those of DuckDB, and how many are in one result only."""

    query: str
    system: str
    rows: int
    differ: int
    error: str | None = None

    @property
    def holds(self) -> bool:
        return self.differ == 0 and self.error is None

    def __str__(self) -> str:
        found = self.error or ("equal" if self.holds else f"{self.differ} ROWS DIFFER")
        return f"{self.query:20} {self.system:18} {self.rows:9} rows   {found}"


def check(query: Query, workers: dict[str, Worker], folder: Path) -> list[Checked]:
    """Runs a query by all systems that can."""
    output = folder / "out"
    found = []
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        declare(connection, folder / query.data / "parquet", "parquet")
        # DuckDB comes first: the others are compared with it.
        for system in sorted(workers, key=lambda name: name != "duckdb"):
            text = query.text(system)
            if isinstance(text, Cannot):
                continue
            format_ = "csv" if system == "flink" else "parquet"
            try:
                data = place(folder, query.data, format_, system)
                workers[system].run(text, data, format_, output)
                found.append(_compared(connection, query, system, output))
            except (Failed, duckdb.Error) as error:
                found.append(Checked(query.name, system, 0, 0, str(error)[:2000]))
            finally:
                shutil.rmtree(output, ignore_errors=True)
    return found


def _compared(
    connection: duckdb.DuckDBPyConnection, query: Query, system: str, output: Path
) -> Checked:
    if system == "duckdb":
        connection.execute(f"CREATE TABLE expected AS FROM '{output}/*.parquet'")
        (rows,) = _one(connection, "SELECT COUNT(*) FROM expected")
        return Checked(query.name, system, rows, 0)
    connection.execute("CREATE OR REPLACE TABLE found AS FROM expected LIMIT 0")
    if any(path.is_file() for path in output.rglob("*")):
        connection.execute(f"CREATE OR REPLACE VIEW result AS {_read(connection, system, output)}")
        brought = query.at_times if system.startswith("continua") else "FROM result"
        connection.execute(f"INSERT INTO found {brought}")
    where = _final(query) if system == "spark" else "true"
    a, b = (f"(FROM {name} WHERE {where})" for name in ("found", "expected"))
    one_way, other = (f"(FROM {x} EXCEPT ALL FROM {y})" for x, y in ((a, b), (b, a)))
    (differ,) = _one(connection, f"SELECT COUNT(*) FROM ({one_way} UNION ALL {other})")
    (rows,) = _one(connection, f"SELECT COUNT(*) FROM {a}")
    return Checked(query.name, system, rows, differ)


def _read(connection: duckdb.DuckDBPyConnection, system: str, output: Path) -> str:
    if system != "flink":
        return f"SELECT * FROM '{output}/*.parquet'"
    described = connection.execute("DESCRIBE expected").fetchall()
    columns = {name: type_ for name, type_, *_ in described}
    return f"SELECT * FROM read_csv('{output}/**', header = false, columns = {columns})"


def _final(query: Query) -> str:
    """Spark puts out what its watermark has passed, which stays where the streams end."""
    if query.due is None:
        return "true"
    ends = ", ".join(f"(SELECT MAX({kind}.at) FROM {kind})" for kind in query.streams)
    return f"{query.due} < LEAST({ends}) - INTERVAL 1 SECOND"


def _one(connection: duckdb.DuckDBPyConnection, sql: str) -> tuple[int, ...]:
    row = connection.execute(sql).fetchone()
    assert row is not None
    return row
