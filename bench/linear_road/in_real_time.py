"""A live run in real time: a file of reports every second, and how soon its tolls are there."""

from __future__ import annotations

import json
import shutil
import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession
from statements import declare
from traffic import TICK, Traffic

from continua import Progress, Session
from continua.runtime.live.running import Running

LIMIT = 5.0
"""Seconds in which a vehicle must be told its toll."""
LOST = 4 * LIMIT
"""Seconds without an answer after which a run is given up."""
LOOK = 0.02
"""Seconds between two looks at what has been published."""
FULL = 420
"""Seconds after which the road is full, and there are velocities of five minutes."""
SENT = ("toll_notifications", "accident_alerts", "answers")


@dataclass(frozen=True)
class Outcome:
    """How long toll notifications took, in seconds, and whether all of them came in the end."""

    vehicles: int
    reports_a_second: float
    took: Sequence[float]
    kept_up: bool

    @property
    def p95(self) -> float:
        return float(np.percentile(self.took, 95)) if self.took else float("inf")

    @property
    def held(self) -> bool:
        return self.kept_up and self.p95 <= LIMIT

    def summary(self) -> dict[str, object]:
        return {
            "vehicles": self.vehicles,
            "reports_a_second": self.reports_a_second,
            "notifications": len(self.took),
            "median": statistics.median(self.took) if self.took else None,
            "p95": self.p95 if self.took else None,
            "greatest": max(self.took, default=None),
            "kept_up": self.kept_up,
            "held": self.held,
        }

    def __str__(self) -> str:
        took = "no tolls"
        if self.took:
            median, most = statistics.median(self.took), max(self.took)
            took = f"median {median:.2f} s, p95 {self.p95:.2f} s, at most {most:.2f} s"
        given_up = "" if self.kept_up else ", given up"
        verdict = "held" if self.held else "not held"
        return f"{self.vehicles:7} vehicles, {self.reports_a_second:6.0f} reports/s: " + (
            f"{took}{given_up}: {verdict}"
        )


def outcome_at(
    spark: SparkSession, folder: Path, vehicles: int, settling: int, seconds: int
) -> Outcome:
    """What a run at a load gives: the past as one file, and then a file every second.

    settling: seconds that do not count, while Java compiles what it is going to need.
    """
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "in").mkdir(parents=True)
    begin, end = FULL + settling, FULL + settling + seconds
    feed = Feed(Traffic(vehicles, end + int(2 * LOST)).table(), folder)
    slabs: list[Progress] = []
    running = started(spark, folder, slabs)
    try:
        feed.drop(0, FULL)
        while not slabs or slabs[-1].watermark < FULL:
            look_after(running)
        with feed:
            took, kept_up = answers(running, slabs, Tolls(folder / SENT[0]), feed, begin, end)
    finally:
        running.stop()
        shutil.rmtree(folder)
    return Outcome(vehicles, feed.between(begin, end) / seconds, took, kept_up)


def started(spark: SparkSession, folder: Path, slabs: list[Progress]) -> Running:
    """The queries, over a directory; what each slab has done is added to the list."""
    session = Session(spark=spark, live=True)
    declare(session, folder / "in")
    for stream in SENT:
        session.sql(f"CREATE SINK {stream}_sent USING json OPTIONS (path '{folder / stream}')")
        session.sql(f"INSERT INTO {stream}_sent SELECT * FROM {stream}")
    return session.start(folder / "checkpoint", observers=[slabs.append])


class Feed:
    """The reports of a run, as files."""

    def __init__(self, table: pa.Table, folder: Path) -> None:
        self._table = table
        self._times = table["t"].to_numpy()
        self._folder = folder
        self.dropped: dict[int, float] = {}
        """When the file with the reports of a second was dropped."""
        self._enough = Event()
        self._thread = Thread(target=self._feed, daemon=True)

    def between(self, begin: int, end: int) -> int:
        first, last = np.searchsorted(self._times, (begin, end))
        return int(last - first)

    def drop(self, begin: int, end: int) -> None:
        """The reports from one second until just before another, complete when they are seen."""
        first = int(np.searchsorted(self._times, begin))
        rows = self._table.slice(first, self.between(begin, end))
        # Time moves on by what is seen: the last row says that these seconds are over.
        tick = {"type": TICK, "t": end}
        rows = pa.concat_tables([rows, pa.Table.from_pylist([tick], rows.schema)])
        pq.write_table(rows, self._folder / "partial")
        self.dropped[end - 1] = time.perf_counter()
        (self._folder / "partial").rename(self._folder / "in" / f"{begin:06}.parquet")

    def __enter__(self) -> Feed:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._enough.set()
        self._thread.join()

    def _feed(self) -> None:
        """A file every second, from now on, when the second is over."""
        begun, last = time.perf_counter(), int(self._times[-1])
        for second in range(FULL, last + 1):
            due = begun + second + 1 - FULL
            if self._enough.wait(max(0.0, due - time.perf_counter())):
                return
            self.drop(second, second + 1)


class Tolls:
    """The files with toll notifications, as they appear."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._seen: set[Path] = set()

    def new(self) -> Iterator[int]:
        """The times of the notifications that have appeared since the last look."""
        for path in sorted(set(self._folder.glob("*.json")) - self._seen):
            self._seen.add(path)
            yield from (json.loads(line)["t"] for line in path.open(encoding="utf-8"))


def answers(
    running: Running, slabs: Sequence[Progress], tolls: Tolls, feed: Feed, begin: int, end: int
) -> tuple[list[float], bool]:
    """How long the notifications of these seconds take, and whether they come at all."""
    took: list[float] = []
    while True:
        committed, seen = tuple(slabs[-2:]), time.perf_counter()
        took += [seen - feed.dropped[t] for t in tolls.new() if begin <= t < end]
        # A slab is published before the next one is committed.
        if all(slab.watermark >= end for slab in committed):
            return took, True
        waits_since = feed.dropped.get(max(committed[-1].watermark, begin))
        if waits_since is not None and seen - waits_since > LOST:
            return took, False
        look_after(running)


def look_after(running: Running) -> None:
    """Waits a little; raises what has stopped the run, if something has."""
    time.sleep(LOOK)
    # To ask Spark takes it time; so it is asked seldom.
    if time.perf_counter() % 1 < LOOK and running.status == "failed":
        running.wait()
