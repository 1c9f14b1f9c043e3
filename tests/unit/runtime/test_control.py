"""Requests from a second terminal: carried out once, and answered whatever comes of them."""

from __future__ import annotations

import fcntl
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from continua import ContinuaError
from continua.runtime.live.checkpoint import Checkpoint
from continua.runtime.live.control import answer_requests, forget_answers, tell


@pytest.fixture
def checkpoint(tmp_path: Path) -> Iterator[Path]:
    """A checkpoint whose lock somebody holds."""
    with (tmp_path / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield tmp_path


def asked(checkpoint: Path) -> None:
    (checkpoint / "control").mkdir()
    (checkpoint / "control" / "1.sql").write_text("SHOW QUERIES")


def test_whoever_gives_up_does_no_harm(checkpoint: Path) -> None:
    asked(checkpoint)
    carried: list[str] = []

    def slow(text: str) -> str:
        carried.append(text)
        (checkpoint / "control" / "1.sql").unlink(missing_ok=True)
        return "done"

    answer_requests(checkpoint, slow)
    answer_requests(checkpoint, slow)
    assert carried == ["SHOW QUERIES"]


def test_it_is_not_carried_out_again_if_the_engine_dies(checkpoint: Path) -> None:
    asked(checkpoint)

    def die(text: str) -> str:
        raise SystemExit

    with pytest.raises(SystemExit):
        answer_requests(checkpoint, die)
    answer_requests(checkpoint, pytest.fail)


@pytest.mark.parametrize(
    ("error", "code"),
    [(ContinuaError("SYNTAX", "no"), "SYNTAX"), (RuntimeError("no\nat java"), "EVALUATION")],
)
def test_what_goes_wrong_is_said(checkpoint: Path, error: Exception, code: str) -> None:
    done = threading.Event()

    def carry_out(text: str) -> str:
        done.set()
        raise error

    def engine() -> None:
        while not done.is_set():
            answer_requests(checkpoint, carry_out)

    answering = threading.Thread(target=engine)
    answering.start()
    with pytest.raises(ContinuaError, match="no") as caught:
        tell(checkpoint, "SHOW QUERIES", patience=20)
    answering.join()
    assert caught.value.code == code
    assert "java" not in str(caught.value)


def test_nobody_answers(checkpoint: Path) -> None:
    with pytest.raises(ContinuaError, match="has not answered") as caught:
        tell(checkpoint, "SHOW QUERIES", patience=0.2)
    assert caught.value.hint is not None
    assert "has not seen" in caught.value.hint


def test_nobody_is_there_any_more(checkpoint: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was asked of an engine that has ended is not asked of the next one."""
    runs = iter([True, False])
    monkeypatch.setattr("continua.runtime.live.control._runs", lambda checkpoint: next(runs))
    with pytest.raises(ContinuaError, match="has ended") as caught:
        tell(checkpoint, "DROP QUERY q", patience=20)
    assert caught.value.hint == "it has not seen the request"
    answer_requests(checkpoint, pytest.fail)


def test_answers_that_nobody_has_waited_for_are_removed(checkpoint: Path) -> None:
    asked(checkpoint)
    answer_requests(checkpoint, str)
    forget_answers(checkpoint)
    assert list((checkpoint / "control").iterdir()) == []


def test_an_engine_can_start_while_somebody_looks(tmp_path: Path) -> None:
    Checkpoint.open(tmp_path).close()
    with (tmp_path / "lock").open("a+") as lock:
        fcntl.flock(lock, fcntl.LOCK_SH)
        threading.Timer(0.1, lambda: fcntl.flock(lock, fcntl.LOCK_UN)).start()
        checkpoint = Checkpoint.open(tmp_path)
        with pytest.raises(ContinuaError, match="is in use by the process"):
            Checkpoint.open(tmp_path)
        checkpoint.close()


def test_whoever_looks_is_no_engine(tmp_path: Path) -> None:
    with (tmp_path / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_SH)
        with pytest.raises(ContinuaError, match="no engine runs"):
            tell(tmp_path, "SHOW QUERIES", 1)


def test_what_cannot_be_read_or_answered_does_no_harm(
    checkpoint: Path, caplog: pytest.LogCaptureFixture
) -> None:
    control = checkpoint / "control"
    control.mkdir()
    (control / "1.sql").write_bytes(b"SELECT '\xff'")
    (control / "2.sql").write_text("SHOW QUERIES")
    (control / "2.json").mkdir()
    (control / "2.json" / "in the way").touch()
    answer_requests(checkpoint, lambda text: "said")
    assert "UnicodeDecodeError" in (control / "1.json").read_text()
    assert "a request cannot be answered" in caplog.text
    assert not list(control.glob("*.sql"))
