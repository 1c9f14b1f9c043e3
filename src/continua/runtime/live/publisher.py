"""Handing on what a slab has put out, while the next may already be computed."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor

from pyspark.sql import DataFrame

from continua.physical.script import Script
from continua.runtime.live.sinks import LiveSink
from continua.runtime.spark_errors import translated

AT_ONCE = 4
"""Sinks that are written to at the same time."""

Output = tuple[LiveSink, DataFrame]


class Publisher:
    """To publish a slab again changes nothing; so it is enough to have done so before the next
    slab is committed."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(AT_ONCE, "continua-publish")
        self._under_way: list[Future[None]] = []

    def publish(self, slab: int, outputs: Sequence[Output]) -> None:
        """Begins to hand the rows of a slab to their sinks."""

        def hand_on(output: Output) -> None:
            sink, rows = output
            with translated(Script()):
                sink.publish(slab, rows)

        self._under_way = [self._pool.submit(hand_on, output) for output in outputs]

    def settle(self) -> None:
        """Waits until it has been done; raises what has gone wrong."""
        under_way, self._under_way = self._under_way, []
        for done in under_way:
            done.result()

    def close(self) -> None:
        self._pool.shutdown()
