"""What a slab costs while data arrive: how long a small one takes, and what that depends on."""

from __future__ import annotations

import os
import random
import shutil
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from bids import RATE, Bids
from harness import Bound, Measured, timed
from pyspark.sql import SparkSession

from continua import Session

SMALL = 1_000
"""Rows of a small slab."""
WARM = 40
"""Slabs before Java has compiled what it is going to compile."""
IDLE = 1_000_000

STREAM = """
CREATE STREAM bids (auction BIGINT, bidder BIGINT, price BIGINT, at BIGINT)
SOURCE parquet('{path}') ORDERED BY at
"""
JOIN = """
SELECT x.auction, x.price, y.price AS other FROM bids WINDOW(RANGE 5000) AS x
JOIN bids WINDOW(RANGE 5000) AS y ON x.auction = y.auction AND x.bidder = y.bidder
"""
SUM = "SELECT auction, SUM(price) AS s, COUNT(*) AS n FROM bids WINDOW(RANGE 5000) GROUP BY auction"
ENDLESS = "SELECT auction, SUM(price) AS s FROM bids WINDOW(UNBOUNDED) GROUP BY auction"
LAST = "SELECT auction, price FROM bids WINDOW(PARTITION BY auction ROWS 1)"
SHAPE = (
    "SELECT bidder, SUM(price) AS s FROM bids WINDOW(RANGE 5000) WHERE auction = {} GROUP BY bidder"
)
MINUTE_SUM = (
    f"SELECT auction, SUM(price) AS s FROM bids WINDOW(RANGE {60 * RATE * 1_000}) GROUP BY auction"
)
OF_JOIN = """
SELECT x.auction, {} AS v FROM bids WINDOW(RANGE 5000) AS x JOIN bids WINDOW(RANGE {}) AS y
ON x.auction = y.auction AND x.bidder = y.bidder GROUP BY x.auction
"""
ASKED = ("COUNT(*)", "SUM(y.price)", "MAX(y.price)", "MIN(x.price)")


class Flow:
    """Queries that run, each into a directory of its own, and files dropped for them."""

    def __init__(
        self, spark: SparkSession, folder: Path, queries: Sequence[str], delivery: str = "CHANGES"
    ) -> None:
        shutil.rmtree(folder, ignore_errors=True)
        (folder / "in").mkdir(parents=True)
        self._folder = folder
        self._chance = random.Random(1)
        self._files = 0
        session = Session(spark=spark, live=True)
        session.sql("SET unbounded_state = 'allow'")
        session.sql(STREAM.format(path=folder / "in"))
        for number, query in enumerate(queries):
            sink = f"CREATE SINK s{number} USING parquet OPTIONS (path '{folder}/s{number}')"
            session.sql(f"{sink} AS {delivery}; INSERT INTO s{number} {query}")
        self._running = session.start(folder / "checkpoint")

    def drop(self, auctions: Sequence[int]) -> None:
        """A file with a bid for each of the auctions, one after the other."""
        number = self._files
        self._files += 1
        table = pa.table(
            {
                "auction": auctions,
                "bidder": [self._chance.randrange(50) for _ in auctions],
                "price": [self._chance.randrange(10_000) for _ in auctions],
                "at": [number * SMALL + i * SMALL // len(auctions) for i in range(len(auctions))],
            }
        )
        pq.write_table(table, self._folder / "partial")
        (self._folder / "partial").rename(self._folder / "in" / f"{number:06}.parquet")

    def slab(self, auctions: Sequence[int] | None = None) -> float:
        """Drops a file; the seconds until the slab that it makes has been committed."""
        seconds = timed(lambda: self._commit(auctions))
        # The next slab is dropped into silence, as a file that comes now and then would be.
        time.sleep(0.3 + seconds / 2)
        return seconds

    def sustained(self, slabs: int) -> float:
        """The seconds of a slab that follows others: what those put out is published meanwhile."""
        seconds = timed(lambda: [self._commit() for _ in range(slabs)])
        time.sleep(1)
        return seconds / slabs

    def _commit(self, auctions: Sequence[int] | None = None) -> None:
        before = self._running.progress.slab
        self.drop(auctions or [self._chance.randrange(200) for _ in range(SMALL)])
        waited = 0
        while self._running.progress.slab == before:
            waited += 1
            # To ask Spark takes it time; so it is asked seldom.
            if waited % 500 == 0 and self._running.status == "failed":
                self._running.wait()
            time.sleep(0.002)

    def stop(self) -> None:
        self._running.stop()
        shutil.rmtree(self._folder)


class LiveCases:
    """The cases of a live run."""

    def __init__(self, spark: SparkSession, folder: Path, rows: int, repeats: int) -> None:
        self._spark = spark
        self._folder = folder / "live"
        self._rows = rows
        self._repeats = repeats

    def all(self) -> dict[str, Callable[[], list[Measured]]]:
        return {
            "latency": self.latency,
            "throughput": self.throughput,
            "idle": self.idle,
            "queries": self.queries,
            "shared": self.shared,
        }

    def latency(self) -> list[Measured]:
        flow = Flow(self._spark, self._folder, [JOIN, SUM])
        for _ in range(WARM):
            flow.slab()
        seconds = [flow.slab() for _ in range(20 * self._repeats)]
        flow.stop()
        third = len(seconds) // 3
        median, p95 = statistics.median(seconds), statistics.quantiles(seconds, n=20)[-1]
        growth = statistics.median(seconds[-third:]) / statistics.median(seconds[:third])
        return [
            _measured("slab: median", "seconds to commit 1,000 rows", median, seconds, 1.2),
            _measured("slab: p95", "seconds to commit 1,000 rows", p95, seconds, 2.0),
            _measured("slab: age", "late slabs over early ones", growth, seconds, 1.15),
        ]

    def idle(self) -> list[Measured]:
        """What is idle, in the slab whose latency is measured: a join beside it."""
        return [
            self._beside(f"idle: {name}", [JOIN, query], range(IDLE), 1.2)
            for name, query in (("groups", ENDLESS), ("partitions", LAST))
        ]

    def _beside(
        self, name: str, queries: Sequence[str], idle: Sequence[int], most: float
    ) -> Measured:
        """Slabs of a graph that holds much which is idle, over those of one that does not."""
        full = Flow(self._spark, self._folder / "full", queries)
        bare = Flow(self._spark, self._folder / "bare", queries)
        full.slab(idle)
        for _ in range(WARM // 4):
            full.slab()
            bare.slab()
        pairs = [(full.slab(), bare.slab()) for _ in range(4 * self._repeats)]
        full.stop()
        bare.stop()
        says = f"{len(idle)} idle over none"
        return _paired(name, says, pairs, most)

    def queries(self) -> list[Measured]:
        return [
            self._over(
                f"queries: {number}",
                f"{number} queries of one shape over one",
                [SHAPE.format(i) for i in range(number)],
                [SHAPE.format(0)],
                most,
            )
            for number, most in ((100, 8.0), (500, 30.0))
        ]

    def shared(self) -> list[Measured]:
        one_join = [OF_JOIN.format(what, 5_000) for what in ASKED]
        own_joins = [OF_JOIN.format(what, 5_000 + i) for i, what in enumerate(ASKED)]
        says = f"{len(ASKED)} queries of one join over as many of a join each"
        return [self._over("shared", says, one_join, own_joins, 0.8)]

    def _over(
        self, name: str, says: str, some: Sequence[str], others: Sequence[str], most: float
    ) -> Measured:
        """Slabs of some queries, over those of others."""
        first = Flow(self._spark, self._folder / "first", some)
        second = Flow(self._spark, self._folder / "second", others)
        for _ in range(WARM // 8):
            first.slab()
            second.slab()
        pairs = [(first.sustained(5), second.sustained(5)) for _ in range(self._repeats)]
        first.stop()
        second.stop()
        return _paired(name, says, pairs, most)

    def throughput(self) -> list[Measured]:
        """Large batches of a stream, a quarter of it in each, and the same as history."""
        stored, query = self._folder / "stored", MINUTE_SUM
        store_in_files(self._spark, stored, 2 * self._rows)
        ratios, seconds = [], []
        self._history(stored, query)
        self._live(stored, query)
        for _ in range(self._repeats):
            history = timed(lambda: self._history(stored, query))
            live = timed(lambda: self._live(stored, query))
            ratios.append(history / live)
            seconds.append((live, history))
        return [
            Measured(
                "throughput",
                "live over history, in bids a second",
                statistics.median(ratios),
                ratios,
                (
                    statistics.median(a for a, _ in seconds),
                    statistics.median(b for _, b in seconds),
                ),
                str(Bound(least=0.6)),
                Bound(least=0.6).holds(statistics.median(ratios)),
            )
        ]

    def _history(self, stored: Path, query: str) -> None:
        session = Session(spark=self._spark)
        session.sql(STREAM.format(path=stored))
        session.sql(query).to_spark().write.format("noop").mode("overwrite").save()

    def _live(self, stored: Path, query: str) -> None:
        run_live(self._spark, stored, query, self._folder / "throughput")


def store_in_files(spark: SparkSession, stored: Path, rows: int) -> None:
    """Bids in four files, in the order of their times."""
    bids = Bids(rows).frame(spark)
    bids = bids.selectExpr("auction", "bidder", "price", "unix_micros(at) AS at")
    parts = bids.repartitionByRange(4, "at").sortWithinPartitions("at")
    parts.write.mode("overwrite").parquet(str(stored))
    for number, path in enumerate(sorted(stored.glob("part-*"))):
        # Spark takes files in the order in which they were written.
        os.utime(path, (number, number))


def run_live(spark: SparkSession, stored: Path, query: str, checkpoint: Path) -> None:
    """A query over the files, each of which becomes a slab."""
    session = Session(spark=spark, live=True)
    session.sql(STREAM.format(path=stored))
    session.foreach_slab(
        session.sql(query),
        lambda slab, rows: rows.write.format("noop").mode("overwrite").save(),
    )
    running = session.start(checkpoint, once=True, files_at_once=1)
    running.finish()
    running.stop()
    shutil.rmtree(checkpoint)


def _measured(name: str, says: str, value: float, seconds: list[float], most: float) -> Measured:
    bound = Bound(most=most)
    span = (min(seconds), max(seconds))
    return Measured(name, says, value, seconds, span, str(bound), bound.holds(value))


def _paired(name: str, says: str, pairs: list[tuple[float, float]], most: float) -> Measured:
    ratios = [a / b for a, b in pairs]
    ratio, bound = statistics.median(ratios), Bound(most=most)
    seconds = (statistics.median(a for a, _ in pairs), statistics.median(b for _, b in pairs))
    return Measured(name, says, ratio, ratios, seconds, str(bound), bound.holds(ratio))
