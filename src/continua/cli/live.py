"""`continua run --live`: the queries of a file, while data arrive."""

from __future__ import annotations

import signal
from pathlib import Path
from types import FrameType

from rich.console import Console

from continua.cli.show import show
from continua.errors import ContinuaError, Source
from continua.physical.spark_internals.signals import ignore_sigterm
from continua.runtime.live.control import answer_requests, forget_answers
from continua.runtime.live.report import Progress
from continua.runtime.live.running import Running
from continua.runtime.query import Query
from continua.session import Session

SIGNALS = (signal.SIGINT, signal.SIGTERM)
"""What asks us to stop; the slab under way is finished and committed first."""

CONSOLE = Console(stderr=True)


def run_live(session: Session, source: Source, checkpoint: Path, finish: bool) -> None:
    """Starts every INSERT INTO, and every query, whose results go to the console."""
    for outcome in session.execute(source.text, source.name):
        if isinstance(outcome, Query):
            session.watch(outcome)
        elif outcome is not None:
            show(outcome)
    asked: list[int] = []

    def stop(number: int, frame: FrameType | None) -> None:
        asked.append(number)

    before = {number: signal.signal(number, stop) for number in SIGNALS}
    try:
        # Who stops a service sends SIGTERM to all of its processes.
        ignore_sigterm(session.spark)
        observers = [_show_progress] if CONSOLE.is_terminal else []
        running = session.start(checkpoint, once=finish, observers=observers)
        for number in SIGNALS:
            # Spark has put its own in the place of ours, which would cancel the slab.
            signal.signal(number, stop)
        _watch(session, running, asked, finish)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _watch(session: Session, running: Running, asked: list[int], finish: bool) -> None:
    """Answers requests until all is read, a signal asks to stop, or something goes wrong."""

    def carry_out(text: str) -> str:
        return "".join(f"{result.to_text()}\n" for result in session.tell(text))

    forget_answers(running.checkpoint)
    try:
        while not asked and not running.wait(1):
            answer_requests(running.checkpoint, carry_out)
        if finish and not asked:
            running.finish()
    finally:
        running.stop()
    if not finish and not asked:
        raise ContinuaError("EVALUATION", "the queries have stopped by themselves")
    _show_progress(running.progress)


def _show_progress(progress: Progress) -> None:
    CONSOLE.print(str(progress), soft_wrap=True)
