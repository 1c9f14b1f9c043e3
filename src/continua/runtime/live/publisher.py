"""Handing on what a slab has put out, while the next may already be computed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from threading import current_thread

from pyspark.sql import DataFrame

from continua.errors import ContinuaError
from continua.physical.script import Script
from continua.runtime.live.continuous import Continuous
from continua.runtime.live.query_graph import Unit
from continua.runtime.live.sinks import TAG, DirectorySink, DirectorySinks, LiveSink
from continua.runtime.spark_errors import Suspicion, translated

THREADS = "continua-publish"

AT_ONCE = 4
"""Sinks that are written to at the same time."""

Output = tuple[LiveSink, DataFrame]


def routed(unit: Unit, sinks: Mapping[Continuous, LiveSink], rows: DataFrame) -> list[Output]:
    """The rows of a query for its sink, those of merged queries for the sink of each.

    Directories that take the same rows are written to by one job.
    """
    if unit.own is None:
        return [(sinks[query], rows) for query in unit.queries]
    outputs: list[Output] = []
    alike: dict[tuple[str, ...], dict[str, DirectorySink]] = {}
    tag, *columns = rows.columns
    for query in unit.queries:
        sink, names = sinks[query], query.plan.schema.names
        shown = (*names, *columns[len(names) :])
        if isinstance(sink, DirectorySink):
            alike.setdefault((sink.kind, *shown), {})[query.name] = sink
        else:
            outputs.append((sink, rows.where(rows[0] == query.name).drop(tag).toDF(*shown)))
    for (_, *named), found in alike.items():
        outputs.append((DirectorySinks(found), rows.toDF(TAG, *named)))
    return outputs


class Publisher:
    """To publish a slab again changes nothing; so it is enough to have done so before the next
    slab is committed."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(AT_ONCE, THREADS)
        self._under_way: list[Future[None]] = []

    def publish(self, slab: int, outputs: Sequence[Output]) -> None:
        """Begins to hand the rows of a slab to their sinks."""

        def hand_on(output: Output) -> None:
            sink, rows = output
            try:
                with translated(Script()):
                    sink.publish(slab, rows)
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
