"""Changes that are refused, or that come when something has gone wrong: nothing of them stays."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from flow import Flow

from continua import ContinuaError, Session

pytestmark = pytest.mark.spark

COUNT = "SELECT k, COUNT(*) AS n FROM r WINDOW(RANGE 10) GROUP BY k"
STREAM = "CREATE STREAM {} (k STRING, v INT, t BIGINT) SOURCE json('{}') ORDERED BY t"


def rows(*given: tuple[str, int]) -> list[dict[str, object]]:
    return [{"k": k, "v": t, "t": t} for k, t in given]


@pytest.fixture
def flow(live: Callable[[], Session], tmp_path: Path) -> Flow:
    """A query that runs, and a sink that nobody uses yet."""
    sink = f"CREATE SINK s USING json OPTIONS (path '{tmp_path}/s') AS CHANGES"
    flow = Flow(tmp_path, live, [STREAM.format("r", tmp_path / "r"), sink], COUNT)
    flow.drop("r", "1", rows(("a", 1), ("a", 4)))
    flow.step()
    return flow


def goes_on(flow: Flow, *queries: str) -> None:
    """The queries run on, from the checkpoint too."""
    flow.drop("r", "2", rows(("a", 5), ("a", 6)))
    flow.step()
    flow.restart()
    flow.step()
    assert [row[0] for row in flow.session.sql("SHOW QUERIES")] == sorted(["query", *queries])
    flow.drop("r", "3", rows(("a", 30)))
    flow.finish()
    assert ("a", 4, "+", 6) in [row for slab in flow.slabs.values() for row in slab]


def told(folder: Path) -> str:
    return "".join(path.read_text() for path in sorted(folder.glob("*.json")))


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (
            "INSERT INTO s SELECT v FROM r WINDOW(RANGE 3);"
            "INSERT INTO s ISTREAM (SELECT v FROM r WINDOW(RANGE 3))",
            "WRONG_ARGUMENTS",
        ),
        (
            "CREATE SINK e USING json OPTIONS (path '/tmp/e') AS INSERTS;"
            "INSERT INTO e RSTREAM (SELECT v FROM r [UNBOUNDED])",
            "UNBOUNDED_STATE",
        ),
        ("SET unbounded_state = 'allow'; INSERT INTO nothing SELECT v FROM r", "UNKNOWN_STREAM"),
        (
            f"CREATE OR REPLACE {STREAM.format('r', '/tmp').removeprefix('CREATE ')} SLACK 5;"
            "INSERT INTO s SELECT v FROM r WINDOW(RANGE 2)",
            "IN_USE",
        ),
        (
            "INSERT INTO s SELECT 1 AS one; DROP QUERY query;"
            "CREATE OR REPLACE STREAM r (k STRING, v INT) SOURCE json('/tmp');"
            "INSERT INTO s SELECT v FROM r WINDOW(RANGE 2 SECONDS)",
            "IN_USE",
        ),
        (
            "CREATE STREAM q (reason STRING, t BIGINT) SOURCE rows() ORDERED BY t LATE KEEP;"
            "INSERT INTO s SELECT reason FROM q WINDOW(RANGE 2)",
            "DUPLICATE_NAME",
        ),
        ("INSERT INTO s SELECT 1 AS one; DROP QUERY query", "WRONG_ARGUMENTS"),
        (
            "SET default_window = 'unbounded'; INSERT INTO s SELECT DISTINCT v FROM r",
            "UNBOUNDED_STATE",
        ),
    ],
)
def test_nothing_of_a_refused_change_stays(flow: Flow, text: str, code: str) -> None:
    with pytest.raises(ContinuaError) as caught:
        flow.session.tell(text)
    assert caught.value.code == code
    assert [tuple(row) for row in flow.session.sql("SHOW SETTINGS")] == [
        ("default_window", "now"),
        ("unbounded_state", "refuse"),
    ]
    goes_on(flow)


def test_a_table_with_more_rows_is_another(flow: Flow) -> None:
    flow.declare(
        "CREATE TABLE names (k STRING, name STRING, s BIGINT, e BIGINT) "
        "SOURCE rows(('a', 'Ada', 6, 9)) VALID FROM s TO e"
    )
    flow.add("named", "SELECT name FROM names")
    with pytest.raises(ContinuaError, match="names is not what it was for other queries"):
        flow.session.tell(
            "INSERT INTO names VALUES ('b', 'Bea', 6, 9); INSERT INTO s SELECT k FROM names"
        )
    goes_on(flow, "named")
    assert flow.gathered("named") == [("Ada", "+", 6), ("Ada", "-", 9)]


def test_a_query_that_takes_the_name_of_another_is_new(flow: Flow, tmp_path: Path) -> None:
    flow.session.tell("INSERT INTO s SELECT COUNT(*) AS n FROM r WINDOW(RANGE 100)")
    flow.drop("r", "1b", rows(("a", 4), ("a", 5)))
    flow.step()
    flow.session.tell(
        "CREATE TABLE names (k STRING, name STRING) SOURCE rows(('a', 'Ada'));"
        "DROP QUERY s; INSERT INTO s SELECT name, v FROM r WINDOW(RANGE 1) JOIN names USING (k)"
    )
    assert '"n": 2' in told(tmp_path / "s")
    flow.drop("r", "2", rows(("a", 6)))
    flow.step()
    flow.restart()
    flow.step()
    flow.finish()
    assert '{"name": "Ada", "v": 5, "change": "+", "at": 5}' in told(tmp_path / "s")


def test_a_stream_that_has_left_is_read_again_when_it_is_wanted(flow: Flow, tmp_path: Path) -> None:
    """With what happens from then on. What has happened before it was wanted is not late."""
    flow.declare(STREAM.format("q", tmp_path / "q") + " LATE FAIL")
    flow.drop("q", "1", rows(("x", 2), ("x", 8), ("x", 50)))
    flow.add("other", "SELECT v FROM q")
    flow.step()
    flow.session.sql("DROP QUERY other")
    flow.drop("q", "2", rows(("x", 9), ("x", 51)))
    flow.step()
    flow.add("again", "SELECT v FROM q")
    flow.drop("r", "2", rows(("a", 30)))
    flow.step()
    assert flow.gathered("again") == [(8, 8), (9, 9)]
    flow.drop("q", "3", rows(("x", 10)))
    with pytest.raises(ContinuaError, match="1 row of q came later"):
        flow.step()
    flow.restart()


def test_changes_are_carried_out_when_a_run_has_failed(
    live: Callable[[], Session], tmp_path: Path
) -> None:
    statement = STREAM.format("r", tmp_path / "r") + " LATE FAIL"
    flow = Flow(tmp_path, live, [statement], COUNT)
    flow.drop("r", "1", rows(("a", 1), ("a", 4)))
    flow.step()
    flow.add("gone", "SELECT v FROM r")
    flow.drop("r", "2", rows(("a", 2)))
    with pytest.raises(ContinuaError, match="came later than its SLACK allows"):
        flow.step()
    flow.session.sql("DROP QUERY gone")
    assert flow.running is not None
    assert "gone" not in flow.running.explain()
    with pytest.raises(ContinuaError, match="came later than its SLACK allows"):
        flow.step()
    flow.running.stop()
    flow.running.stop()
