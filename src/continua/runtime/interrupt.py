"""Ctrl-C ends what Spark does, and also what it is only about to do."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

from pyspark import SparkContext

_PERIOD = 0.2


@contextmanager
def interruptible(context: SparkContext) -> Iterator[None]:
    """Inside, Ctrl-C cancels all jobs until what was interrupted has ended.

    PySpark cancels them once, at the signal, and then waits for Spark. If Spark was still planning,
    a job that began after the cancellation would go on to its end.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    asked, ended = threading.Event(), threading.Event()

    def interrupt(number: int, frame: FrameType | None) -> None:
        if not asked.is_set():
            asked.set()
            threading.Thread(target=_cancel, args=(context, ended), daemon=True).start()
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    except Exception:
        # The job that was cancelled has failed, and so has what waited for it.
        if asked.is_set():
            raise KeyboardInterrupt from None
        raise
    finally:
        ended.set()
        signal.signal(signal.SIGINT, before)


def _cancel(context: SparkContext, ended: threading.Event) -> None:
    while not ended.is_set():
        # Java may be gone already.
        with suppress(Exception):
            context.cancelAllJobs()
        ended.wait(_PERIOD)
