"""Joins AS OF where times have several batches: random rows in random slabs, computed by DuckDB."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from both_engines import compare_operators
from grid import long_case
from on_duckdb import DuckDB
from queries import Both

from continua import Session
from continua.physical.operator import Form

VIEWS = [
    "CREATE STREAM rt AS SELECT a, b, ts FROM r",
    "CREATE STREAM qt AS SELECT a, b, ts FROM q",
    "SPREAD rt, qt {} INTO x, y",
]

QUERIES = [
    "SELECT x.a, x.b, y.b AS c FROM x ASOF JOIN y MATCH_CONDITION (x.ts >= y.ts) ON x.a = y.a",
    "SELECT x.a, x.b, y.b AS c FROM y ASOF LEFT JOIN x MATCH_CONDITION (x.ts <= y.ts) ON x.a = y.a",
    "SELECT x.a, x.b, y.b AS c FROM x ASOF LEFT JOIN y MATCH_CONDITION (x.ts > y.ts) USING (a)",
    "SELECT x.a, z.b AS c FROM x LEFT JOIN (SELECT a, b FROM y [ROWS 2]) z "
    "FOR SYSTEM_TIME AS OF x.ts ON x.a = z.a",
    "SELECT x.a, z.s FROM x JOIN l AS z FOR SYSTEM_TIME AS OF x.ts ON x.a = z.a",
]


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("on", ["", "ON b"])
def test_every_element_meets_what_is_valid_in_its_own_batch(query: str, on: str) -> None:
    machine = DuckDB()
    for seed in range(3):
        case = long_case(Random(seed), "filter", "none", "none")
        case = replace(case, views=[view.format(on) for view in VIEWS], query=Both(query, ""))
        for form in Form:
            compare_operators(machine, case, (10, 11, 40), form)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        # In the batches 1, 2 of the keys, whatever the order in which rows of one batch come.
        (
            "SELECT n, w FROM sk ASOF LEFT JOIN qk MATCH_CONDITION (sk.t >= qk.t) ON sk.k = qk.k",
            [(10, 200, 1), (12, 200, 1), (11, 300, 1), (13, 400, 2)],
        ),
        # Of one time those of s come first, each in a batch of its own.
        (
            "SELECT n, w FROM sb ASOF LEFT JOIN qb MATCH_CONDITION (sb.t >= qb.t)",
            [(10, None, 1), (11, None, 1), (12, None, 1), (13, 300, 2)],
        ),
        (
            "SELECT n, w FROM qb ASOF LEFT JOIN sb MATCH_CONDITION (qb.t >= sb.t)",
            [(12, 100, 1), (12, 200, 1), (12, 300, 1), (13, 400, 2)],
        ),
        (
            "SELECT n, w FROM qb ASOF LEFT JOIN sb MATCH_CONDITION (qb.t > sb.t)",
            [(None, 100, 1), (None, 200, 1), (None, 300, 1), (12, 400, 2)],
        ),
    ],
)
def test_by_hand(query: str, expected: list[tuple[object, ...]]) -> None:
    session = Session(engine="reference")
    session.sql("""
        CREATE STREAM s (k INT, n INT, t INT)
        SOURCE rows((1, 10, 1), (2, 11, 1), (1, 12, 1), (1, 13, 2)) ORDERED BY t;
        CREATE STREAM q (k INT, w INT, t INT)
        SOURCE rows((1, 100, 1), (1, 200, 1), (2, 300, 1), (1, 400, 2)) ORDERED BY t;
        CREATE STREAM s1 AS SELECT k, n, t FROM s;
        CREATE STREAM q1 AS SELECT k, w, t FROM q;
        SPREAD s1, q1 ON k INTO sk, qk;
        SPREAD s1, q1 INTO sb, qb""")
    found = [row[:3] for row in session.query(query).history()]
    assert sorted(found, key=repr) == sorted(expected, key=repr)
