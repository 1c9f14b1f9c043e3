"""FROM α TO β EVERY r, with bounds and steps in time or in rows, against its meaning, on DuckDB."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from random import Random

import pytest
from both_engines import compare_operators
from grid import SPREADS, long_case
from on_duckdb import DuckDB
from queries import Both

from continua import ContinuaError, Session
from continua.physical.operator import Form

ROWS, TIME = "ROWS", "TIME"

# By unit: a bound that moves with j, and one that stays. Times begin at -60.
LOWER = {ROWS: ("j-1", "2"), TIME: ("2*j-45", "-42")}
UPPER = {ROWS: ("j+3", "9"), TIME: ("2*j-40", "20")}
EVERY = {ROWS: 2, TIME: 3}

SEQUENCES = [
    f"FROM {lower} {α} TO {upper} {β} EVERY {EVERY[r]} {r}"
    for α, β, r in product((ROWS, TIME), repeat=3)
    for lower, upper in product(LOWER[α], UPPER[β])
    # In one unit, a beginning that moves comes after an end that stays at some time.
    if not (α == β and "j" in lower and "j" not in upper)
]
"""Bounds and steps in either unit, in all combinations, with bounds that move and that stay."""


@pytest.fixture(scope="module")
def machine() -> DuckDB:
    return DuckDB()


def test_all_combinations_are_there() -> None:
    assert len(SEQUENCES) == 8 * 4 - 4


@pytest.mark.parametrize("batched", [False, True])
@pytest.mark.parametrize("sequence", SEQUENCES)
def test_every_mixture_of_time_and_rows(machine: DuckDB, sequence: str, batched: bool) -> None:
    random = Random(f"{sequence} {batched}")
    for _ in range(2):
        stream = "r_b" if batched else "r"
        query = Both(f"SELECT a, b FROM {stream} WINDOW({sequence})", "")
        views = [random.choice(SPREADS)] if batched else []
        case = replace(long_case(random, "map", "none", "none"), query=query, views=views)
        cut = random.randrange(-50, 60)
        compare_operators(machine, case, (cut, cut + 1, cut + 20), random.choice(list(Form)))


@pytest.mark.parametrize("r", [ROWS, TIME])
@pytest.mark.parametrize("unit", [ROWS, TIME])
@pytest.mark.parametrize(
    ("bounds", "message"),
    [
        ("FROM j {0} TO 5 {0}", "beginning comes after its end"),
        ("FROM 6 {0} TO 5 {0}", "beginning comes after its end"),
        ("FROM 5 - j {0} TO 5 {0}", "backwards"),
    ],
)
def test_what_is_refused(bounds: str, message: str, unit: str, r: str) -> None:
    session = Session(engine="reference")
    session.sql("CREATE STREAM s (a INT, t INT) ORDERED BY t")
    with pytest.raises(ContinuaError, match=message) as refused:
        session.sql(f"SELECT a FROM s WINDOW({bounds.format(unit)} EVERY 1 {r})")
    assert refused.value.code == "WRONG_WINDOW"
