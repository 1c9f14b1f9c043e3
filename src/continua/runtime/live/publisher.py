"""Handing on what a slab has put out, while the next may already be computed."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from threading import current_thread

from pyspark.sql import DataFrame

from continua.errors import ContinuaError
from continua.physical.script import Script
from continua.runtime.live.continuous import Continuous
from continua.runtime.live.query_graph import Unit
from continua.runtime.rows import SparkRows
from continua.runtime.sinks.sink import TAG, Sink
from continua.runtime.spark_errors import Suspicion, translated

THREADS = "continua-publish"

AT_ONCE = 4
"""Sinks that are written to at the same time."""

Output = Callable[[int], None]
"""Hands rows to a sink, or to several that are alike, as those of a slab."""


def to_sink(sink: Sink, rows: DataFrame) -> Output:
    return lambda slab: sink.publish(slab, SparkRows(rows))


def routed(unit: Unit, sinks: Mapping[Continuous, Sink], rows: DataFrame) -> list[Output]:
    """The rows of a query for its sink, those of merged queries for the sink of each.

    Sinks that are alike and take the same columns are given them together.
    """
    if unit.own is None:
        return [to_sink(sinks[query], rows) for query in unit.queries]
    together: dict[tuple[Hashable, tuple[str, ...]], dict[str, Sink]] = {}
    _, *columns = rows.columns
    for query in unit.queries:
        sink, names = sinks[query], query.plan.schema.names
        shown = (*names, *columns[len(names) :])
        together.setdefault((sink.alike, shown), {})[query.name] = sink
    return [_to_all(found, rows.toDF(TAG, *shown)) for (_, shown), found in together.items()]


def _to_all(sinks: Mapping[str, Sink], rows: DataFrame) -> Output:
    kind = type(next(iter(sinks.values())))
    return lambda slab: kind.publish_together(slab, sinks, rows)


class Publisher:
    """To publish a slab again changes nothing; so it is enough to have done so before the next
    slab is committed."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(AT_ONCE, THREADS)
        self._under_way: list[Future[None]] = []

    def publish(self, slab: int, outputs: Sequence[Output]) -> None:
        """Begins to hand the rows of a slab to their sinks."""

        def hand_on(output: Output) -> None:
            try:
                with translated(Script()):
                    output(slab)
            except Suspicion:
                message = f"what slab {slab} has put out cannot be read"
                raise ContinuaError("CANNOT_WRITE", message) from None

        self._under_way = [self._pool.submit(hand_on, output) for output in outputs]

    def settle(self) -> None:
        """Waits until all of it has been done; raises what has gone wrong."""
        under_way, self._under_way = self._under_way, []
        wait(under_way)
        for done in under_way:
            done.result()

    @staticmethod
    def here() -> bool:
        """Whether it is we who are calling, by way of a function of the user's."""
        return current_thread().name.startswith(THREADS)

    def close(self) -> None:
        self._pool.shutdown()
