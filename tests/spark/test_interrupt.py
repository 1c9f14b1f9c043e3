"""Ctrl-C ends a command with one word, whatever Spark is doing, and leaves nothing behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from engine_process import BRIEF
from pyspark.sql import SparkSession

from continua.runtime.interrupt import interruptible

pytestmark = pytest.mark.spark

BIDS = """
CREATE STREAM Bid (itemID INT, bid_price REAL, bidderID INT, timestamp TIMESTAMP)
SOURCE auctions('Bid', events => 6000, gap => 600, seed => 1) ORDERED BY timestamp;
"""
SHORT = "SELECT 1 AS x;"
ENDLESS = """
SELECT COUNT(*) AS n
FROM Bid WINDOW(RANGE UNBOUNDED) a, Bid WINDOW(RANGE UNBOUNDED) b, Bid WINDOW(RANGE UNBOUNDED) c
WHERE a.bid_price + b.bid_price + c.bid_price < 0;
"""


@pytest.mark.apart
@pytest.mark.parametrize(
    ("before", "seconds"), [("SHOW STREAMS;", 1.5), (SHORT, 3)], ids=["starting Java", "a query"]
)
def test_a_command_is_interrupted(tmp_path: Path, before: str, seconds: float) -> None:
    script = tmp_path / "q.sql"
    script.write_text(BIDS + before + ENDLESS)
    process = subprocess.Popen(
        [sys.executable, "-m", "continua", "run", str(script)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "SPARK_SUBMIT_OPTS": BRIEF},
        start_new_session=True,
    )
    try:
        assert process.stdout is not None
        process.stdout.readline()  # the first result: what follows runs
        time.sleep(seconds)
        os.killpg(process.pid, signal.SIGINT)
        # A Java that is left behind would keep the pipes open.
        _, said = process.communicate(timeout=600)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
    assert (process.returncode, said) == (130, "note: interrupted\n")


def test_a_job_that_begins_after_the_interrupt_is_cancelled_too(spark: SparkSession) -> None:
    """As in PySpark, which waits for what it has asked for, also for what Spark still plans."""

    def wait() -> None:
        try:
            time.sleep(600)
        finally:
            spark.range(10**15).selectExpr("sum(id % 7)").collect()

    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt), interruptible(spark.sparkContext):
        wait()
