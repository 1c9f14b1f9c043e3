"""From stored history to live: a run begins with HISTORY and goes on with what comes."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from flow import Flow
from pyspark.sql import SparkSession

from continua import ContinuaError, Session
from continua.model.timeline import Timeline

pytestmark = pytest.mark.spark

Live = Callable[[], Session]
Row = tuple[str, int, int]

ROWS = "SELECT k, v FROM s WINDOW(PARTITION BY k ROWS 2)"
GROUPED = "SELECT k, COUNT(*) AS n, SUM(v) AS total FROM s WINDOW(RANGE 4) GROUP BY k"
# Two at a time, and some out of order by as much as SLACK allows.
WHOLE: list[Row] = [
    *(("a", 1, 1), ("b", 2, 1), ("a", 3, 4), ("b", 4, 3), ("a", 5, 4)),
    *(("b", 6, 6), ("a", 7, 8), ("a", 8, 7), ("b", 9, 9), ("b", 10, 9), ("a", 11, 12)),
]
COLUMNS = "k STRING, v INT, t BIGINT"


def dicts(rows: Iterable[Row]) -> list[dict[str, object]]:
    return [dict(zip("kvt", row, strict=True)) for row in rows]


def archived(path: Path, rows: Iterable[Row]) -> None:
    path.parent.mkdir(exist_ok=True)
    types = pa.schema([("k", pa.string()), ("v", pa.int32()), ("t", pa.int64())])
    pq.write_table(pa.Table.from_pylist(dicts(rows), types), path)


def declared(folder: Path, at: int, options: str = "SLACK 1", archive: str = "parquet") -> str:
    (folder / "new").mkdir(exist_ok=True)
    return (
        f"CREATE STREAM s ({COLUMNS}) SOURCE json('{folder / 'new'}') "
        f"HISTORY {archive}('{folder / 'old'}') BEFORE {at} ORDERED BY t {options}"
    )


def over_the_whole(query: str) -> Timeline:
    session = Session(engine="reference")
    written = ", ".join(map(str, WHOLE))
    session.sql(f"CREATE STREAM s ({COLUMNS}) SOURCE rows({written}) ORDERED BY t")
    found: Timeline = session.query(query).timeline()
    return found


@pytest.mark.parametrize("at", [4, 9])
@pytest.mark.parametrize("query", [ROWS, GROUPED])
def test_a_run_gives_what_the_query_gives_over_the_whole(
    live: Live, tmp_path: Path, query: str, at: int
) -> None:
    flow = Flow(tmp_path, live, [declared(tmp_path, at)], query)
    # The archive goes beyond the seam, and has rows that wait until more has come.
    archived(tmp_path / "old" / "1.parquet", WHOLE[:4])
    archived(tmp_path / "old" / "2.parquet", WHOLE[4:])
    # What came just before the seam has come to both.
    coming = [row for row in WHOLE if row[2] >= at - 3]
    half = len(coming) // 2
    flow.step()
    reached = max(row[2] for row in WHOLE if row[2] < at) - 1
    assert flow.running is not None
    assert flow.running.progress.watermark == reached, "history's end is no end, and no row beyond"
    flow.restart()
    shutil.rmtree(tmp_path / "old")
    flow.drop("new", "1", dicts(coming[:half]))
    flow.step()
    flow.restart()
    flow.drop("new", "2", dicts(coming[half:]))
    assert flow.finish() == over_the_whole(query)


def test_a_query_that_joins_sees_what_comes_from_then_on(live: Live, tmp_path: Path) -> None:
    flow = Flow(tmp_path, live, [declared(tmp_path, 5, "", "json")], GROUPED)
    flow.drop("old", "1", dicts([("a", 1, 1), ("a", 2, 3), ("a", 3, 4)]))
    assert flow.step().progress.watermark == 4
    flow.add("later", "SELECT v FROM s")
    flow.drop("new", "1", dicts([("a", 4, 4), ("a", 5, 5), ("a", 6, 7)]))
    flow.end()
    assert flow.gathered("later") == [(3, 4), (5, 5), (6, 7)]


def test_rows_of_the_history_that_are_bad_are_set_aside(live: Live, tmp_path: Path) -> None:
    statement = declared(tmp_path, 5, "ON ERROR KEEP LATE FAIL", "json")
    flow = Flow(tmp_path, live, [statement], "SELECT v FROM s")
    flow.drop("old", "1", dicts([("a", 1, 1), ("a", 2, 3)]))
    (tmp_path / "old" / "2.json").write_text('{"k": "a", "v": "x", "t": 2}\n')
    flow.drop("new", "1", dicts([("a", 9, 0), ("a", 3, 5), ("a", 4, 6)]))
    running = flow.step()
    assert running.progress.sources["s"].bad == 1
    assert [row.text for row in running.rejected("s").collect()] == ['{"k": "a", "v": "x", "t": 2}']
    # Of what has come, the row of time 0 is history's: it is passed over, and not late.
    assert running.progress.sources["s"].late == 0
    flow.end()
    assert sorted(row.v for rows in flow.slabs.values() for row in rows) == [1, 2, 3, 4]


def test_a_history_that_is_not_there_is_told_of(live: Live, tmp_path: Path) -> None:
    flow = Flow(tmp_path, live, [declared(tmp_path, 5)], "SELECT v FROM s")
    with pytest.raises(ContinuaError, match="old") as raised:
        flow.step()
    assert raised.value.code == "SOURCE_NOT_FOUND"


@pytest.mark.parametrize("at", [1, 5, 13])
def test_over_history_both_sides_are_read(spark: SparkSession, tmp_path: Path, at: int) -> None:
    statement = declared(tmp_path, at)
    archived(tmp_path / "old" / "1.parquet", WHOLE)
    Flow(tmp_path, Session, [], "").drop("new", "1", dicts(WHOLE))
    session = Session(spark=spark)
    session.sql(statement)
    assert session.query(ROWS).timeline() == over_the_whole(ROWS)
