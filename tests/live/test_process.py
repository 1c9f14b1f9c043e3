"""The engine as a process: given requests by a second terminal, and stopped."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from engine_process import EngineProcess

pytestmark = [pytest.mark.spark, pytest.mark.apart]


def tell(checkpoint: Path, text: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "continua", "tell", str(checkpoint), text]
    return subprocess.run(command, capture_output=True, text=True)


def drop(folder: Path, *times: int) -> None:
    partial = folder / "partial"
    partial.write_text("".join(json.dumps({"v": t, "t": t}) + "\n" for t in times))
    partial.rename(folder / "in" / f"{times[0]:04}.json")


def wait_for(folder: Path, row: dict[str, object]) -> None:
    end = time.monotonic() + 120
    while row not in lines(folder):
        assert time.monotonic() < end, f"{row} is not in {folder}"
        time.sleep(0.05)


def lines(folder: Path) -> list[dict[str, object]]:
    texts = [path.read_text() for path in sorted(folder.glob("*.json"))]
    return [json.loads(line) for text in texts for line in text.splitlines()]


def sink(folder: Path, name: str) -> str:
    return f"CREATE SINK {name} USING json OPTIONS (path '{folder / name}') AS INSERTS;"


def written(folder: Path) -> Path:
    """A script with one query."""
    (folder / "in").mkdir()
    script = folder / "q.sql"
    script.write_text(
        f"CREATE STREAM r (v INT, t BIGINT) SOURCE json('{folder}/in') ORDERED BY t;\n"
        f"{sink(folder, 'a')}\nINSERT INTO a SELECT v FROM r WINDOW(RANGE 2);"
    )
    return script


@pytest.fixture
def start() -> Iterator[Callable[[Path, Path], EngineProcess]]:
    """Starts engines, none of which outlives the test."""
    started: list[EngineProcess] = []

    def begun(script: Path, checkpoint: Path) -> EngineProcess:
        started.append(EngineProcess(script, checkpoint))
        return started[-1]

    yield begun
    for engine in started:
        engine.destroy()


def test_from_start_to_stop(tmp_path: Path, start: Callable[[Path, Path], EngineProcess]) -> None:
    script, checkpoint = written(tmp_path), tmp_path / "checkpoint"
    missing = tell(checkpoint, "SHOW QUERIES")
    assert missing.returncode == 1
    assert "no engine runs on" in missing.stderr
    engine = start(script, checkpoint)
    drop(tmp_path, 1, 3)
    wait_for(tmp_path / "a", {"v": 1, "at": 1})
    query = "INSERT INTO b SELECT COUNT(*) AS n FROM r WINDOW(RANGE 2)"
    added = tell(checkpoint, f"{sink(tmp_path, 'b')} {query}")
    assert (added.returncode, added.stderr) == (0, "")
    assert "b" in tell(checkpoint, "SHOW QUERIES").stdout
    wrong = tell(checkpoint, "DROP QUERY c")
    assert wrong.returncode == 1
    assert "no query c runs" in wrong.stderr
    assert "1 | DROP QUERY c\n  |            ^" in wrong.stderr
    drop(tmp_path, 4, 9)
    wait_for(tmp_path / "b", {"n": 2, "at": 4})
    stopped(engine, signal.SIGTERM)
    engine = start(script, checkpoint)
    drop(tmp_path, 20)
    wait_for(tmp_path / "b", {"n": 1, "at": 9})
    stopped(engine, signal.SIGINT)
    assert lines(tmp_path / "a") == [{"v": t, "at": t} for t in (1, 3, 4, 9)]
    changes = [(1, 3), (2, 4), (1, 5), (1, 9)]
    assert lines(tmp_path / "b") == [{"n": n, "at": at} for n, at in changes]
    ours = {"q.sql", "in", "checkpoint", "a", "b"}
    assert {path.name for path in tmp_path.iterdir()} == ours, "it leaves nothing else behind"


def stopped(engine: EngineProcess, number: signal.Signals) -> None:
    """Told so with all its processes, as a terminal and those who run services do."""
    os.killpg(engine.process.pid, number)
    code, said = engine.wait(60)
    assert code == 0, said
    assert "Traceback" not in said
    assert "Exception" not in said


def test_java_is_gone(tmp_path: Path, start: Callable[[Path, Path], EngineProcess]) -> None:
    engine = start(written(tmp_path), tmp_path / "checkpoint")
    drop(tmp_path, 1, 3)
    wait_for(tmp_path / "a", {"v": 1, "at": 1})
    pid = engine.process.pid
    for java in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        os.kill(int(java), signal.SIGKILL)
    code, said = engine.wait(60)
    assert code == 1, said
    message, hint = said.splitlines()
    assert message == "error[EVALUATION]: Spark has ended: its Java is gone"
    assert "goes on from its checkpoint" in hint
