"""`make bench-peers`: Continua beside Flink SQL, Spark Structured Streaming and DuckDB.

First all have to put out the same over few events; then they run in turn, over many.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
from dataclasses import asdict
from itertools import product
from pathlib import Path
from statistics import median
from typing import Any

from check import Checked, check
from data import place, stored
from machine import machine
from queries import QUERIES, Cannot, Query
from systems import FORMATS
from workers import Cost, Worker, working

FEW, SPARSE = 50_000, 100
"""Events that are compared, and how many there are in a second: windows fill, and expire."""

Series = dict[str, list[Cost]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="*", help="parts of the names of queries; by default all")
    parser.add_argument("--events", type=int, default=2_000_000)
    parser.add_argument("--rate", type=int, default=1_000, help="at most 1,000 events in a second")
    parser.add_argument("--slabs", type=int, default=4)
    parser.add_argument("--warm", type=int, default=2, help="runs that are not counted")
    parser.add_argument("--repeats", type=int, default=5, help="0: compare only")
    parser.add_argument("--out", type=Path, default=Path("build/peers.json"))
    asked = parser.parse_args()
    chosen = [q for q in QUERIES if not asked.cases or any(c in q.name for c in asked.cases)]
    folder = Path(tempfile.mkdtemp(prefix="continua-peers-"))
    found: dict[str, Any] = {**machine(), **numbers(asked), "compared": FEW}
    asked.out.parent.mkdir(parents=True, exist_ok=True)
    try:
        data = sorted({query.data for query in chosen})
        stored(folder / "few", data, FEW, SPARSE, asked.slabs)
        rows = stored(folder / "many", data, asked.events, asked.rate, asked.slabs)
        found["rows"] = {q.name: sum(rows[q.data][kind] for kind in q.streams) for q in chosen}
        with working() as workers:
            checked = [c for q in chosen for c in checked_now(q, workers, folder / "few")]
            found |= {"checked": [asdict(c) for c in checked], "measured": []}
            differing = {c.query for c in checked if not c.holds}
            to_measure = [q for q in chosen if q.name not in differing] if asked.repeats else []
            for query, format_ in product(to_measure, FORMATS):
                found["measured"] += measure(query, format_, workers, folder / "many", asked)
                # What has been measured stays, whatever comes.
                asked.out.write_text(json.dumps(found, indent=1))
    finally:
        shutil.rmtree(folder)
    if differing:
        raise SystemExit(f"not measured, as results differ: {', '.join(sorted(differing))}")


def numbers(asked: argparse.Namespace) -> dict[str, int]:
    return {name: getattr(asked, name) for name in ("events", "rate", "slabs", "repeats")}


def checked_now(query: Query, workers: dict[str, Worker], folder: Path) -> list[Checked]:
    found = check(query, workers, folder)
    print(*found, sep="\n", flush=True)
    return found


def measure(
    query: Query,
    format_: str,
    workers: dict[str, Worker],
    folder: Path,
    asked: argparse.Namespace,
) -> list[dict[str, object]]:
    """What every system needs that has the query and reads the format, run in turn."""
    texts = {
        system: text
        for system in workers
        if (system != "flink" or format_ == "csv")
        and not isinstance(text := query.text(system), Cannot)
    }
    costs: Series = {system: [] for system in texts}
    names = list(texts)
    for number in range(asked.warm + asked.repeats):
        # Who goes first changes, so that nobody always finds the caches warm.
        turn = number % len(names)
        for system in names[turn:] + names[:turn]:
            data = place(folder, query.data, format_, system)
            cost = workers[system].run(texts[system], data, format_)
            if number >= asked.warm:
                costs[system].append(cost)
    found: list[dict[str, object]] = []
    for system, series in costs.items():
        cpu, wall = [c.cpu for c in series], [c.wall for c in series]
        print(
            f"{query.name:20} {format_:8} {system:18} CPU {median(cpu):6.2f} s "
            f"({min(cpu):.2f} to {max(cpu):.2f})   wall {median(wall):6.2f} s",
            flush=True,
        )
        found.append(
            {"query": query.name, "format": format_, "system": system, "cpu": cpu, "wall": wall}
        )
    return found


if __name__ == "__main__":
    main()
