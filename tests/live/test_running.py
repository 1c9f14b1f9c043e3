"""What a live run does with time, with late and bad rows, and with its sinks."""

from __future__ import annotations

import bz2
import csv
import gzip
import os
import re
import threading
import time
from collections.abc import Callable, Collection
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from flow import Flow
from pyspark.sql import DataFrame, SparkSession

from continua import ContinuaError, Session
from continua.runtime.live.running import Running
from continua.runtime.live.slab_tables import SlabTables
from continua.runtime.rows import SparkRows
from continua.runtime.sinks.kinds import make_sink

pytestmark = pytest.mark.spark

Live = Callable[[], Session]
COLUMNS = "k STRING, v INT, t BIGINT"
QUERY = "SELECT k, v FROM r WINDOW(RANGE 3)"
STREAM = f"CREATE STREAM r ({COLUMNS}) SOURCE json('{{}}/r') ORDERED BY t"


def rows(*given: tuple[str, int, int]) -> list[dict[str, object]]:
    return [{"k": k, "v": v, "t": t} for k, v, t in given]


@pytest.fixture
def flow(live: Live, tmp_path: Path) -> Callable[..., Flow]:
    def make(options: str = "", query: str = QUERY) -> Flow:
        statement = (
            f"CREATE STREAM r ({COLUMNS}) SOURCE json('{tmp_path}/r') ORDERED BY t {options}"
        )
        return Flow(tmp_path, live, [statement], query)

    return make


def delivered(flow: Flow) -> list[tuple[object, ...]]:
    return [row for slab in sorted(flow.slabs) for row in flow.slabs[slab]]


def test_rows_of_equal_time_wait_for_each_other(flow: Callable[..., Flow]) -> None:
    run = flow(query="SELECT COUNT(*) AS n FROM r WINDOW(RANGE 2)")
    run.drop("r", "1", rows(("a", 1, 4), ("a", 2, 5)))
    run.step()
    assert delivered(run) == [(1, "+", 4)]
    run.drop("r", "2", rows(("a", 3, 5), ("a", 4, 6)))
    run.step()
    assert delivered(run)[1:] == [(1, "-", 5), (3, "+", 5)], "both rows of time 5 at once"
    run.restart()


def test_slack_holds_time_back(flow: Callable[..., Flow]) -> None:
    run = flow("SLACK 3")
    run.drop("r", "1", rows(("a", 1, 4)))
    assert run.step().progress.watermark == 1
    run.drop("r", "2", rows(("b", 2, 2), ("a", 1, 9)))
    progress = run.step().progress
    assert (progress.watermark, progress.sources["r"].late) == (6, 0)
    assert ("b", 2, "+", 2) in delivered(run)
    run.restart()


def test_late_rows_are_counted(flow: Callable[..., Flow]) -> None:
    run = flow("LATE DROP")
    run.drop("r", "1", rows(("a", 1, 9)))
    run.step()
    run.drop("r", "2", rows(("late", 1, 3), ("a", 2, 10)))
    counts = run.step().progress.sources["r"]
    assert (counts.rows, counts.late) == (3, 1)
    assert all(row[0] != "late" for row in delivered(run))
    run.restart()


def test_late_rows_are_kept_with_the_reason_and_their_place(flow: Callable[..., Flow]) -> None:
    run = flow("LATE KEEP")
    run.drop("r", "1", rows(("a", 1, 9)))
    run.step()
    run.drop("r", "2", rows(("a", 2, 10), ("late", 1, 3)))
    (kept,) = run.step().late("r").collect()
    assert (kept.k, kept.v, kept.t) == ("late", 1, 3)
    assert kept.reason == "the time had reached 9"
    assert "/r/2.json" in kept.place
    assert '"row":1' in kept.place
    run.restart()


def test_late_rows_stop_the_run_if_asked_to(flow: Callable[..., Flow]) -> None:
    run = flow("LATE FAIL")
    run.drop("r", "1", rows(("a", 1, 9)))
    running = run.step()
    run.drop("r", "2", rows(("late", 1, 3)))
    with pytest.raises(ContinuaError, match="1 row of r came later than its SLACK allows"):
        run.step()
    assert running.status == "failed"
    run.restart()


@pytest.mark.parametrize("policy", ["DROP", "KEEP"])
def test_bad_rows_are_passed_over_and_counted(flow: Callable[..., Flow], policy: str) -> None:
    run = flow(f"ON ERROR {policy}")
    run.drop("r", "1", [{"k": "a", "v": "many", "t": 1}, *rows(("b", 2, 2), ("b", 3, 9))])
    running = run.step()
    counts = running.progress.sources["r"]
    assert (counts.rows, counts.bad) == (2, 1)
    if policy == "KEEP":
        (bad,) = running.rejected("r").collect()
        assert "'many' is not an INT in column v" in bad.reason
        assert bad.place == "1.json:1"
    run.restart()


def test_a_bad_row_stops_the_run_and_is_named(flow: Callable[..., Flow]) -> None:
    run = flow()
    run.drop("r", "1", [{"k": "a", "v": "many", "t": 1}])
    with pytest.raises(ContinuaError, match="'many' is not an INT"):
        run.step()
    run.restart()


def test_a_heartbeat_moves_time_on(flow: Callable[..., Flow]) -> None:
    run = flow("SLACK 1")
    run.drop("r", "1", rows(("a", 1, 4)))
    running = run.step()
    assert delivered(run) == []
    running.heartbeat("r", 6)
    assert delivered(run) == [("a", 1, "+", 4)]
    running.heartbeat("r", 8)
    assert delivered(run)[1:] == [("a", 1, "-", 7)]
    assert running.progress.watermark == 8
    with pytest.raises(ContinuaError, match="no stream q runs here"):
        running.heartbeat("q", 1)
    with pytest.raises(ContinuaError, match="is no time"):
        running.heartbeat("r", 2**63)
    with pytest.raises(ContinuaError, match="t is a number"):
        running.heartbeat("r", "9")  # type: ignore[arg-type]
    run.restart()


def test_what_has_ended_stays_so(flow: Callable[..., Flow]) -> None:
    run = flow("SLACK 1 IDLE AFTER 1 SECOND")
    run.drop("r", "1", rows(("a", 1, 4)))
    running = run.step()
    running.finish()
    slab, found = running.progress.slab, delivered(run)
    running.heartbeat("r", 100)
    running.finish()
    assert (running.status, running.progress.slab, delivered(run)) == ("ended", slab, found)
    run.drop("r", "2", rows(("a", 1, 9)))
    running = run.step()
    assert running.status == "ended", "also when a row comes after all, which is late"
    assert running.progress.sources["r"].late == 1
    run.restart()


def test_idle_streams_are_looked_at_again_after_a_failure(flow: Callable[..., Flow]) -> None:
    run = flow("SLACK 1 IDLE AFTER 1 SECOND")
    run.drop("r", "1", rows(("a", 1, 4)))
    running = run.step()
    running._driver.failure = OSError("of another thread")
    slab = running.progress.slab
    assert not running._move_on()
    assert running.progress.slab == slab
    running._driver.failure = None
    assert running._move_on()
    assert running.progress.slab == slab + 1
    run.restart()


def test_what_is_committed_is_published_whatever_fails_then(
    flow: Callable[..., Flow], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = flow()
    run.drop("r", "1", rows(("a", 1, 1), ("a", 1, 4)))
    running = run.step()
    free_others, times = SlabTables.free_others, iter([True])

    def fails_once(tables: SlabTables, needed: Collection[int]) -> None:
        if next(times, False):
            raise OSError("no more")
        free_others(tables, needed)

    monkeypatch.setattr(SlabTables, "free_others", fails_once)
    before = delivered(run)
    run.drop("r", "2", rows(("b", 2, 9)))
    with pytest.raises(OSError, match="no more"):
        run.step()
    assert running.status == "failed"
    run.step()
    running.finish()
    expected = Session(engine="reference")
    expected.sql(run.statements[0])
    assert len(delivered(run)) > len(before)
    assert run.result() == expected.sql(QUERY).timeline()
    run.restart()


@pytest.mark.parametrize(
    ("source", "first"),
    [("SOURCE json('{}')", []), ("USING json OPTIONS (path '{}')", [("q", 0, 0)])],
)
def test_an_idle_stream_is_not_waited_for(
    live: Live, tmp_path: Path, source: str, first: list[tuple[str, int, int]]
) -> None:
    given = [f"CREATE STREAM r ({COLUMNS}) {source.format(tmp_path / 'r')} ORDERED BY t"]
    given += [
        f"CREATE STREAM q ({COLUMNS}) {source.format(tmp_path / 'q')} ORDERED BY t "
        "IDLE AFTER 1 SECOND"
    ]
    run = Flow(tmp_path, live, given, f"{QUERY} UNION ALL SELECT k, v FROM q WINDOW(RANGE 3)")
    run.drop("q", "1", rows(*first))
    run.drop("r", "1", rows(("a", 1, 4), ("a", 2, 6)))
    running = run.step()
    running.run()
    wait_for(run, ("a", 1, "+", 4))
    run.drop("r", "2", rows(("a", 3, 9)))
    wait_for(run, ("a", 1, "-", 7))
    assert running.status == "running"
    running.stop()
    assert running.status == "stopped"


def wait_for(run: Flow, row: tuple[object, ...]) -> None:
    end = time.monotonic() + 30
    while row not in delivered(run):
        assert run.running is not None
        run.running.wait(1)
        assert time.monotonic() < end, f"{row} is not delivered"


@pytest.mark.parametrize("policy", ["FAIL", "DROP"])
def test_every_stream_that_spark_reads(live: Live, tmp_path: Path, policy: str) -> None:
    folder = tmp_path / "u"
    folder.mkdir()
    (folder / "1.json").write_text('{"k": "a", "v": "1", "t": 1}\n{"k": "b", "v": "2", "t": 9}\n')
    session = live()
    session.sql(
        f"CREATE STREAM u ({COLUMNS}) USING json OPTIONS (path '{folder}') ORDERED BY t "
        f"ON ERROR {policy}"
    )
    seen: list[tuple[object, ...]] = []
    query = session.sql("SELECT k, v FROM u WINDOW(RANGE 3)")
    session.foreach_slab(query, lambda slab, found: seen.extend(found.collect()), "CHANGES")
    running = session.start(tmp_path / "checkpoint", once=True)
    running.wait()
    assert seen == [("a", 1, "+", 1), ("a", 1, "-", 4)]
    (folder / "2.json").write_text(
        '{"k": "c", "v": "many", "t": 10}\n{"k": "d", "v": "3", "t": 12}\n'
    )
    running.run(once=True)
    if policy == "FAIL":
        with pytest.raises(ContinuaError, match="a row of the json source of u cannot be read"):
            running.wait()
    else:
        running.wait()
        assert seen[2:] == [("b", 2, "+", 9)]
        counts = running.progress.sources["u"]
        assert (counts.rows, counts.bad) == (3, 1)
    running.stop()


def test_every_format_of_a_directory(live: Live, tmp_path: Path) -> None:
    session = live()
    session.sql(f"CREATE STREAM r ({COLUMNS}) SOURCE json('{tmp_path}/r') ORDERED BY t")
    for format_ in ("json", "csv", "parquet"):
        session.sql(f"CREATE SINK {format_}s USING {format_} OPTIONS (path '{tmp_path}/{format_}')")
        session.sql(f"INSERT INTO {format_}s {QUERY}")
    (tmp_path / "r").mkdir()
    (tmp_path / "r" / "1.json").write_text(
        '{"k": "a", "v": 1, "t": 4}\n{"k": null, "v": 2, "t": 9}\n'
    )
    running = session.start(tmp_path / "checkpoint", once=True)
    running.finish()
    assert running.status == "ended"
    running.stop()
    texts = [path.read_text() for path in sorted((tmp_path / "json").glob("*"))]
    assert texts == [
        '{"k": "a", "v": 1, "valid_from": 4, "valid_to": 7}\n',
        '{"k": null, "v": 2, "valid_from": 9, "valid_to": 12}\n',
    ]
    listed = [
        row for path in sorted((tmp_path / "csv").glob("*")) for row in csv.reader(path.open())
    ]
    assert listed[:2] == [["k", "v", "valid_from", "valid_to"], ["a", "1", "4", "7"]]
    stored = [
        row
        for path in sorted((tmp_path / "parquet").glob("*"))
        for row in pq.read_table(path).to_pylist()
    ]
    assert stored[1] == {"k": None, "v": 2, "valid_from": 9, "valid_to": 12}


def test_sinks_may_share_a_directory(live: Live, tmp_path: Path) -> None:
    started(live, tmp_path, "checkpoint").finish()
    found = sorted((path.name, path.read_text()) for path in (tmp_path / "out").glob("*.json"))
    assert [text for _, text in found] == ['{"v": 1, "at": 1}\n'] * 2


def test_what_could_not_be_handed_on_is_tried_again(live: Live, tmp_path: Path) -> None:
    run, broken = Flow(tmp_path, live, [STREAM.format(tmp_path)], QUERY), True
    gather = run._gather

    def refuse(slab: int, rows: DataFrame) -> None:
        if broken:
            raise ValueError("no room")
        gather(slab, rows)

    run._gather = refuse
    run.drop("r", "1", rows(("a", 1, 1), ("b", 2, 5)))
    with pytest.raises(ValueError, match="no room"):
        run.step()
    broken = False
    run.drop("r", "2", rows(("c", 3, 6), ("d", 4, 9)))
    run.step()
    assert [row[0] for row in delivered(run)] == ["a", "a", "b", "c", "b"]
    run.restart()


def test_a_callback_cannot_stop_what_calls_it(live: Live, tmp_path: Path) -> None:
    run = Flow(tmp_path, live, [STREAM.format(tmp_path)], QUERY)
    tries = [lambda: run.running.stop()]
    run._gather = lambda slab, rows: tries and tries.pop()()
    run.drop("r", "1", rows(("a", 1, 1)))
    run.step()
    run.drop("r", "2", rows(("b", 2, 5)))
    with pytest.raises(ContinuaError, match="cannot change or stop what runs"):
        run.step()
    run.restart()


def test_spark_is_halted_while_a_batch_waits_for_its_turn(live: Live, tmp_path: Path) -> None:
    run = Flow(tmp_path, live, [STREAM.format(tmp_path)], QUERY)
    run.drop("r", "1", rows(("a", 1, 1)))
    running = run.step()
    running.run()
    waiting, check = threading.Event(), running._driver._check_current

    def checked(number: int) -> None:
        waiting.set()
        check(number)

    running._driver._check_current = checked
    with running._turn:
        run.drop("r", "2", rows(("b", 2, 5), ("b", 3, 9)))
        assert waiting.wait(60), "a batch has come, and waits"
        running._driver.halt()
    assert delivered(run) == []
    run.step()
    assert [row[0] for row in delivered(run)] == ["a", "a", "b", "b"], "nothing is lost"
    run.restart()


def test_a_stream_that_cannot_be_read_is_refused(live: Live, tmp_path: Path) -> None:
    run = Flow(tmp_path, live, [STREAM.format(tmp_path)], QUERY)
    with pytest.raises(ContinuaError, match="there is no directory"):
        run.step()
    (tmp_path / "r").mkdir()
    running = run.step()
    slab = running.progress.slab
    for source in ("SOURCE json('nowhere')", "USING nonsense"):
        with pytest.raises(ContinuaError) as caught:
            run.session.tell(
                f"CREATE STREAM q (v INT, t BIGINT) {source} ORDERED BY t;"
                f"CREATE SINK s USING csv OPTIONS (path '{tmp_path}/s');"
                "INSERT INTO s SELECT v FROM q"
            )
        assert caught.value.code == "SOURCE_NOT_FOUND"
    assert running.progress.slab == slab
    run.drop("r", "1", rows(("a", 1, 1), ("a", 1, 9)))
    run.step()
    run.restart()
    run.step()
    assert ("a", 1, "+", 1) in delivered(run)
    run.restart()


def test_a_stream_may_have_any_name(live: Live, tmp_path: Path) -> None:
    statement = STREAM.format(tmp_path).replace("STREAM r", "STREAM `my r`") + " LATE KEEP"
    run = Flow(tmp_path, live, [statement], QUERY.replace("FROM r", "FROM `my r`"))
    run.drop("r", "1", rows(("a", 1, 5), ("a", 1, 9)))
    run.step()
    run.drop("r", "2", rows(("late", 1, 1)))
    assert [row.k for row in run.step().late("my r").collect()] == ["late"]
    run.restart()


def test_streams_of_similar_names_are_apart(live: Live, tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "1.json").write_text('{"v": 7, "t": 2}')
    names = {"`my r`": "SOURCE json('{}')", "my_r": "SOURCE json('{}')", "my": "SOURCE json('{}')"}
    names["my_0"] = "USING json OPTIONS (path '{}')"
    statements = [
        f"CREATE STREAM {name} (v INT, t BIGINT) {source.format(tmp_path / 'x')} ORDERED BY t"
        for name, source in names.items()
    ]
    query = " UNION ALL ".join(f"SELECT v FROM {name}" for name in names)
    run = Flow(tmp_path, live, statements, query)
    run.finish()
    assert delivered(run) == [(7, 2)] * 4


def test_what_needs_no_stream_is_there_when_it_has_been_waited_for(
    live: Live, tmp_path: Path
) -> None:
    session = live()
    session.sql(f"""
        CREATE STREAM r (v INT, t BIGINT) SOURCE rows((1, 4)) ORDERED BY t;
        CREATE SINK s USING json OPTIONS (path '{tmp_path}/s') AS INSERTS;
        INSERT INTO s SELECT v FROM r
    """)
    running = session.start(tmp_path / "checkpoint")
    running.wait()
    (file,) = (tmp_path / "s").glob("*.json")
    assert file.read_text() == '{"v": 1, "at": 4}\n'
    running.stop()


def test_a_console_shows_values_as_they_are(
    spark: SparkSession, capsys: pytest.CaptureFixture[str]
) -> None:
    values = ["[/var/log]", "[red]x", ":smile:"]
    rows = spark.createDataFrame([(v,) for v in values], "a STRING")
    make_sink("table", "q").publish(1, SparkRows(rows))
    shown = capsys.readouterr().out
    assert all(value in shown for value in values)


def test_large_slabs_can_be_read_again(
    live: Live, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where Parquet keeps many values in a dictionary, and looks there for those wanted."""
    monkeypatch.setattr("continua.runtime.live.advance.MOST_ROWS_FOR_ONE_TASK", 0)
    window = "r WINDOW(RANGE 100000)"
    query = f"SELECT x.v FROM {window} AS x JOIN {window} AS y ON x.v = y.v"
    run = Flow(tmp_path, live, [STREAM.format(tmp_path)], query)
    for part in range(3):
        times = range(4_000 * part, 4_000 * (part + 1))
        run.drop("r", str(part), rows(*(("a", t, t) for t in times for _ in range(4))))
        run.step()
    assert len(delivered(run)) == 16 * 11_999
    run.restart()


def test_columns_of_one_name_are_refused(live: Live, tmp_path: Path) -> None:
    session = live()
    session.sql(STREAM.format(tmp_path))
    session.sql(f"CREATE SINK s USING json OPTIONS (path '{tmp_path}/s') AS CHANGES")
    for outputs, name in (("v, k AS V", "v"), ("v AS at", "at")):
        with pytest.raises(ContinuaError, match=f"two columns called {name}"):
            session.sql(f"INSERT INTO s SELECT {outputs} FROM r WINDOW(RANGE 3)")


def test_files_of_another_run_are_not_overwritten(live: Live, tmp_path: Path) -> None:
    started(live, tmp_path, "checkpoint").finish()
    before = {path: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    with pytest.raises(ContinuaError, match="is of another run") as caught:
        started(live, tmp_path, "another")
    assert caught.value.code == "CANNOT_WRITE"
    assert caught.value.span is not None
    assert {path: path.read_bytes() for path in (tmp_path / "out").iterdir()} == before


def started(live: Live, folder: Path, checkpoint: str) -> Running:
    """Two queries, each with a sink of its own, and both in one directory."""
    (folder / "r").mkdir(exist_ok=True)
    (folder / "r" / "1.json").write_text('{"k": "a", "v": 1, "t": 1}\n')
    session = live()
    session.sql(f"CREATE STREAM r ({COLUMNS}) SOURCE json('{folder}/r') ORDERED BY t")
    for name in ("one", "two"):
        session.sql(f"CREATE SINK {name} USING json OPTIONS (path '{folder}/out') AS INSERTS")
        session.sql(f"INSERT INTO {name} SELECT v FROM r WINDOW(RANGE 3)")
    return session.start(folder / checkpoint, once=True)


def test_static_and_versioned_tables_are_there_from_the_beginning(
    flow: Callable[..., Flow],
) -> None:
    run = flow(query="SELECT r.k, n.name, p.price FROM r JOIN n ON r.k = n.k JOIN p ON r.k = p.k")
    run.statements = [
        *run.statements,
        "CREATE TABLE n (k STRING, name STRING) SOURCE rows(('a', 'Ann'))",
        "CREATE TABLE p (k STRING, price INT, since BIGINT, upto BIGINT) "
        "SOURCE rows(('a', 5, 0, 6), ('a', 7, 6, NULL)) VALID FROM since TO upto",
    ]
    run.drop("r", "1", rows(("a", 1, 4), ("a", 1, 5)))
    run.step()
    run.restart()
    run.drop("r", "2", rows(("a", 1, 8), ("b", 1, 9)))
    run.finish()
    assert delivered(run) == [("a", "Ann", 5, 4), ("a", "Ann", 5, 5), ("a", "Ann", 7, 8)]


def test_state_without_bound_is_refused(live: Live, tmp_path: Path) -> None:
    session = live()
    session.sql(f"CREATE STREAM r ({COLUMNS}) SOURCE json('{tmp_path}/r') ORDERED BY t")
    query = session.sql("SELECT DISTINCT k FROM r WINDOW(RANGE UNBOUNDED)")
    with pytest.raises(ContinuaError, match="keeps every tuple"):
        session.watch(query)
    session.sql("SET unbounded_state = 'allow'")
    session.watch(session.sql("SELECT DISTINCT k FROM r WINDOW(RANGE UNBOUNDED)"))


def test_there_must_be_something_to_start(live: Live, tmp_path: Path) -> None:
    with pytest.raises(ContinuaError, match="there is no query to start"):
        live().start(tmp_path / "checkpoint")
    with pytest.raises(ContinuaError, match="run live on Spark"):
        Session(engine="reference", live=True)


def test_the_time_of_operators_is_measured_if_asked_for(flow: Callable[..., Flow]) -> None:
    run = flow(query="SELECT k, SUM(v) AS s FROM r WINDOW(RANGE 3) GROUP BY k")
    run.drop("r", "1", rows(("a", 1, 1), ("b", 2, 2), ("a", 3, 4)))
    running = run.step()
    assert not running.progress.operators
    running.profile()
    run.drop("r", "2", rows(("a", 1, 5), ("b", 2, 6)))
    run.step()
    found = running.progress.operators
    assert {"window range 3", "aggregate SUM(v) by k", "deliver changes"} <= set(found)
    assert all(seconds > 0 for seconds in found.values())
    assert ("a", 4, "+", 5) in delivered(run)
    sizes = running.progress.state_bytes
    assert set(sizes) == set(running.progress.state)
    assert 0 < sum(sizes.values()) < running.progress.bytes
    run.restart()


def test_files_that_grow_after_they_were_read(
    flow: Callable[..., Flow], caplog: pytest.LogCaptureFixture
) -> None:
    run = flow()
    for name in "123":
        run.drop("r", name, rows(("a", 1, int(name))))
    run.drop("r", "empty", [])
    assert run.step().progress.changed == {}
    for name in ("2", "empty"):
        with (run.folder / "r" / f"{name}.json").open("a") as file:
            file.write('{"k": "lost", "v": 1, "t": 9}\n')
    run.drop("r", "4", rows(("a", 1, 9)))
    progress = run.step().progress
    assert progress.sources["r"].rows == 4
    assert progress.changed == {"r": 2}
    assert "r: 2 files changed after being read" in str(progress)
    (warning,) = (m for m in caplog.messages if "changed after it was read" in m)
    assert str(run.folder / "r" / "2.json") in warning
    run.restart()
    # While nobody looks, and of those that had been read before.
    run.drop("r", "3", rows(("lost", 1, 9)))
    assert run.step().progress.changed == {"r": 3}
    run.restart()


def test_files_of_a_directory_are_read_or_refused(live: Live, tmp_path: Path) -> None:
    """None is passed over: compressed ones are read, others stop the run."""
    statement = f"CREATE STREAM r ({COLUMNS}) SOURCE csv('{tmp_path}/r') ORDERED BY t"
    run = Flow(tmp_path, live, [statement], QUERY)
    folder = tmp_path / "r"
    folder.mkdir()
    (folder / "1.CSV").write_text("k,v,t\na,1,1\n")
    (folder / "2.csv.gz").write_bytes(gzip.compress(b"k,v,t\nb,2,1\n"))
    (folder / "3.csv.bz2").write_bytes(bz2.compress(b't,v,k\n1,3,"c\nd"\n2,0,x\n'))
    run.step()
    assert sorted(delivered(run)) == [("a", 1, "+", 1), ("b", 2, "+", 1), ("c\nd", 3, "+", 1)]
    wrong = folder / "4.csv.xz"
    for make, said in (
        (lambda: wrong.write_text("whatever"), "is compressed by a method that is not read"),
        (lambda: os.mkfifo(wrong), "is not a regular file"),
    ):
        make()
        for _ in range(2):
            with pytest.raises(ContinuaError, match=f"{re.escape(str(wrong))} {said}"):
                run.step()
            run.restart()
        wrong.unlink()
    run.step()
    run.restart()
