"""Processes that stay, of which one works at a time: Continua's, and one for each of the others."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

from systems import SYSTEMS, program

from continua.physical.spark_internals.java import garbage_collector, java_home

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
FLINK = ROOT / "build" / "peers" / "flink" / "bin" / "python"


class Cost(NamedTuple):
    cpu: float
    wall: float


class Failed(Exception):
    """A system could not run a query."""


class Worker:
    """A system, and the process that runs it."""

    def __init__(self, process: subprocess.Popen[str], system: str) -> None:
        self._process = process
        self._system = system

    def run(self, query: str, data: Path, format_: str, output: Path | None = None) -> Cost:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        asked = {
            "system": self._system,
            "query": query,
            "data": str(data),
            "format": format_,
            "output": output and str(output),
        }
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit("a worker has ended")
        answer = json.loads(line)
        if answer["error"] is not None:
            raise Failed(answer["error"])
        return Cost(answer["cpu"], answer["wall"])


@contextmanager
def working() -> Iterator[dict[str, Worker]]:
    """A worker for every system that is installed."""
    with ExitStack() as stack:
        programs = {program(s): None for s in SYSTEMS if s != "flink" or FLINK.exists()}
        processes = {name: stack.enter_context(_process(name)) for name in programs}
        yield {s: Worker(processes[program(s)], s) for s in SYSTEMS if program(s) in processes}


@contextmanager
def _process(name: str) -> Iterator[subprocess.Popen[str]]:
    # The folder of this file is first on the path by itself; in it is a package that gives a sink.
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT / "bench")])
    environment = {**os.environ, "PYTHONPATH": path, "JAVA_HOME": str(java_home())}
    if name == "flink":
        # The memory and the collector that the others have; Java takes a quarter by itself.
        environment["JVM_ARGS"] = garbage_collector()
    process = subprocess.Popen(
        [str(FLINK) if name == "flink" else sys.executable, str(HERE / "work.py")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    )
    try:
        yield process
    finally:
        assert process.stdin is not None
        process.stdin.close()
        process.wait()
