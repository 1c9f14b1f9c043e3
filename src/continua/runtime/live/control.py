"""Requests from a second terminal to an engine that runs: files in a folder of its checkpoint.

A request is a text of statements, and the answer is what they give. Both are written whole, by a
rename.
"""

from __future__ import annotations

import fcntl
import json
import logging
from collections.abc import Callable
from pathlib import Path
from time import monotonic, sleep
from uuid import uuid4

from continua.errors import ContinuaError, Source, Span
from continua.runtime.durable import write_whole

_LOG = logging.getLogger("continua")

_UNSURE = "it may have carried out the request: SHOW QUERIES tells"

POLL_SECONDS = 0.1
"""After how many seconds it is checked again whether there is an answer."""


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
        ended = not _runs(checkpoint)
        if ended or monotonic() > end:
            waits = _taken_back(request)
            why = "has ended" if ended else f"has not answered for {patience:g} s"
            unseen = "it has not" if ended else "it is busy with a long slab, and has not"
            hint = f"{unseen} seen the request" if waits else _UNSURE
            raise ContinuaError("CHECKPOINT", f"the engine on {checkpoint} {why}", hint=hint)
        sleep(POLL_SECONDS)
    found = json.loads(answer.read_text())
    answer.unlink()
    if "code" in found:
        place = found["place"] and Span(Source(text), *found["place"])
        raise ContinuaError(found["code"], found["message"], place, hint=found["hint"])
    return str(found["said"])


def _taken_back(request: Path) -> bool:
    """Removes a request, unless the engine has removed it already; gives whether it has not."""
    try:
        request.unlink()
    except FileNotFoundError:
        return False
    return True


def forget_answers(checkpoint: Path) -> None:
    """Removes the answers of an earlier run, for which nobody has waited."""
    for answer in (checkpoint / "control").glob("*.json"):
        answer.unlink()


def answer_requests(checkpoint: Path, carry_out: Callable[[str], str]) -> None:
    """Carries out the requests, and writes an answer to each.

    A request is removed before it is carried out, so that it is never carried out twice.
    """
    for request in sorted((checkpoint / "control").glob("[!.]*.sql")):
        found: dict[str, object]
        text = ""
        try:
            written = request.read_bytes()
            request.unlink()
        except FileNotFoundError:
            continue  # the program that made the request has given up
        try:
            text = written.decode()
            found = {"said": carry_out(text)}
        except ContinuaError as error:
            here = error.span is not None and error.span.source.text == text
            place = [error.span.start, error.span.end] if error.span and here else None
            found = {"code": error.code, "message": error.message, "hint": error.hint}
            found["place"] = place
        except Exception as error:
            first = (str(error).splitlines() or [""])[0]
            message = f"{type(error).__name__}: {first}"
            found = {"code": "EVALUATION", "message": message, "hint": None, "place": None}
        try:
            write_whole(request.with_suffix(".json"), json.dumps(found))
        except OSError as error:
            # The program that made the request gets no answer; the queries go on.
            _LOG.warning(f"warning: a request cannot be answered: {error}")


def _runs(checkpoint: Path) -> bool:
    """Whether somebody holds the lock of the checkpoint."""
    try:
        with (checkpoint / "lock").open("a+") as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return False
