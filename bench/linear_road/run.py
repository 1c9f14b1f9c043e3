"""`python bench/linear_road/run.py`: how many vehicles are told their tolls within 5 s.

The load is doubled as long as the 95th percentile is at most 5 s. Then the limit is looked for by
bisection, until the time is up.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from pathlib import Path

from in_real_time import LIMIT, Outcome, outcome_at
from search import search

from continua.physical.spark import spark_session


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vehicles", type=int, default=1_000, help="the load to begin with")
    parser.add_argument("--seconds", type=int, default=60, help="of each load, that count")
    parser.add_argument("--settling", type=int, default=60, help="of each load, that do not")
    parser.add_argument(
        "--minutes", type=float, default=15.0, help="when no load is begun any more"
    )
    parser.add_argument("--out", type=Path, default=Path("build/linear_road.json"))
    asked = parser.parse_args()
    spark, folder = spark_session(), Path(tempfile.mkdtemp(prefix="continua-linear-road-"))
    until = time.monotonic() + 60 * asked.minutes

    def tried(vehicles: int) -> Outcome | None:
        if time.monotonic() > until:
            return None
        outcome = outcome_at(spark, folder / "run", vehicles, asked.settling, asked.seconds)
        print(outcome, flush=True)
        return outcome

    try:
        found = search(tried, asked.vehicles)
    finally:
        spark.stop()
    report(found, asked.out)


def report(found: list[Outcome], out: Path) -> None:
    held = max((outcome.vehicles for outcome in found if outcome.held), default=None)
    print(f"the highest load held: {held} vehicles" if held else "no load was held")
    cores, load = os.cpu_count(), os.getloadavg()
    told = {
        "limit": LIMIT,
        "held": held,
        "cores": cores,
        "load_average": load,
        "tried": [outcome.summary() for outcome in found],
    }
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(told, indent=2))
    print(f"written to {out}")


if __name__ == "__main__":
    main()
