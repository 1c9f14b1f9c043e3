"""`python bench/slabs.py`: what a live run in large slabs costs, over the same query over history.

Both read the same Parquet files and write Parquet files; the live run commits a slab for every file
of each stream. What is compared is CPU-seconds, by query.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import tempfile
from pathlib import Path

from harness import Work, cpu_seconds
from nexmark import Nexmark
from nexmark_queries import STREAM, STREAMS
from pyspark.sql import SparkSession

from continua import Session
from continua.physical.spark import spark_session

FIXED = 1.5
"""CPU-seconds that a slab may cost besides what its rows cost."""
MOST = 4.0

BIDS = {
    "map (q1)": "SELECT auction, bidder, price * 0.908D AS price FROM bid",
    "filter (q2)": "SELECT auction, price FROM bid WHERE auction % 123 = 0",
    "tumbling MAX (q7)": "SELECT auction, MAX(price) AS hi FROM TUMBLE(bid, 10 SECONDS) "
    "GROUP BY auction",
    "interval join": "SELECT b.auction, b.price, a.seller FROM bid [NOW] b "
    "JOIN auction [RANGE 10 SECONDS] a ON b.auction = a.id",
    "sliding AVG": "SELECT auction, AVG(price) AS mean FROM bid [RANGE 60 SECONDS] "
    "GROUP BY auction",
    "sliding MAX": "SELECT auction, MAX(price) AS hi FROM bid [RANGE 60 SECONDS] GROUP BY auction",
    "hot items": "SELECT auction, COUNT(*) AS n FROM bid [RANGE 60 SECONDS SLIDE 1 SECOND] "
    "GROUP BY auction",
    "row window": "SELECT auction, AVG(price) AS mean FROM bid [PARTITION BY auction ROWS 10] "
    "GROUP BY auction",
    "anti-join": "SELECT a.id FROM auction [RANGE 10 SECONDS] a WHERE NOT EXISTS "
    "(SELECT * FROM bid [RANGE 10 SECONDS] b WHERE b.auction = a.id)",
    "EXCEPT": "SELECT seller AS id FROM auction [RANGE 10 SECONDS] EXCEPT "
    "SELECT bidder FROM bid [RANGE 10 SECONDS]",
    "DISTINCT": "SELECT DISTINCT auction, bidder FROM bid [RANGE 10 SECONDS]",
    "MEDIAN": "SELECT auction, MEDIAN(price) AS mid FROM TUMBLE(bid, 10 SECONDS) GROUP BY auction",
}
REGISTERED = {
    "tumbling join (q8)": "SELECT p.id, p.name FROM TUMBLE(person, 10 SECONDS) p "
    "JOIN TUMBLE(auction, 10 SECONDS) a ON p.id = a.seller",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="*", help="parts of the names of queries; by default all")
    parser.add_argument("--events", type=int, default=4_000_000)
    parser.add_argument("--slabs", type=int, default=4)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--out", type=Path, default=Path("build/slabs.json"))
    asked = parser.parse_args()
    spark, folder = spark_session(), Path(tempfile.mkdtemp(prefix="continua-slabs-"))
    found: dict[str, object] = {}
    try:
        for data, scale, queries in (("bids", 1, BIDS), ("registered", 10, REGISTERED)):
            chosen = {
                name: query
                for name, query in queries.items()
                if not asked.cases or any(part in name for part in asked.cases)
            }
            if chosen:
                store(spark, folder / data, Nexmark(scale * asked.events), asked.slabs, scale == 1)
            for name, query in chosen.items():
                found[name] = compare(spark, folder / data, name, query, asked.slabs, asked.repeats)
        asked.out.parent.mkdir(parents=True, exist_ok=True)
        asked.out.write_text(json.dumps(found, indent=2))
    finally:
        shutil.rmtree(folder)
        spark.stop()


def store(spark: SparkSession, folder: Path, events: Nexmark, slabs: int, bids: bool) -> None:
    """The streams, each in as many files as there are to be slabs."""
    for kind in STREAMS if bids else ("person", "auction"):
        events.rows(spark, kind, slabs).write.parquet(str(folder / kind))
        for number, path in enumerate(sorted((folder / kind).glob("part-*"))):
            # Spark takes files in the order in which they were written.
            os.utime(path, (number, number))


def compare(
    spark: SparkSession, folder: Path, name: str, query: str, slabs: int, repeats: int
) -> dict[str, object]:
    live(spark, folder, query)
    history(spark, folder, query)
    lives, histories = [], []
    for _ in range(repeats):
        lives.append(used(lambda: live(spark, folder, query)))
        histories.append(used(lambda: history(spark, folder, query)))
    ratios = [(a - FIXED * slabs) / b for a, b in zip(lives, histories, strict=True)]
    ratio, cost, over = map(statistics.median, (ratios, lives, histories))
    print(
        f"{name:20} live {cost:6.2f} s   history {over:6.2f} s   all {cost / over:5.2f}   "
        f"without {FIXED} s a slab {ratio:5.2f} ({min(ratios):.2f} to {max(ratios):.2f}): "
        f"{'holds' if ratio <= MOST else 'DOES NOT HOLD'}",
        flush=True,
    )
    return {"query": query, "live": lives, "history": histories, "ratio": ratio}


def used(work: Work) -> float:
    before = cpu_seconds()
    work()
    return cpu_seconds() - before


def declared(session: Session, folder: Path, query: str, output: Path) -> None:
    for kind, columns in STREAMS.items():
        if (folder / kind).exists():
            session.sql(STREAM.format(name=kind, kind=kind, columns=columns, folder=folder))
    session.sql(f"CREATE SINK k USING parquet OPTIONS (path '{output}')")
    session.sql(f"INSERT INTO k {query}")


def history(spark: SparkSession, folder: Path, query: str) -> None:
    declared(Session(spark=spark), folder, query, folder / "out")
    shutil.rmtree(folder / "out")


def live(spark: SparkSession, folder: Path, query: str) -> None:
    session = Session(spark=spark, live=True)
    declared(session, folder, query, folder / "out")
    running = session.start(folder / "checkpoint", once=True, files_at_once=1)
    running.finish()
    running.stop()
    shutil.rmtree(folder / "out")
    shutil.rmtree(folder / "checkpoint")


if __name__ == "__main__":
    main()
