"""FROM α TO β EVERY r with bounds and steps in time or in rows, against its meaning, on DuckDB."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from both_engines import compare_operators
from grid import long_case
from on_duckdb import DuckDB
from queries import Both

from continua.physical.operator import Form

SEQUENCES = (
    "FROM j TO j+1 ROWS EVERY 2 ROWS",
    "FROM 2*j TO 3*j+2 EVERY 3",
    "FROM 2*j TO 2*j+40 EVERY 2 ROWS",
    "FROM 0 TO 2*j+20 EVERY 1 ROWS",
    "FROM -10 TO 3*j-2 EVERY 3 ROWS",
    "FROM j TO j+2 ROWS EVERY 7",
    "FROM 0 TO j+1 ROWS EVERY 1",
    "FROM 2*j ROWS TO 3*j+2 EVERY 4",
    "FROM j+1 ROWS TO 2*j+30 EVERY 2 ROWS",
    "FROM -30 TO 2*j+3 ROWS EVERY 2 ROWS",
)


@pytest.fixture(scope="module")
def machine() -> DuckDB:
    return DuckDB()


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_every_mixture_of_time_and_rows(machine: DuckDB, sequence: str) -> None:
    query = Both(f"SELECT a, b FROM r WINDOW({sequence})", "")
    for seed in range(3):
        random = Random(seed)
        case = replace(long_case(random, "map", "none", "none"), query=query)
        cut = random.randrange(-40, 60)
        compare_operators(machine, case, (cut, cut + 1, cut + 20), random.choice(list(Form)))
