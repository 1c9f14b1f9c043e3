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

from continua import Session
from continua.logical.node import Node
from continua.physical.builder import Builder
from continua.physical.operator import Form, Operator
from continua.physical.plan import physical_plan
from continua.physical.printing.spark_sql import spark_sql
from continua.physical.relation import View
from continua.physical.scan import Scan, source_columns
from continua.physical.slab import Slab

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


def reading(plan: Node) -> dict[str, bool]:
    """The streams that a plan reads on Spark, and whether it reads the positions of their rows."""
    read: dict[str, bool] = {}

    def visit(operator: Operator) -> None:
        if isinstance(operator, Scan):
            relation = operator.node.relation
            view = View("source", relation.name, source_columns(relation))
            found, _ = operator.advance(Builder(), Slab(), (view,), {})
            assert ("phi" in spark_sql(found)) == operator.identified
            read[relation.name] = read.get(relation.name, False) or operator.identified
        for below in operator.inputs:
            visit(below)

    visit(physical_plan(plan, Form.PIECES))
    return read


@pytest.mark.parametrize(
    ("query", "positions"),
    [
        ("SELECT a FROM s WHERE b > 0", ""),
        ("SELECT s.a FROM s [RANGE 3] JOIN u [UNBOUNDED] ON s.a = u.a", ""),
        ("SELECT a FROM s UNION ALL SELECT a FROM u", ""),
        ("SELECT a, COUNT(*) AS n FROM s [RANGE 3 SLIDE 2] GROUP BY a", ""),
        ("SELECT a FROM s [B] EXCEPT ALL SELECT a FROM u [RANGE 2]", ""),
        ("SELECT a FROM s [RANGE 3] ORDER BY a LIMIT 2", ""),
        ("SELECT a, COUNT(*) AS n FROM TUMBLE(s, 3) GROUP BY a", ""),
        ("ISTREAM DIF (SELECT a FROM s [RANGE 3])", ""),
        ("RSTREAM (SELECT a FROM s [RANGE 3]) EVERY 2", ""),
        ("SELECT * FROM (SELECT DISTINCT a FROM s) [ROWS 2]", ""),
        ("SELECT a FROM s [ROWS 2]", "s"),
        ("SELECT a FROM s WINDOW(FROM 0 TO j ROWS EVERY 1 ROW)", "s"),
        ("ISTREAM (SELECT a FROM s [RANGE 3])", "s"),
        ("SELECT s.a FROM s [ROWS 2] JOIN u [RANGE 3] ON s.a = u.a", "s"),
        ("SELECT * FROM (SELECT s.a FROM s JOIN u ON s.a = u.a) [ROWS 2]", "s u"),
        ("SELECT * FROM (SELECT a FROM s UNION ALL SELECT a FROM u) [ROWS 2]", "s u"),
        ("SELECT * FROM (SELECT a FROM s WHERE a IN (SELECT a FROM u)) [ROWS 2]", "s"),
        ("SELECT * FROM (SELECT a FROM s UNION SELECT a FROM u) [ROWS 2]", ""),
    ],
)
def test_positions_are_read_where_a_plan_needs_them_and_only_there(
    query: str, positions: str
) -> None:
    session = Session(engine="reference")
    session.sql("CREATE STREAM s (a INT, b INT, t INT) ORDERED BY t")
    session.sql("CREATE STREAM u (a INT, b INT, t INT) ORDERED BY t")
    read = reading(session.sql(query).plan)
    assert {name for name, positioned in read.items() if positioned} == set(positions.split())
