"""Generated bids: the same for the same arguments, on whatever machine, made by Spark itself."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

RATE = 1_000
"""Bids in a second of application time."""


@dataclass(frozen=True)
class Bids:
    """So many bids at RATE, over so many auctions.

    skewed: auctions are drawn with a long tail (the logarithm of their number is uniform).
    hot: this share of all bids goes to auction 0; the others are uniform.
    """

    rows: int
    auctions: int = 2_000
    skewed: bool = True
    hot: float = 0.0
    seed: int = 1

    def frame(self, spark: SparkSession) -> DataFrame:
        """`auction BIGINT, bidder BIGINT, price BIGINT, cost DOUBLE, at TIMESTAMP`."""

        def uniform(salt: int) -> str:
            return f"((xxhash64(id, {self.seed}, {salt}) & 1048575) / 1048576D)"

        auction = f"CAST(floor({uniform(1)} * {self.auctions}) AS BIGINT)"
        if self.skewed:
            auction = f"CAST(floor(pow({self.auctions}D, {uniform(1)})) - 1 AS BIGINT)"
        if self.hot:
            auction = f"IF({uniform(2)} < {self.hot}, 0L, {auction})"
        price = f"CAST(floor({uniform(3)} * 10000) AS BIGINT)"
        return spark.range(0, self.rows, 1, 4).selectExpr(
            f"{auction} AS auction",
            f"CAST(floor({uniform(4)} * 500) AS BIGINT) AS bidder",
            f"{price} AS price",
            f"{price} / 100D AS cost",
            f"timestamp_micros(1767225600000000L + id * {1_000_000 // RATE}L) AS at",
        )

    def stored(self, spark: SparkSession, folder: Path) -> DataFrame:
        """The bids as Parquet, written once: generating them is not what is measured."""
        path = folder / f"{self.rows}-{self.auctions}-{self.skewed}-{self.hot}-{self.seed}"
        if not path.exists():
            self.frame(spark).write.parquet(str(path))
        return spark.read.parquet(str(path))


def folder() -> Path:
    """Where the bids of a run are kept."""
    return Path(tempfile.mkdtemp(prefix="continua-bench-"))
