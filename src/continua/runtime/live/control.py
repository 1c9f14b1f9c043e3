"""How a second terminal speaks to an engine that runs: by files in a folder of its checkpoint.

A request is a text of statements, and its answer what they say. Both appear by a rename.
"""

from __future__ import annotations

import fcntl
import json
from collections.abc import Callable
from pathlib import Path
from time import monotonic, sleep
from uuid import uuid4

from continua.errors import ContinuaError, Source, Span
from continua.runtime.live.checkpoint import write_whole

LOOK = 0.1
"""Seconds between two looks for an answer."""


def tell(checkpoint: Path, text: str, patience: float) -> str:
    """Has the engine of a checkpoint carry out statements; gives what it says."""
    if not _runs(checkpoint):
        message = f"no engine runs on {checkpoint}"
        hint = f"continua run --live FILE.sql --checkpoint {checkpoint}"
        raise ContinuaError("CHECKPOINT", message, hint=hint)
    folder = checkpoint / "control"
    folder.mkdir(exist_ok=True)
    name = uuid4().hex
    request, answer = folder / f"{name}.sql", folder / f"{name}.json"
    write_whole(request, text)
    end = monotonic() + patience
    while not answer.exists():
        if monotonic() > end or not _runs(checkpoint):
            request.unlink(missing_ok=True)
            message = f"the engine on {checkpoint} has not answered for {patience:g} s"
            raise ContinuaError("CHECKPOINT", message, hint="it may be busy with a long slab")
        sleep(LOOK)
    found = json.loads(answer.read_text())
    answer.unlink()
    if "code" in found:
        place = found["place"] and Span(Source(text), *found["place"])
        raise ContinuaError(found["code"], found["message"], place, hint=found["hint"])
    return str(found["said"])


def answer_requests(checkpoint: Path, carry_out: Callable[[str], str]) -> None:
    """Carries out what has been asked for, and says what came of it."""
    for request in sorted((checkpoint / "control").glob("*.sql")):
        found: dict[str, object]
        text = request.read_text()
        try:
            found = {"said": carry_out(text)}
        except ContinuaError as error:
            here = error.span is not None and error.span.source.text == text
            place = [error.span.start, error.span.end] if error.span and here else None
            found = {"code": error.code, "message": error.message, "hint": error.hint}
            found["place"] = place
        write_whole(request.with_suffix(".json"), json.dumps(found))
        request.unlink()


def _runs(checkpoint: Path) -> bool:
    """Whether somebody holds the lock of the checkpoint."""
    try:
        with (checkpoint / "lock").open("a+") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return False
