"""`make bench-against REV=…`: the same work by this checkout and by another commit, in turn.

Each has a process and a Spark of its own, of which one works at a time. What counts is the ratio of
their CPU-seconds; wall time is noisier, and beside it.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).resolve().parents[1]
SLABS = 10
"""Small slabs that are measured together."""
WORKER = "--worker"


class Cost(NamedTuple):
    cpu: float
    wall: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("other", type=Path, help="a checkout of the other commit")
    parser.add_argument("--rows", type=int, default=500_000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--cases", nargs="*", help="by default all")
    asked = parser.parse_args()
    with working(HERE, asked.rows) as new, working(asked.other.resolve(), asked.rows) as old:
        names = asked.cases or new.names
        print("this / other, median (least to greatest)", flush=True)
        for name in names:
            compare(name, new, old, asked.repeats)


def compare(name: str, new: Worker, old: Worker, repeats: int) -> None:
    new.cost(name)
    old.cost(name)
    pairs = []
    for number in range(repeats):
        # Who goes first changes, so that neither always finds the caches warm.
        first, second = (new, old) if number % 2 else (old, new)
        costs = {first: first.cost(name), second: second.cost(name)}
        pairs.append((costs[new], costs[old]))
    cpu = sorted(n.cpu / o.cpu for n, o in pairs)
    wall = statistics.median(n.wall / o.wall for n, o in pairs)
    seconds = [statistics.median(pair[i].cpu for pair in pairs) for i in (0, 1)]
    print(
        f"{name:24} CPU {statistics.median(cpu):5.2f} ({cpu[0]:.2f} to {cpu[-1]:.2f}; "
        f"{seconds[0]:.2f} s, {seconds[1]:.2f} s)   wall {wall:5.2f}",
        flush=True,
    )


class Worker:
    """A process that works with one of the checkouts."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.names: list[str] = self._said()

    def cost(self, name: str) -> Cost:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{name}\n")
        self._process.stdin.flush()
        return Cost(*self._said())

    def _said(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit("a worker has ended")
        return json.loads(line)


@contextmanager
def working(checkout: Path, rows: int) -> Iterator[Worker]:
    path = os.pathsep.join([str(checkout / "src"), str(HERE / "bench")])
    process = subprocess.Popen(
        [sys.executable, __file__, WORKER, str(rows)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
        cwd=checkout,
    )
    try:
        yield Worker(process)
    finally:
        assert process.stdin is not None
        process.stdin.close()
        process.wait()


def work(rows: int) -> None:
    """What a worker does: a case for every line that it is given.

    The cases are those of this checkout; what they measure is the other one's `continua`.
    """
    from bids import Bids
    from cases import GROWTH, MINUTE, Cases
    from harness import cpu_seconds

    from continua.physical.spark import spark_session
    from live import JOIN, MINUTE_SUM, SUM, WARM, Flow, run_live, store_in_files

    spark, folder = spark_session(), Path(tempfile.mkdtemp(prefix="continua-against-"))
    history = Cases(spark, folder, rows, 1)
    found: dict[str, Callable[[], object]] = {
        name: history.query(Bids(rows), text.format(w=MINUTE)) for name, text in GROWTH.items()
    }
    stored = folder / "in_files"
    store_in_files(spark, stored, 4 * rows)
    flow = Flow(spark, folder / "flow", [JOIN, SUM])
    for _ in range(WARM):
        flow.slab()
    found[f"{SLABS} small live slabs"] = lambda: [flow.slab() for _ in range(SLABS)]
    found["four large live slabs"] = lambda: run_live(
        spark, stored, MINUTE_SUM, folder / "checkpoint"
    )
    print(json.dumps(list(found)), flush=True)
    for line in sys.stdin:
        before, cpu = time.perf_counter(), cpu_seconds()
        found[line.strip()]()
        print(json.dumps([cpu_seconds() - cpu, time.perf_counter() - before]), flush=True)
    flow.stop()
    spark.stop()
    shutil.rmtree(folder)


if __name__ == "__main__":
    if sys.argv[1] == WORKER:
        work(int(sys.argv[2]))
    else:
        main()
