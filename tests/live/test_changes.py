"""Queries that join and leave a graph that runs."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from flow import Flow
from pyspark.sql import DataFrame

from continua import ContinuaError, Session
from continua.runtime.live.outputs import Outputs
from continua.runtime.live.query_graph import Unit
from continua.runtime.live.segments import Stored

pytestmark = pytest.mark.spark

Live = Callable[[], Session]
COUNT = "SELECT k, COUNT(*) AS n FROM r WINDOW(RANGE 10) GROUP BY k"


def rows(*given: tuple[str, int]) -> list[dict[str, object]]:
    return [{"k": k, "v": t, "t": t} for k, t in given]


@pytest.fixture
def flow(live: Live, tmp_path: Path) -> Flow:
    statement = (
        f"CREATE STREAM r (k STRING, v INT, t BIGINT) SOURCE json('{tmp_path}/r') ORDERED BY t"
    )
    return Flow(tmp_path, live, [statement], COUNT)


def test_a_query_that_joins_sees_what_comes_from_then_on(flow: Flow) -> None:
    flow.drop("r", "1", rows(("a", 1), ("a", 2), ("a", 4)))
    flow.step()
    flow.add("later", COUNT)
    flow.drop("r", "2", rows(("a", 5), ("b", 6), ("a", 30)))
    flow.finish()
    assert flow.gathered("later")[:4] == [
        ("a", 1, "+", 4),
        ("a", 1, "-", 5),
        ("a", 2, "+", 5),
        ("b", 1, "+", 6),
    ]
    first = [row for slab in flow.slabs.values() for row in slab]
    assert ("a", 4, "+", 5) in first, "the other has seen all"


def test_a_table_stands_for_a_query_that_joins(flow: Flow) -> None:
    flow.drop("r", "1", rows(("a", 1), ("a", 4)))
    flow.step()
    flow.declare("CREATE TABLE names (k STRING, name STRING) SOURCE rows(('a', 'Ada'))")
    flow.add("named", "SELECT name, v FROM r WINDOW(RANGE 2) JOIN names USING (k)")
    flow.add("all_names", "SELECT name FROM names")
    flow.drop("r", "2", rows(("a", 5), ("a", 30)))
    flow.finish()
    assert flow.gathered("named")[:2] == [("Ada", 4, "+", 4), ("Ada", 5, "+", 5)]
    assert flow.gathered("all_names") == [("Ada", "+", None)], "it has no time of its own"


def test_a_query_that_leaves_takes_what_it_keeps_along(flow: Flow) -> None:
    flow.drop("r", "1", rows(("a", 1), ("a", 4)))
    run = flow.step()
    flow.add("other", "SELECT DISTINCT v FROM r WINDOW(RANGE 100)")
    flow.drop("r", "2", rows(("a", 5), ("a", 6)))
    assert any("distinct" in name for name in flow.step().progress.state)
    flow.session.sql("DROP QUERY other")
    assert not any("distinct" in name for name in run.progress.state)
    seen = flow.gathered("other")
    flow.drop("r", "3", rows(("a", 7), ("a", 8)))
    flow.finish()
    assert flow.gathered("other") == seen


@pytest.mark.parametrize(
    ("source", "last"),
    [("SOURCE json('{}')", ("a", 1)), ("USING json OPTIONS (path '{}')", ("b", 9))],
)
def test_a_query_that_wants_the_last_row_joins(
    live: Live, tmp_path: Path, source: str, last: tuple[str, int]
) -> None:
    """Of rows of one time, that is the last in the file, or the greatest if there are no places."""
    given = source.format(tmp_path / "r")
    statement = f"CREATE STREAM r (k STRING, v INT, t BIGINT) {given} ORDERED BY t"
    flow = Flow(tmp_path, live, [statement], COUNT)
    flow.drop("r", "1", [{"k": k, "v": v, "t": t} for k, v, t in [("a", 1, 2), ("b", 9, 4)]])
    flow.drop("r", "2", [{"k": "a", "v": 1, "t": 4}])
    flow.step()
    flow.add("last", "SELECT k, v FROM r WINDOW(ROWS 1)")
    flow.restart()
    flow.step()
    flow.drop("r", "3", rows(("c", 9)))
    flow.finish()
    assert flow.gathered("last") == [(*last, "+", 4), (*last, "-", 9), ("c", 9, "+", 9)]


def test_a_query_has_joined_when_its_slab_is_committed(
    flow: Flow, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if what the slab has put out cannot be handed on: that is tried again."""
    flow.drop("r", "1", rows(("a", 1), ("a", 4)))
    running = flow.step()
    of_unit, times = Outputs.of_unit, iter([True])

    def fails_once(outputs: Outputs, unit: Unit, stored: Stored) -> DataFrame:
        if next(times, False):
            raise OSError
        return of_unit(outputs, unit, stored)

    monkeypatch.setattr(Outputs, "of_unit", fails_once)
    flow.declare("CREATE TABLE names (name STRING) SOURCE rows(('Ada'))")
    before = running.progress.slab
    flow.add("all_names", "SELECT name FROM names")
    assert running.progress.slab == before + 1
    flow.drop("r", "2", rows(("a", 5), ("a", 30)))
    flow.finish()
    assert next(times, False) is False, "it has failed"
    assert flow.gathered("all_names") == [("Ada", "+", None)]


def test_what_was_told_is_told_again_after_a_restart(flow: Flow, tmp_path: Path) -> None:
    flow.drop("r", "1", rows(("a", 1), ("a", 4)))
    flow.step()
    sink = f"CREATE SINK told USING csv OPTIONS (path '{tmp_path}/told') AS INSERTS"
    flow.session.tell(f"{sink}; INSERT INTO told SELECT v FROM r WINDOW(RANGE 2)")
    with pytest.raises(ContinuaError, match="there is no stream, table or sink named nothing"):
        flow.session.tell("CREATE STREAM x AS SELECT v FROM r; INSERT INTO nothing SELECT v FROM x")
    assert "x" not in flow.session.names()
    assert flow.running is not None
    before = flow.running.progress.slab
    assert len(flow.session.tell("SHOW QUERIES")) == 1
    assert flow.running.progress.slab == before, "to ask changes nothing"
    flow.running.stop()
    flow.session.start(tmp_path / "checkpoint", once=True).stop()
    flow.restart()
    flow.drop("r", "2", rows(("a", 5), ("a", 6)))
    flow.step()
    assert [tuple(row) for row in flow.session.sql("SHOW QUERIES")] == [
        ("query", "changes"),
        ("told", "inserts"),
    ]
    flow.finish()
    found = "".join(path.read_text() for path in sorted((tmp_path / "told").glob("*.csv")))
    assert found.split() == ["v,at", "4,4", "5,5", "v,at", "6,6"]


def test_the_same_can_be_told_again(flow: Flow, tmp_path: Path) -> None:
    flow.drop("r", "1", rows(("a", 1), ("a", 4)))
    flow.step()
    flow.declare(f"CREATE SINK s USING csv OPTIONS (path '{tmp_path}/s') AS INSERTS")
    for text in ("INSERT INTO s SELECT v FROM r", "DROP QUERY s", "INSERT INTO s SELECT v FROM r"):
        flow.session.tell(text)
    flow.restart()
    flow.step()
    assert [row[0] for row in flow.session.sql("SHOW QUERIES")] == ["query", "s"]
    flow.finish()


def test_two_queries_of_one_sink(flow: Flow, tmp_path: Path) -> None:
    sink = f"CREATE SINK s USING json OPTIONS (path '{tmp_path}/s') AS INSERTS"
    both = ("SELECT v FROM r WHERE v < 3", "SELECT v FROM r WHERE v > 3")
    flow.statements += [sink, *(f"INSERT INTO s {query}" for query in both)]
    flow.drop("r", "1", rows(("a", 1), ("a", 2), ("a", 4), ("a", 9)))
    flow.finish()
    found = "".join(path.read_text() for path in (tmp_path / "s").glob("*.json"))
    assert sorted(found.splitlines()) == [f'{{"v": {v}, "at": {v}}}' for v in (1, 2, 4, 9)]


def test_a_new_stream_joins(flow: Flow, tmp_path: Path) -> None:
    flow.drop("r", "1", rows(("a", 1), ("a", 4)))
    flow.step()
    flow.declare(
        f"CREATE STREAM q (k STRING, v INT, t BIGINT) SOURCE json('{tmp_path}/q') ORDERED BY t"
    )
    flow.drop("q", "1", rows(("x", 2), ("a", 5)))
    flow.add("both", "SELECT r.v FROM r WINDOW(RANGE 3) JOIN q WINDOW(RANGE 3) ON r.k = q.k")
    flow.drop("r", "2", rows(("a", 6), ("a", 9)))
    flow.step()
    flow.restart()
    flow.drop("q", "2", rows(("a", 20)))
    flow.step()
    flow.finish()
    assert flow.gathered("both")[:4] == [(4, "+", 5), (6, "+", 6), (4, "-", 7), (6, "-", 8)]


def test_operators_are_shared_and_it_shows(flow: Flow) -> None:
    flow.drop("r", "1", rows(("a", 1)))
    run = flow.step()
    alone = run.explain()
    flow.add("twin", COUNT)
    assert run.explain().count("window range 10") == 2, "equal windows, other origins"
    assert "as above" not in alone
    flow.restart()
    shutil.rmtree(flow.folder / "checkpoint")
    flow.step()
    assert flow.running is not None
    assert "[1] as above" in flow.running.explain()
    flow.restart()
