"""A stream is handed on element by element: a stateless query gives the rows it was given, no fewer."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from compared import few
from flow import Flow
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from continua import Session
from continua.runtime.query import Query

pytestmark = pytest.mark.spark

Row = tuple[int, int | None, int]
"""a, b, t: few values and neighbouring times, so that equal rows are often next to each other."""

rows = st.lists(
    st.tuples(st.sampled_from([7, 8, -1]), st.sampled_from([1, None]), st.integers(0, 5)),
    min_size=1,
    max_size=9,
)

QUERIES: dict[str, Callable[[Row], list[tuple[object, ...]]]] = {
    "SELECT a FROM s WHERE a > 0": lambda r: [(r[0], r[2])] if r[0] > 0 else [],
    "SELECT a * 0 AS z, b FROM s": lambda r: [(0, r[1], r[2])],
    "SELECT a FROM s UNION ALL SELECT a FROM s WHERE b = 1": (
        lambda r: [(r[0], r[2])] * (2 if r[1] == 1 else 1)
    ),
    "SELECT s.a, k.w FROM s JOIN k ON s.b = k.b": (
        lambda r: [(r[0], w, r[2]) for w in (3, 3, 4)] if r[1] == 1 else []
    ),
    "SELECT s.a FROM s LEFT JOIN k ON s.b = k.b AND k.w = 4": lambda r: [(r[0], r[2])],
    "SELECT a FROM s WHERE EXISTS (SELECT 1 FROM k WHERE k.b = s.b)": (
        lambda r: [(r[0], r[2])] if r[1] == 1 else []
    ),
}


def declared(folder: Path) -> list[str]:
    return [
        f"CREATE STREAM s (a INT, b INT, t BIGINT) SOURCE json('{folder}/s') ORDERED BY t SLACK 9",
        "CREATE TABLE k (b INT, w INT) SOURCE rows((1, 3), (1, 3), (1, 4))",
    ]


@settings(few(8), phases=[Phase.explicit, Phase.generate])
@given(
    query=st.sampled_from(sorted(QUERIES)),
    parts=st.lists(rows, min_size=1, max_size=3),
    data=st.data(),
)
def test_a_stateless_query_hands_on_the_rows_it_was_given(
    live: Callable[[], Session],
    tmp_path_factory: pytest.TempPathFactory,
    query: str,
    parts: list[list[Row]],
    data: Any,
) -> None:
    folder = tmp_path_factory.mktemp("elements")
    flow = Flow(folder, live, declared(folder), query, "INSERTS")
    for number, part in enumerate(parts):
        flow.drop("s", str(number), [dict(zip("abt", row, strict=True)) for row in part])
        flow.step()
        if data.draw(st.booleans()):
            flow.restart()
    running = flow.step()
    running.finish()
    running.stop()
    expected = Counter(out for part in parts for row in part for out in QUERIES[query](row))
    assert Counter(row for slab in flow.slabs.values() for row in slab) == expected
    # Over history, by either engine, sinks get the same.
    for session in (Session(engine="reference"), live()):
        for statement in flow.statements:
            session.sql(statement)
        asked: Query = session.sql(query)
        assert Counter(asked.delivered("INSERTS").rows) == expected
        ends = Counter((*row[:-1], row[-1] - 1) for row in asked.delivered("INTERVALS").rows)
        assert ends == Counter((*row[:-1], row[-1], row[-1]) for row in expected.elements())
    shutil.rmtree(folder)


def test_a_sink_gets_the_elements_of_a_stream_unless_it_says_otherwise(
    live: Callable[[], Session], tmp_path: Path
) -> None:
    given = [(7, 1), (7, 2), (7, 2), (8, 3), (8, 4), (8, 5)]
    (tmp_path / "s").mkdir()
    lines = (f'{{"a": {a}, "t": {t}}}\n' for a, t in given)
    (tmp_path / "s" / "1.json").write_text("".join(lines))
    session = live()
    session.sql(f"""
        CREATE STREAM s (a INT, t BIGINT) SOURCE json('{tmp_path}/s') ORDERED BY t;
        CREATE SINK k USING json OPTIONS (path '{tmp_path}/k');
        CREATE SINK pairs USING json OPTIONS (path '{tmp_path}/pairs') AS INTERVALS;
        INSERT INTO k SELECT a FROM s WHERE a > 0;
        INSERT INTO pairs SELECT a FROM s WHERE a > 0;
    """)
    running = session.start(tmp_path / "checkpoint", once=True)
    running.wait()
    running.finish()
    running.stop()

    def found(name: str) -> list[tuple[object, ...]]:
        texts = [path.read_text() for path in (tmp_path / name).glob("*.json")]
        return sorted(
            tuple(json.loads(line).values()) for text in texts for line in text.splitlines()
        )

    assert found("k") == given
    assert found("pairs") == [(a, t, t + 1) for a, t in given]


def test_elements_are_neither_grouped_nor_sorted(live: Callable[[], Session]) -> None:
    session = live()
    session.sql("CREATE STREAM s (a INT, t BIGINT) SOURCE rows((7, 1), (7, 2)) ORDERED BY t")
    query: Query = session.sql("SELECT a FROM s WHERE a > 0 UNION ALL SELECT a + 1 FROM s")
    plan = query.to_spark(canonical=False)._jdf.queryExecution().executedPlan().toString()
    assert "Exchange" not in plan
    assert "Sort" not in plan
