"""`make bench`: runs the cases and writes what was measured as JSON."""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

from bids import folder
from cases import Cases
from harness import Measured, report

from continua.physical.spark import spark_session
from live import LiveCases


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="*", help="the groups of cases to run; by default all")
    parser.add_argument("--rows", type=int, default=2_000_000, help="bids in the larger history")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--out", type=Path, default=Path("build/bench.json"))
    asked = parser.parse_args()
    spark = spark_session()
    kept = folder()
    found: list[Measured] = []
    try:
        groups: dict[str, Callable[[], Iterable[Measured]]] = {
            **Cases(spark, kept, asked.rows, asked.repeats).all(),
            **LiveCases(spark, kept, asked.rows, asked.repeats).all(),
        }
        for name in asked.cases or groups:
            for measured in groups[name]():
                report([measured], None)
                found.append(measured)
        report(found, asked.out)
    finally:
        shutil.rmtree(kept, ignore_errors=True)
        spark.stop()


if __name__ == "__main__":
    main()
