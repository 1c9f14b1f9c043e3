"""The status of long runs, on a terminal: stages and tasks that Spark has done."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from pyspark.sql import SparkSession
from rich.console import Console

QUIET = 1.0
"""Seconds before anything is shown: what is quick needs no status."""

_PERIOD = 0.2


@contextmanager
def terminal_status(spark: SparkSession) -> Iterator[None]:
    """Shows how far Spark is, on standard error, if that is a terminal."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield
        return
    done = threading.Event()
    watcher = threading.Thread(target=_watch, args=(spark, console, done), daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()


def _watch(spark: SparkSession, console: Console, done: threading.Event) -> None:
    if done.wait(QUIET):
        return
    with console.status("Spark is working …") as status:
        while not done.wait(_PERIOD):
            status.update(_described(spark))


def _described(spark: SparkSession) -> str:
    tracker = spark.sparkContext.statusTracker()
    infos = [info for stage in tracker.getActiveStageIds() if (info := tracker.getStageInfo(stage))]
    finished, tasks = sum(i.numCompletedTasks for i in infos), sum(i.numTasks for i in infos)
    if not infos:
        return "Spark is planning …"
    return f"Spark is working: {finished} of {tasks} tasks done in {len(infos)} running stage(s)"
