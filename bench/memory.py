"""Ten million bids in windows of a minute, in a driver of two gigabytes.

Also: counts and sums do not depend on the number of partitions.
"""

from __future__ import annotations

import os
import shutil
import time

os.environ["PYSPARK_SUBMIT_ARGS"] = "--driver-memory 2g pyspark-shell"

from bids import Bids, folder

import continua
from continua.physical.spark import spark_session

QUERIES = {
    "sums": "SELECT auction, COUNT(*) AS n, SUM(price) AS s FROM bids WINDOW(RANGE 60 SECONDS) "
    "GROUP BY auction",
    "max": "SELECT auction, MAX(price) AS s, COUNT(*) AS n FROM bids WINDOW(RANGE 60 SECONDS) "
    "GROUP BY auction",
}


def main(rows: int = 10_000_000) -> None:
    spark, kept = spark_session(), folder()
    try:
        frame = Bids(rows).stored(spark, kept)
        heap = spark.sparkContext._jvm.java.lang.Runtime.getRuntime().maxMemory()
        print(f"{rows} bids, a heap of {heap / 2**30:.2f} GiB")
        for name, text in QUERIES.items():
            found = set()
            for partitions in (2, 7):
                session = continua.Session(spark=spark)
                session.spark.conf.set("spark.sql.shuffle.partitions", str(partitions))
                session.from_dataframe("bids", frame, time="at")
                before = time.perf_counter()
                result = session.sql(text).to_spark(canonical=False)
                row = result.selectExpr("count(*)", "sum(n)", "sum(s)", "max(s)").head()
                seconds = time.perf_counter() - before
                found.add(tuple(row or ()))
                print(f"{name}, {partitions} partitions: {seconds:.0f} s, {tuple(row or ())}")
            assert len(found) == 1, "the number of partitions changed the result"
    finally:
        shutil.rmtree(kept, ignore_errors=True)
        spark.stop()


if __name__ == "__main__":
    main()
