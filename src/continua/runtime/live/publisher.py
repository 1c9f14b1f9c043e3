"""Handing on what a slab has put out, while the next may already be computed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

from pyspark.sql import DataFrame

from continua.physical.script import Script
from continua.runtime.live.continuous import Continuous
from continua.runtime.live.query_graph import Unit
from continua.runtime.live.sinks import TAG, DirectorySink, DirectorySinks, LiveSink
from continua.runtime.spark_errors import translated

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
