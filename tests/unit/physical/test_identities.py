"""Identities of tuples, as streamers see them: they have to be the same from slab to slab."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from both_engines import compare_operators
from drawing import examples
from grid import LONG, STREAMERS, long_case
from hypothesis import given
from hypothesis import strategies as st
from on_duckdb import DuckDB
from queries import Both

WINDOWS = ("RANGE", "SLIDE", "own validity", "ROWS", "PARTITION")
"""Windows whose elements end in different ways."""


@pytest.fixture(scope="module")
def machine() -> DuckDB:
    return DuckDB()


@pytest.mark.parametrize(
    "construct",
    [
        *("COUNT", "COUNT(DISTINCT)", "floating SUM and AVG", "MIN and MAX", "MEDIAN"),
        *("aggregate of a join", "aggregate of an aggregate", "join of aggregates"),
        *("scalar", "left join", "full join", "UNION ALL", "EXCEPT ALL", "row window over it"),
    ],
)
@examples(2)
@given(
    seed=st.integers(0, 2**32),
    windows=st.tuples(*[st.sampled_from(WINDOWS)] * 2),
    streamer=st.sampled_from(list(STREAMERS)),
    cut=st.sampled_from(LONG),
)
def test_identities(
    machine: DuckDB, construct: str, seed: int, windows: tuple[str, str], streamer: str, cut: int
) -> None:
    """What identities operators give their tuples is seen by the streamers above them."""
    case = long_case(Random(seed), construct, *windows)
    case = replace(case, query=Both(STREAMERS[streamer].format(case.query.ours), ""))
    compare_operators(machine, case, (cut, cut + 1, cut + 5))
