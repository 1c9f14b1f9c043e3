"""What a worker does: a query for every line that it is given, by the system that the line names.

It stays from query to query, so Java stays warm; with every answer comes what the query has cost.
"""

from __future__ import annotations

import json
import os
import sys
import time
from functools import cache
from pathlib import Path

from harness import cpu_seconds
from systems import System


@cache
def system(name: str) -> System:
    """Imported only if it is asked for: the environments have different packages."""
    match name:
        case "continua history":
            from continua_system import History

            return History()
        case "continua live":
            from continua_system import Live

            return Live()
        case "flink":
            from flink_system import Flink

            return Flink()
        case "spark":
            from spark_system import Spark

            return Spark()
        case "duckdb":
            from duckdb_system import DuckDB

            return DuckDB()
        case _:
            raise ValueError(f"no system {name}")


def main() -> None:
    # Answers go out by a copy of the output; what systems print does not come between.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        asked = json.loads(line)
        works = system(asked["system"])
        output = asked["output"] and Path(asked["output"])
        error, before, cpu = None, time.perf_counter(), cpu_seconds()
        try:
            works.run(asked["query"], Path(asked["data"]), asked["format"], output)
        except Exception as problem:
            error = f"{type(problem).__name__}: {problem}"
        answer = {
            "cpu": cpu_seconds() - cpu,
            "wall": time.perf_counter() - before,
            "error": error,
        }
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
