"""The streams of NEXMark in files, the same rows for every system.

As a program of its own, so that its Spark is gone when others are measured; it prints how many rows
there are.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from nexmark import Nexmark
from pyspark.sql import SparkSession
from systems import FORMATS, WHOLE

from continua.physical.spark import spark_session

STREAMS_OF = {"bids": ("person", "auction", "bid"), "registered": ("person", "auction")}
LARGER = {"bids": 1, "registered": 10}
"""How many times as many events there are where only persons and auctions are read."""


def stored(
    folder: Path, data: Iterable[str], events: int, rate: int, slabs: int
) -> dict[str, dict[str, int]]:
    """Has the streams written, and gives the numbers of their rows."""
    numbers = map(str, (events, rate, slabs))
    command = [sys.executable, __file__, str(folder), *numbers, *data]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    counts: dict[str, dict[str, int]] = json.loads(done.stdout)
    return counts


def main() -> None:
    folder, events, rate, slabs, *data = sys.argv[1:]
    spark = spark_session()
    counts = {
        name: _store(spark, Path(folder) / name, name, int(events), int(rate), int(slabs))
        for name in data
    }
    print(json.dumps(counts))


def _store(
    spark: SparkSession, folder: Path, data: str, events: int, rate: int, slabs: int
) -> dict[str, int]:
    """Writes each stream in so many files of each format, and counts its rows.

    Where CSV is to be read in one file, because a system promises no order of files, it lies there
    a second time, with all rows in it.
    """
    made = Nexmark(LARGER[data] * events, rate=rate)
    counts = {}
    for kind in STREAMS_OF[data]:
        rows = made.rows(spark, kind, slabs)
        for format_ in FORMATS:
            path = folder / format_ / kind
            writer = rows.write.option("timestampFormat", "yyyy-MM-dd HH:mm:ss.SSS")
            writer.format(format_).save(str(path))
            parts = sorted(path.glob("part-*"))
            for number, part in enumerate(parts):
                # Spark takes files in the order in which they were written.
                os.utime(part, (number, number))
            if format_ == "csv":
                _join(parts, folder / WHOLE / kind)
        counts[kind] = spark.read.parquet(str(folder / "parquet" / kind)).count()
    return counts


def place(folder: Path, data: str, format_: str, system: str) -> Path:
    """Where a system finds the streams."""
    return folder / data / (WHOLE if system == "flink" else format_)


def _join(parts: list[Path], folder: Path) -> None:
    folder.mkdir(parents=True)
    with (folder / "all.csv").open("wb") as joined:
        for part in parts:
            with part.open("rb") as rows:
                shutil.copyfileobj(rows, joined)


if __name__ == "__main__":
    main()
