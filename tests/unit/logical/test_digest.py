"""Plans are told apart by what they are: two that print alike may be two, and one may be written twice."""

from __future__ import annotations

import subprocess
import sys

import pytest

from continua import Session
from continua.logical.explain import explain
from continua.logical.expr.nodes import Literal
from continua.logical.merge import shape
from continua.logical.node import Node
from continua.model.digest import digest
from continua.model.types import DOUBLE
from continua.physical.graph import graph_of
from continua.physical.plan import delivering_plan

DECLARED = """
CREATE STREAM s (k INT, v INT, t INT) ORDERED BY t;
CREATE STREAM r (k INT, v INT, t INT) ORDERED BY t
"""


def plan_of(query: str, declared: str = DECLARED) -> Node:
    session = Session(engine="reference")
    session.sql(declared)
    plan: Node = session.sql(query).plan
    return plan


JOIN = "FROM s [RANGE 5] a JOIN r [RANGE 5] b ON a.k = b.k"

ALIKE = [
    (f"SELECT a.* {JOIN}", f"SELECT b.* {JOIN}"),
    (f"SELECT v FROM (SELECT a.* {JOIN}) x", f"SELECT v FROM (SELECT b.* {JOIN}) x"),
    ("SELECT SUM(v) AS x FROM s [RANGE 5]", "SELECT SUM(k) AS x FROM s [RANGE 5]"),
    ("SELECT CAST('1' AS STRING) AS x FROM s", "SELECT '1' || '' AS x FROM s"),
    ("SELECT * FROM (VALUES (1), (2)) AS x(a)", "SELECT * FROM (VALUES (1.0), (2.0)) AS x(a)"),
]


@pytest.mark.parametrize("queries", ALIKE, ids=lambda queries: queries[1])
def test_plans_that_differ_have_digests_and_shapes_that_differ(queries: tuple[str, str]) -> None:
    one, two = map(plan_of, queries)
    assert one.digest != two.digest
    assert shape(one) != shape(two), "what differs are not the constants"
    roots = [delivering_plan(plan, "CHANGES") for plan in (one, two)]
    graph = graph_of(roots)
    assert graph.roots[0] is not graph.roots[1]
    names = [{*graph_of([root]).operators} for root in roots]
    assert names[0] | names[1] == {*graph.operators}, "the same names with others and without"


DECLARATIONS = [
    "CREATE STREAM s (v INT, t BIGINT, e BIGINT) ORDERED BY t",
    "CREATE STREAM s (v INT, t BIGINT, e BIGINT) ORDERED BY t UNTIL e",
    "CREATE STREAM s (v INT, t BIGINT, e BIGINT) ORDERED BY e",
    "CREATE STREAM s (v INT, t BIGINT, e BIGINT) ORDERED BY t GRANULE 5",
    "CREATE STREAM s (v INT, t TIMESTAMP, e BIGINT) ORDERED BY t",
    "CREATE STREAM s (v INT, t BIGINT, e BIGINT) SOURCE rows((1, 1, 1)) ORDERED BY t",
    "CREATE STREAM s (v INT, t BIGINT, e BIGINT) SOURCE rows((1, 2, 1)) ORDERED BY t",
    "CREATE TABLE s (v INT, t BIGINT, e BIGINT)",
    "CREATE TABLE s (v INT, t BIGINT, e BIGINT) VALID FROM t TO e",
]


def test_what_a_declaration_says_of_meaning_counts() -> None:
    found = [plan_of("SELECT v FROM s", declared).digest for declared in DECLARATIONS]
    assert len({*found}) == len(DECLARATIONS)


def test_policies_do_not_count() -> None:
    first = "CREATE STREAM s (v INT, t BIGINT) ORDERED BY t"
    patient = f"{first} SLACK 5 LATE KEEP ON ERROR DROP IDLE AFTER 10 SECONDS"
    assert plan_of("SELECT v FROM s", first).digest == plan_of("SELECT v FROM s", patient).digest


def test_equal_plans_have_equal_digests_however_they_are_written() -> None:
    one = plan_of("SELECT a.k, a.v + 1 AS w FROM s [RANGE 5] a WHERE a.v > 3")
    two = plan_of("select S.k,\n  s.v+1 as w from s window(range 5) as s where (s.v > 3)")
    assert one == two
    assert one.digest == two.digest


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("TUMBLE(s, 5)", "TUMBLE(s, 5, -10)"),
        ("TUMBLE(s, 5, 2)", "TUMBLE(s, 5, -3)"),
        ("HOP(s, 2, 6, 1)", "HOP(s, 2, 6, 7)"),
    ],
)
def test_offsets_that_differ_by_slides_are_one(one: str, other: str) -> None:
    assert plan_of(f"SELECT * FROM {one}").digest == plan_of(f"SELECT * FROM {other}").digest


def test_an_offset_makes_another_window() -> None:
    windows = ("TUMBLE(s, 5)", "TUMBLE(s, 5, 1)", "TUMBLE(s, 5, 2)", "HOP(s, 5, 5, 1)")
    found = [plan_of(f"SELECT * FROM {window}").digest for window in windows]
    assert len({*found}) == 3, "TUMBLE is a HOP whose slide is its size"


def test_a_function_registered_again_is_another() -> None:
    session = Session(engine="reference")
    session.sql(DECLARED)
    plans = []
    for add in (1, 2):
        session.udf("f", lambda v, add=add: v + add, "INT")
        plans.append(session.sql("SELECT f(v) AS x FROM s").plan)
    assert explain(plans[0]) == explain(plans[1])
    assert shape(plans[0]) != shape(plans[1])


def test_zeros_of_either_sign_are_two_constants() -> None:
    assert digest(Literal(DOUBLE, 0.0)) != digest(Literal(DOUBLE, -0.0))


def test_another_process_finds_the_same_digest() -> None:
    """Names of state must outlive a process, and Python hashes texts anew in each."""
    query = f"SELECT a.*, 'x' AS x, 1.50 AS d {JOIN}"
    text = (
        "from continua import Session\n"
        "session = Session(engine='reference')\n"
        f"session.sql('''{DECLARED}''')\n"
        f"print(session.sql('''{query}''').plan.digest)\n"
    )
    run = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == plan_of(query).digest
