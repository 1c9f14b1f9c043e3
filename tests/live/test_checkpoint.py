"""A checkpoint that is not as it should be: found out, and said."""

from __future__ import annotations

import contextlib
import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from flow import Flow
from pyspark.sql import DataFrame

from continua import ContinuaError, Session
from continua.runtime.engine import freed
from continua.runtime.live.running import Running

pytestmark = pytest.mark.spark

QUERY = "SELECT k, SUM(v) AS s FROM r WINDOW(RANGE 3) GROUP BY k"


@pytest.fixture
def flow(live: Callable[[], Session], tmp_path: Path) -> Callable[..., Flow]:
    def make(query: str = QUERY, folder: str = "r") -> Flow:
        statement = (
            "CREATE STREAM r (k STRING, v INT, t BIGINT) "
            f"SOURCE json('{tmp_path}/{folder}') ORDERED BY t"
        )
        return Flow(tmp_path, live, [statement], query)

    return make


def begun(flow: Flow, *times: int) -> None:
    for t in times:
        flow.drop("r", f"{t:03}", [{"k": "a", "v": t, "t": t}])
        flow.step()


def test_two_engines_on_one_checkpoint(flow: Callable[..., Flow]) -> None:
    first, second = flow(), flow()
    begun(first, 1)
    with pytest.raises(ContinuaError, match="is in use by the process"):
        second.step()
    first.restart()
    second.step()
    second.restart()


def test_a_changed_query_is_named(flow: Callable[..., Flow]) -> None:
    first = flow()
    begun(first, 1)
    first.restart()
    changed = flow(QUERY.replace("RANGE 3", "RANGE 4"))
    with pytest.raises(ContinuaError, match="was window range 3, and is now window range 4"):
        changed.step()
    first.step()
    first.restart()


def test_a_query_that_reads_as_before_and_is_another_is_refused(
    live: Callable[[], Session], tmp_path: Path
) -> None:
    made = "CREATE STREAM r (k INT, v INT, t {}, e BIGINT) SOURCE json('{}/r') ORDERED BY t{}"
    query = "SELECT {}.* FROM r{} AS a JOIN r{} AS b ON a.k = b.k"

    def flow(side: str = "a", type_: str = "BIGINT", until: str = "") -> Flow:
        window = "" if until else " [RANGE 5]"
        declared = made.format(type_, tmp_path, until)
        return Flow(tmp_path, live, [declared], query.format(side, window, window))

    first = flow()
    first.drop("r", "1", [])
    first.step()
    first.restart()
    for other in (flow(side="b"), flow(type_="INT")):
        with pytest.raises(ContinuaError, match="has changed: it takes other columns, or what it"):
            other.step()
    with pytest.raises(ContinuaError, match="has changed"):
        flow(until=" UNTIL e").step()
    first.step()
    first.restart()


def damage(text: bytes) -> bytes:
    return text[:-3] + b"abc"


def cut(text: bytes) -> bytes:
    return text[: len(text) // 2]


def miscount(text: bytes) -> bytes:
    return text.replace(b'"batch": 2', b'"batch": 1')


@pytest.mark.parametrize(
    ("what", "change"),
    [("slabs/*/*.parquet", damage), ("manifests/*.json", cut), ("manifests/*.json", miscount)],
)
def test_the_slab_before_takes_the_place_of_a_damaged_one(
    flow: Callable[..., Flow], tmp_path: Path, what: str, change: Callable[[bytes], bytes]
) -> None:
    run = flow()
    begun(run, 1, 2, 5)
    run.restart()
    newest = max((tmp_path / "checkpoint").glob(what))
    damaged = change(newest.read_bytes())
    assert damaged != newest.read_bytes()
    newest.write_bytes(damaged)
    begun(run, 9)
    found = run.finish()
    expected = Session(engine="reference")
    expected.sql(run.statements[0])
    assert found == expected.sql(QUERY).timeline()


def test_spark_may_have_planned_the_batch_after_a_damaged_slab(
    flow: Callable[..., Flow], tmp_path: Path
) -> None:
    run = flow()
    begun(run, 1, 2, 5)
    run.restart()
    max((tmp_path / "checkpoint").glob("slabs/*/*.parquet")).write_bytes(b"")
    offsets = tmp_path / "checkpoint" / "spark" / "offsets"
    newest = max(int(path.name) for path in offsets.iterdir() if path.name.isdigit())
    shutil.copy(offsets / f"{newest}", offsets / f"{newest + 1}")
    begun(run, 9)
    found = run.finish()
    expected = Session(engine="reference")
    expected.sql(run.statements[0])
    assert found == expected.sql(QUERY).timeline()


def test_what_a_damaged_slab_has_put_out_is_put_out_once(
    live: Callable[[], Session], tmp_path: Path
) -> None:
    def started() -> Running:
        session = live()
        session.sql(f"CREATE STREAM r (v INT, t BIGINT) SOURCE json('{tmp_path}/r') ORDERED BY t")
        session.sql(f"CREATE SINK s USING json OPTIONS (path '{tmp_path}/s') AS INSERTS")
        session.sql("INSERT INTO s SELECT v FROM r")
        return session.start(tmp_path / "checkpoint", once=True)

    (tmp_path / "r").mkdir()
    (tmp_path / "r" / "1.json").write_text('{"v": 1, "t": 1}\n{"v": 5, "t": 5}\n')
    running = started()
    running.wait()
    running.heartbeat("r", 6)
    running.stop()
    (newest,) = max((tmp_path / "checkpoint" / "slabs").iterdir()).glob("*.parquet")
    newest.write_bytes(b"")
    assert len(list((tmp_path / "s").iterdir())) == 2
    running = started()
    running.wait()
    assert len(list((tmp_path / "s").iterdir())) == 1, "the heartbeat is lost with its slab"
    running.finish()
    running.stop()
    found = "".join(path.read_text() for path in sorted((tmp_path / "s").iterdir()))
    assert found == '{"v": 1, "at": 1}\n{"v": 5, "at": 5}\n'


def test_changed_rows_of_the_text_are_named(flow: Callable[..., Flow]) -> None:
    given = "SELECT k FROM r WINDOW(RANGE 3) JOIN (VALUES ({})) AS x(w) ON v = w"
    first = flow(given.format(1))
    begun(first, 1)
    first.restart()
    with pytest.raises(ContinuaError, match=r"was values \(1\), and is now values \(2\)"):
        flow(given.format(2)).step()


def test_a_checkpoint_without_a_whole_slab_stops(flow: Callable[..., Flow], tmp_path: Path) -> None:
    run = flow()
    begun(run, 1, 2, 5)
    run.restart()
    for path in (tmp_path / "checkpoint" / "slabs").glob("*/*.parquet"):
        path.write_bytes(b"")
    with pytest.raises(
        ContinuaError, match=r"the checkpoint is damaged: .* is not what was written"
    ):
        run.step()


def test_the_record_of_what_was_read_must_not_be_lost(
    flow: Callable[..., Flow], tmp_path: Path
) -> None:
    run = flow()
    begun(run, 1, 2)
    run.restart()
    shutil.rmtree(tmp_path / "checkpoint" / "spark")
    with pytest.raises(ContinuaError, match="its record of what was read"):
        run.step()
    run.restart()


def test_a_first_commit_that_was_not_finished_has_not_been(
    flow: Callable[..., Flow], tmp_path: Path
) -> None:
    manifests = tmp_path / "checkpoint" / "manifests"
    manifests.mkdir(parents=True)
    (manifests / ".00000001.json").write_text('{"format": 1, "che')
    run = flow()
    begun(run, 1, 2)
    assert [row[0] for slab in run.slabs.values() for row in slab] == ["a"]
    run.restart()


def test_another_format_is_refused(flow: Callable[..., Flow], tmp_path: Path) -> None:
    run = flow()
    begun(run, 1)
    run.restart()
    newest = max((tmp_path / "checkpoint" / "manifests").iterdir())
    newest.write_text(json.dumps({**json.loads(newest.read_text()), "format": 99}))
    with pytest.raises(ContinuaError, match="has the format 99; this version reads format 8"):
        run.step()


def test_a_place_that_cannot_rename_is_refused(live: Callable[[], Session], tmp_path: Path) -> None:
    session = live()
    session.sql(f"CREATE STREAM r (v INT, t BIGINT) SOURCE json('{tmp_path}') ORDERED BY t")
    session.watch(session.sql("SELECT v FROM r"))
    with pytest.raises(ContinuaError, match="renames atomically"):
        session.start("s3://bucket/checkpoint")


def test_what_was_in_memory_is_read_from_the_files_when_it_is_lost(
    flow: Callable[..., Flow],
) -> None:
    run = flow()
    begun(run, 1, 2)
    assert run.running is not None
    hot = run.running._graph.tables._hot
    assert hot
    for frame in hot.values():
        freed(frame)
    begun(run, 3, 9)
    found = run.finish()
    expected = Session(engine="reference")
    expected.sql(run.statements[0])
    assert found == expected.sql(QUERY).timeline()


class Losing(Flow):
    """Loses what is in memory just when it is about to be published."""

    lost = False

    def _gather(self, slab: int, rows: DataFrame) -> None:
        if self.running is not None and not self.lost:
            self.lost = True
            for frame in self.running._graph.tables._hot.values():
                freed(frame)
        super()._gather(slab, rows)


def test_what_is_lost_before_it_is_published_is_read_from_the_files(
    live: Callable[[], Session], tmp_path: Path
) -> None:
    statement = (
        f"CREATE STREAM r (k STRING, v INT, t BIGINT) SOURCE json('{tmp_path}/r') ORDERED BY t"
    )
    run = Losing(tmp_path, live, [statement], QUERY)
    begun(run, 1, 2, 5, 9)
    found = run.finish()
    assert run.lost
    expected = Session(engine="reference")
    expected.sql(statement)
    assert found == expected.sql(QUERY).timeline()


@pytest.fixture
def little(tmp_path: Path) -> Iterator[Path]:
    """A disk with room for little."""
    path = tmp_path / "little"
    path.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", str(path)]
    if subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("only root can make a small disk")
    yield path
    subprocess.run(["umount", "--lazy", str(path)], check=True)


def test_a_full_disk_stops_the_run_and_room_lets_it_go_on(
    flow: Callable[..., Flow], little: Path, tmp_path: Path
) -> None:
    run = flow()
    (tmp_path / "checkpoint").symlink_to(little)
    begun(run, 1, 2)
    hoard = little / "hoard"
    with contextlib.suppress(OSError), hoard.open("wb", buffering=0) as file:
        while True:
            file.write(b"x" * 1024)
    with pytest.raises(ContinuaError, match="o space left on"):
        begun(run, 5)
    run.restart()
    hoard.unlink()
    begun(run, 9)
    found = run.finish()
    expected = Session(engine="reference")
    expected.sql(run.statements[0])
    assert found == expected.sql(QUERY).timeline()


def test_of_a_large_slab_only_what_is_needed_stays(
    flow: Callable[..., Flow], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The state of each slab is needed for long, what it has put out until it is published."""
    monkeypatch.setattr("continua.runtime.live.advance.MOST_ROWS_FOR_ONE_TASK", 0)
    monkeypatch.setattr("continua.runtime.live.segments.MOST_ROWS_REWRITTEN", 0)
    window = "r WINDOW(RANGE 100)"
    run = flow(f"SELECT x.v AS a, y.v AS b FROM {window} AS x JOIN {window} AS y ON x.k = y.k")
    for first in range(1, 9, 2):
        run.drop("r", f"{first:03}", [{"k": "a", "v": t, "t": t} for t in (first, first + 1)])
        run.step()
    run.restart()
    found = {}
    for path in (tmp_path / "checkpoint" / "manifests").glob("*.json"):
        slab = json.loads(path.read_text())["slab"]
        stored = [s for _, s in [*slab["kept"], *slab["outputs"]]]
        found[slab["number"]] = {(s["slab"], s["part"]) for r in stored for s in r["segments"]}
    slabs = tmp_path / "checkpoint" / "slabs"
    there = {(int(path.parent.name), int(path.name)) for path in slabs.glob("*/*/")}
    assert there == set().union(*found.values())
    assert {slab for slab, _ in there} >= set(range(2, max(found) + 1)), "each has kept something"
    run.drop("r", "009", [{"k": "a", "v": 9, "t": 9}])
    run.step()
    run.restart()
