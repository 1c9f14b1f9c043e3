"""Queries of one shape run as one, and nobody can tell by what they deliver."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from compared import check_same
from flow import Flow

from continua import Session
from continua.runtime.live.continuous import Continuous, registered
from continua.runtime.live.manifest import BEFORE
from continua.runtime.live.query_graph import QueryGraph

pytestmark = pytest.mark.spark

QUERY = """
SELECT k, SUM(v * {c}) AS n_{c} FROM r WINDOW(RANGE 10) WHERE v > {c} GROUP BY k
HAVING COUNT(*) > {c}
"""
CONSTANTS = (0, 1, 2, 3)


@pytest.fixture
def flow(live: Callable[[], Session], tmp_path: Path) -> Flow:
    """The first of the queries is gathered here; the others write into directories."""
    statements = [
        f"CREATE STREAM r (k STRING, v INT, t BIGINT) SOURCE json('{tmp_path}/r') ORDERED BY t"
    ]
    for c in CONSTANTS[1:]:
        sink = f"CREATE SINK `s {c}` USING json OPTIONS (path '{tmp_path}/s{c}') AS CHANGES"
        statements.append(f"{sink}; INSERT INTO `s {c}` {QUERY.format(c=c)}")
    return Flow(tmp_path, live, statements, QUERY.format(c=CONSTANTS[0]))


def rows(since: int, until: int) -> list[dict[str, object]]:
    return [{"k": "ab"[t % 3 % 2], "v": t % 7, "t": t} for t in range(since, until)]


def delivered(folder: Path) -> list[tuple[object, ...]]:
    lines = [line for path in sorted(folder.glob("*.json")) for line in path.open()]
    return sorted(tuple(json.loads(line).values()) for line in lines)


def expected(folder: Path, c: int, until: int | None = None) -> list[tuple[object, ...]]:
    session = Session(engine="reference")
    session.sql(
        f"CREATE STREAM r (k STRING, v INT, t BIGINT) SOURCE json('{folder}/r') ORDERED BY t"
    )
    changes = session.sql(QUERY.format(c=c)).delivered("CHANGES")
    return sorted(row for row in changes if until is None or row[-1] < until)


def test_queries_of_one_shape_run_as_one(flow: Flow, tmp_path: Path) -> None:
    flow.drop("r", "1", rows(0, 12))
    plan = flow.step().explain()
    assert "query s 1 and 3 of its shape" in plan
    assert plan.count("aggregate") == 1
    assert "branch filter (v > :INT)" in plan
    flow.drop("r", "2", rows(12, 20))
    flow.step()
    flow.restart()
    flow.drop("r", "3", rows(20, 30))
    flow.step()
    flow.session.sql("DROP QUERY `s 2`")
    flow.statements.pop(2)
    flow.restart()
    flow.drop("r", "4", rows(30, 50))
    assert "s 1 and 2 of its shape" in flow.step().explain()
    flow.finish()
    found = sorted(row for slab in flow.slabs.values() for row in slab)
    assert found == expected(tmp_path, 0)
    assert delivered(tmp_path / "s1") == expected(tmp_path, 1)
    assert delivered(tmp_path / "s3") == expected(tmp_path, 3)
    assert delivered(tmp_path / "s2") == expected(tmp_path, 2, until=29), "it left there"
    first = next(iter((tmp_path / "s3").glob("*.json")))
    assert list(json.loads(first.open().readline())) == ["k", "n_3", "change", "at"]


def test_queries_that_differ_in_columns_are_two(
    live: Callable[[], Session], tmp_path: Path
) -> None:
    """They print alike: the columns of both sides have the same names."""
    query = "SELECT {}.* FROM r WINDOW(RANGE 5) a JOIN r WINDOW(RANGE 5) b ON a.v + 1 = b.v"
    declared = (
        f"CREATE STREAM r (k STRING, v INT, t BIGINT) SOURCE json('{tmp_path}/r') ORDERED BY t"
    )
    flow = Flow(tmp_path, live, [declared], query.format("a"))
    flow.drop("r", "1", rows(0, 6))
    flow.step()
    flow.add("other", query.format("b"))
    flow.restart()
    flow.drop("r", "2", rows(6, 20))
    session = Session(engine="reference")
    session.sql(declared)
    check_same(flow.finish(), session.sql(query.format("a")).timeline())
    found = [row for row in flow.gathered("other") if row[2] == "+"]
    assert found
    assert all(row[1] == row[3] % 7 for row in found), "a pair begins with its right side"


def test_a_query_that_joins_later_has_an_operator_of_its_own(flow: Flow) -> None:
    flow.drop("r", "1", rows(0, 12))
    flow.step()
    flow.add("later", QUERY.format(c=5))
    flow.drop("r", "2", rows(12, 30))
    plan = flow.step().explain()
    assert "query later since 11" in plan
    assert plan.count("aggregate") == 2


def test_operators_keep_their_names_when_others_leave() -> None:
    session = Session(engine="reference")
    session.sql("CREATE STREAM r (k STRING, v INT, t BIGINT) ORDERED BY t")
    texts = {
        f"{what} {c}": f"SELECT {what}(v) AS x FROM r WINDOW(RANGE 9) WHERE v > {c} GROUP BY k"
        for what in ("SUM", "MAX")
        for c in (1, 2)
    }
    found = [Continuous(name, session.sql(text).plan, "CHANGES") for name, text in texts.items()]
    all_of_them = kept(found)
    assert kept(found[2:]) < all_of_them, "the sums have gone"
    assert kept([*found[2:], *found[:2]]) == all_of_them


def kept(queries: list[Continuous]) -> set[str]:
    """The operators that a graph knows when all had been there together."""
    graph = QueryGraph(queries, registered(queries, BEFORE))
    return {name for part in graph._graphs.values() for name in part.operators}
