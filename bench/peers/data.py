"""The streams of NEXMark in files, the same rows for every system."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from nexmark import Nexmark
from pyspark.sql import SparkSession
from systems import FORMATS, WHOLE

STREAMS_OF = {"bids": ("person", "auction", "bid"), "registered": ("person", "auction")}
LARGER = {"bids": 1, "registered": 10}
"""How many times as many events there are where only persons and auctions are read."""


def store(
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
            path = folder / data / format_ / kind
            writer = rows.write.option("timestampFormat", "yyyy-MM-dd HH:mm:ss.SSS")
            writer.format(format_).save(str(path))
            parts = sorted(path.glob("part-*"))
            for number, part in enumerate(parts):
                # Spark takes files in the order in which they were written.
                os.utime(part, (number, number))
            if format_ == "csv":
                _join(parts, folder / data / WHOLE / kind)
        counts[kind] = spark.read.parquet(str(folder / data / "parquet" / kind)).count()
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
