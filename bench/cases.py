"""What is measured: how costs grow, and how they compare with hand-written Spark."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from bids import Bids
from harness import Bound, Measured, Work, alternate
from pyspark.sql import DataFrame, SparkSession

import continua

GROWTH = {
    "join": "SELECT x.auction, x.price, y.price AS other FROM bids WINDOW(RANGE {w}) AS x "
    "JOIN bids WINDOW(RANGE {w}) AS y ON x.auction = y.auction AND x.bidder = y.bidder",
    "sum, count, avg": "SELECT auction, SUM(price) AS s, COUNT(*) AS n, AVG(price) AS a "
    "FROM bids WINDOW(RANGE {w}) GROUP BY auction",
    "float sum": "SELECT auction, SUM(cost) AS s FROM bids WINDOW(RANGE {w}) GROUP BY auction",
    "min, max": "SELECT auction, MIN(price) AS lo, MAX(price) AS hi "
    "FROM bids WINDOW(RANGE {w}) GROUP BY auction",
    "distinct": "SELECT DISTINCT auction, bidder FROM bids WINDOW(RANGE {w})",
    "difference": "SELECT auction FROM bids WINDOW(RANGE {w}) EXCEPT ALL "
    "SELECT auction FROM bids WINDOW(RANGE 10 SECONDS) WHERE price > 5000",
}
FLOATS = {
    "AVG over RANGE": "SELECT auction, AVG({}) AS a FROM bids "
    "WINDOW(RANGE 60 SECONDS) GROUP BY auction",
    "SUM over ROWS": "SELECT auction, SUM({}) AS a FROM bids "
    "WINDOW(PARTITION BY auction ROWS 10) GROUP BY auction",
    "SUM over TUMBLE": "SELECT auction, SUM({}) AS a "
    "FROM TUMBLE(bids, 60 SECONDS) GROUP BY auction",
}
MINUTE = "60 SECONDS"


class Cases:
    """The cases over bids of a size; each gives what it measured."""

    def __init__(self, spark: SparkSession, folder: Path, rows: int, repeats: int) -> None:
        self.spark = spark
        self.folder = folder
        self.rows = rows
        self.repeats = repeats

    def all(self) -> dict[str, Callable[[], Iterator[Measured]]]:
        return {
            "span": self.span,
            "window": self.window,
            "hot": self.hot,
            "floats": self.floats,
            "scalar": self.scalar,
            "spark": self.hand_written,
        }

    def query(self, bids: Bids, text: str) -> Work:
        """Computes a query over bids completely, and keeps nothing of it."""
        session = continua.Session(spark=self.spark)
        session.from_dataframe("bids", bids.stored(self.spark, self.folder), time="at")
        query = session.sql(text)
        return lambda: drained(query.to_spark(canonical=False))

    def span(self) -> Iterator[Measured]:
        """Twice the history at equal rate."""
        for name, text in GROWTH.items():
            asked = text.format(w=MINUTE)
            longer, shorter = Bids(self.rows), Bids(self.rows // 2)
            yield alternate(
                f"span: {name}",
                "time over twice the span / time over the span",
                self.query(longer, asked),
                self.query(shorter, asked),
                Bound(most=2.3),
                self.repeats,
            )

    def floats(self) -> Iterator[Measured]:
        """Floating numbers, which are added exactly, beside integers."""
        bids = Bids(self.rows)
        for name, text in FLOATS.items():
            yield alternate(
                f"floats: {name}",
                "time over DOUBLE / time over BIGINT",
                self.query(bids, text.format("cost")),
                self.query(bids, text.format("price")),
                Bound(most=2.5),
                self.repeats,
            )

    def window(self) -> Iterator[Measured]:
        """Windows ten times as long."""
        for name in ("sum, count, avg", "float sum", "min, max"):
            bids = Bids(self.rows)
            yield alternate(
                f"window: {name}",
                "time with windows of 600 s / of 60 s",
                self.query(bids, GROWTH[name].format(w="600 SECONDS")),
                self.query(bids, GROWTH[name].format(w=MINUTE)),
                Bound(most=1.5),
                self.repeats,
            )

    def hot(self) -> Iterator[Measured]:
        """One key with half of all rows."""
        hot = Bids(self.rows, skewed=False, hot=0.5)
        even = Bids(self.rows, skewed=False)
        for name in ("sum, count, avg", "float sum", "min, max", "distinct", "difference"):
            asked = GROWTH[name].format(w=MINUTE)
            yield alternate(
                f"hot key: {name}",
                "time with half of all rows on one key / with uniform keys",
                self.query(hot, asked),
                self.query(even, asked),
                Bound(most=2.0),
                self.repeats,
            )
        yield self._hot_join()

    def _hot_join(self) -> Measured:
        """The windows are chosen so that both joins have about equally many matches."""
        text = (
            "SELECT x.price, y.price AS other FROM bids WINDOW(RANGE {w}) AS x "
            "JOIN bids WINDOW(NOW) AS y ON x.auction = y.auction"
        )
        hot = Bids(self.rows, auctions=1_000, skewed=False, hot=0.5)
        even = Bids(self.rows, auctions=1_000, skewed=False)
        # Of the pairs within a window, a quarter match on the hot key; evenly, one in a thousand.
        return alternate(
            "hot key: join",
            "time with half of all rows on one key / uniform, equally many matches",
            self.query(hot, text.format(w="200 MILLISECONDS")),
            self.query(even, text.format(w="50 SECONDS")),
            Bound(most=2.0),
            self.repeats,
        )

    def scalar(self) -> Iterator[Measured]:
        """An aggregate without key on both cores, against the same on one."""
        bids = Bids(self.rows)
        text = f"SELECT MAX(price) AS hi, SUM(price) AS s FROM bids WINDOW(RANGE {MINUTE})"
        both = self.query(bids, text)
        one = continua.Session(spark=self.spark)
        narrow = bids.stored(self.spark, self.folder).coalesce(1)
        one.from_dataframe("bids", narrow, time="at")
        for key in ("shuffle.partitions", "adaptive.coalescePartitions.initialPartitionNum"):
            one.spark.conf.set(f"spark.sql.{key}", "1")
        query = one.sql(text)
        yield alternate(
            "scalar aggregate",
            "time on one core / on both",
            lambda: drained(query.to_spark(canonical=False)),
            both,
            Bound(least=1.3),
            self.repeats,
        )

    def hand_written(self) -> Iterator[Measured]:
        """Against Spark queries for the same result, by throughput."""
        for skewed in (True, False):
            bids = Bids(self.rows, skewed=skewed)
            kind = "skewed" if skewed else "uniform"
            for name, ours, text, least in _pairs():
                bound = least if isinstance(least, float) else least[0 if skewed else 1]
                yield alternate(
                    f"{name}, {kind}",
                    "our throughput / that of hand-written Spark",
                    self._by_hand(bids, text),
                    self.query(bids, ours),
                    Bound(least=bound),
                    self.repeats,
                )

    def _by_hand(self, bids: Bids, text: str) -> Work:
        view = f"bids_{abs(hash(bids))}"
        bids.stored(self.spark, self.folder).createOrReplaceTempView(view)
        asked = text.format(bids=view)
        return lambda: drained(self.spark.sql(asked))


def drained(frame: DataFrame) -> None:
    """Computes every row and every column, and keeps none."""
    frame.write.format("noop").mode("overwrite").save()


def _pairs() -> list[tuple[str, str, str, float | tuple[float, float]]]:
    """Name, our query, Spark's query, the least ratio (for skewed and for uniform keys)."""
    return [
        (
            "tumbling MAX",
            "SELECT auction, window_start, MAX(price) AS hi FROM TUMBLE(bids, 10 SECONDS) "
            "GROUP BY auction, window_start",
            "SELECT auction, window.start, max(price) FROM {bids} "
            "GROUP BY auction, window(at, '10 seconds')",
            0.7,
        ),
        (
            "equi-join with a time range",
            "SELECT x.auction, x.price, y.price AS other FROM bids WINDOW(RANGE 2 SECONDS) AS x "
            "JOIN bids AS y ON x.auction = y.auction AND x.bidder = y.bidder",
            "SELECT x.auction, x.price, y.price FROM {bids} x JOIN {bids} y "
            "ON x.auction = y.auction AND x.bidder = y.bidder "
            "AND y.at >= x.at AND y.at < x.at + INTERVAL 2 SECONDS",
            0.7,
        ),
        (
            "sliding average",
            "SELECT auction, AVG(price) AS a FROM bids WINDOW(RANGE 60 SECONDS) GROUP BY auction",
            "SELECT auction, avg(price) OVER (PARTITION BY auction ORDER BY at "
            "RANGE BETWEEN INTERVAL '59.999999' SECOND PRECEDING AND CURRENT ROW) FROM {bids}",
            (2.0, 0.4),
        ),
        (
            "sliding count",
            "SELECT auction, COUNT(*) AS n FROM bids WINDOW(RANGE 60 SECONDS SLIDE 1 SECOND) "
            "GROUP BY auction",
            "SELECT auction, window.start, count(*) FROM {bids} "
            "GROUP BY auction, window(at, '60 seconds', '1 second')",
            5.0,
        ),
    ]
