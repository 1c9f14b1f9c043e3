"""What all systems are given, and what is asked of them."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

STREAMS = {
    "person": "id BIGINT, name STRING, email STRING, card STRING, city STRING, state STRING",
    "auction": "id BIGINT, item STRING, initial_bid BIGINT, reserve BIGINT, expires TIMESTAMP, "
    "seller BIGINT, category BIGINT",
    "bid": "auction BIGINT, bidder BIGINT, price BIGINT, channel STRING, url STRING",
}
"""The columns of the streams; behind them comes `at`, the time."""

SYSTEMS = ("continua history", "continua live", "flink", "spark", "duckdb")
FORMATS = ("parquet", "csv")

WHOLE = "whole"
"""The folder of the streams whose rows lie in one file each."""


class System(Protocol):
    """Runs queries over the streams in a folder."""

    def run(self, query: str, data: Path, format_: str, output: Path | None) -> None:
        """Runs a query to its end.

        data: a folder with a folder of files for every stream.
        output: where to write Parquet (Flink: CSV), or None: rows are computed and dropped.
        """


def program(system: str) -> str:
    """What runs the system: Continua does, over history and live."""
    return system.split()[0]


def kinds(data: Path) -> list[str]:
    """The streams that there are."""
    return [kind for kind in STREAMS if (data / kind).exists()]
