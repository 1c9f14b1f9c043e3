"""From slab to slab: what has come is computed, committed, and handed on (design §7)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from time import monotonic
from typing import Any

from pyspark.sql import DataFrame

from continua.errors import ContinuaError
from continua.model.catalog import Relation
from continua.physical.relation import Rel
from continua.physical.scan import delivered
from continua.physical.script import Script
from continua.runtime.engine import Engine
from continua.runtime.live.arrivals import Arrivals
from continua.runtime.live.checkpoint import Checkpoint
from continua.runtime.live.continuous import Continuous
from continua.runtime.live.intake import Arrived, incoming, is_live, unreadable
from continua.runtime.live.live_graph import LiveGraph, came
from continua.runtime.live.manifest import Manifest
from continua.runtime.live.publisher import Output, Publisher, routed, to_sink
from continua.runtime.live.query_graph import is_output
from continua.runtime.sinks.file_sink import FileSink
from continua.runtime.sinks.parquet_sink import COMPRESSIONS, ParquetSink
from continua.runtime.sinks.sink import Sink
from continua.runtime.sources.spark_files import adopted
from continua.runtime.spark_errors import Lost, Suspicion, translated, writing

Complete = Callable[[Relation, bool], DataFrame]
"""The rows of a relation that has all of them from the beginning, exactly if asked to."""

Coming = Callable[[bool], Sequence[Arrived]]
"""The rows that have come, read by Spark or, if asked to, by the exact reader."""

ASIDE = ("late", "bad")
"""Why rows are set aside."""

MICROS = 1_000_000


class Advance:
    """A graph with its sinks, which advances when it is told of rows, or of time that has passed.

    before: where the graph stood before its last slab.
    """

    def __init__(
        self,
        engine: Engine,
        queries: Mapping[Continuous, Sink],
        checkpoint: Checkpoint,
        complete: Complete,
    ) -> None:
        self._engine = engine
        self._sinks = dict(queries)
        self._checkpoint = checkpoint
        self._complete = complete
        self._publisher = Publisher()
        self._owed = False
        self.graph = LiveGraph(engine, list(queries), checkpoint)
        self.before = self.graph.manifest
        self._woken = dict.fromkeys(self.live, monotonic())
        checkpoint.agree(self.graph.manifest)
        with self._opened(list(queries.values()), self.graph.manifest.number > 0):
            if self.graph.manifest.number:
                self._publish()
                self.settle()
            else:
                self.take(self._finite(self.graph.relations))

    @property
    def live(self) -> list[Relation]:
        """The relations of which rows may come."""
        return [relation for relation in self.graph.relations if is_live(relation)]

    def change(self, queries: Mapping[Continuous, Sink], told: str | None) -> None:
        """Has other queries run from here on; see `Running.change`."""
        self.settle()
        before, graph = self._sinks, self.graph
        known = set(graph.relations)
        joining = [sink for query, sink in queries.items() if query not in before]
        with self._opened(joining):
            graph.change(list(queries), told)
            self._sinks = dict(queries)
            try:
                new = [relation for relation in graph.relations if relation not in known]
                if any(map(is_live, new)):
                    # Which fails if one of them cannot be read.
                    incoming(self._engine, self.live, {})
                self.take(self._finite(new))
            except BaseException:
                graph.change(list(before))
                self._sinks = before
                raise
        for query, sink in before.items():
            if query not in queries:
                sink.close()

    @contextmanager
    def _opened(self, sinks: Sequence[Sink], again: bool = False) -> Iterator[None]:
        """Opens sinks where the graph stands, and closes them if what is done inside fails.

        again: whether the run goes on: what slabs have published that are lost is removed.
        """
        slab = self.graph.manifest.number
        for sink in [*sinks, *self._all_aside()] if again else ():
            sink.forget(slab)
        with ExitStack() as opened:
            for sink in sinks:
                sink.open(slab)
                opened.callback(sink.close)
            yield
            opened.pop_all()

    def take(self, rows: Coming, **how: Any) -> None:
        """A slab with the rows that have come; for the rest see `LiveGraph.take`.

        A row that Spark's reader could not take is looked at again by the exact one.
        """
        for exact in (False, True):
            with self._engine.temporary(), suppress(Suspicion):
                manifest = self._computed(rows, exact, how)
                break
        else:
            raise self._unreadable()
        self.settle()
        self.before = self.graph.manifest
        with writing():
            self.graph.commit(manifest)
        self.woken([r for r in self.live if came(self.before, manifest, r)])
        self._publish()

    def _computed(self, rows: Coming, exact: bool, how: Mapping[str, Any]) -> Manifest:
        with translated(Script()):
            found = rows(exact)
        arrivals = Arrivals(self._engine, found)
        try:
            standing = self._standing(exact)
            return self.graph.take(arrivals, idle=self.idle(), standing=standing, **how)
        finally:
            arrivals.release()

    def _unreadable(self) -> ContinuaError:
        """Neither Spark's reader nor the exact one can read something."""
        # Only Spark reads the formats of USING, and it does not say which row it was.
        for relation in self.live:
            if (error := unreadable(relation)) is not None:
                return error
        return ContinuaError("SOURCE_NOT_FOUND", "a file that was there has gone, or has changed")

    def woken(self, relations: Collection[Relation]) -> None:
        """Notes that streams have brought something, or are new."""
        known = {r: t for r, t in self._woken.items() if r in self.live}
        # Others look at it while it is made.
        self._woken = known | dict.fromkeys(relations, monotonic())

    def idle(self) -> list[Relation]:
        """The streams that have brought nothing for as long as they said they might."""
        now = monotonic()
        return [
            relation
            for relation, last in self._woken.items()
            if relation.idle_after is not None and now - last >= relation.idle_after / MICROS
        ]

    def settle(self) -> None:
        """Waits until the last slab has been handed on, and cleans up behind it.

        What could not be handed on is tried again the next time: no slab is left out.
        """
        with self.graph.watch("publish"):
            try:
                self._settle()
            except Lost:
                self.graph.cool()
                self._settle()
        self._checkpoint.clean(self.graph.manifest)

    def _settle(self) -> None:
        if self._owed:
            self._begin_to_publish()
        self._owed = True
        self._publisher.settle()
        self._owed = False

    def close(self) -> None:
        try:
            self.settle()
        finally:
            self._publisher.close()
            for sink in self._sinks.values():
                sink.close()

    def kept(self, kind: str, relation: Relation) -> DataFrame:
        """The rows of a stream that have been set aside, being late or bad."""
        folder = self._aside(kind, relation.name.lower()).path
        if not any(folder.glob("*.parquet")):
            return self._engine.spark.range(0).select()
        return self._engine.spark.read.parquet(str(folder))

    def _publish(self) -> None:
        """Begins to hand on what the last slab has put out, which is committed whatever happens.

        What goes wrong here goes wrong again in `settle`, or does not.
        """
        self._owed = True
        with suppress(Exception):
            self._begin_to_publish()
            self._owed = False

    def _begin_to_publish(self) -> None:
        manifest = self.graph.manifest
        outputs: list[Output] = []
        for unit in self.graph.units:
            rows = self.graph.output(unit)
            if rows is not None:
                outputs += routed(unit, self._sinks, rows)
        for name in manifest.outputs:
            if not is_output(name):
                outputs.append(to_sink(self._aside(*name.split(" ", 1)), self.graph.aside(name)))
        self._publisher.publish(manifest.number, outputs)

    def _aside(self, kind: str, stream: str) -> FileSink:
        """Where late or bad rows of a stream are set aside; no other run has written there."""
        folder = self._checkpoint.path / kind / stream
        return ParquetSink(kind, {"path": folder, "compression": COMPRESSIONS[0]})

    def _all_aside(self) -> list[FileSink]:
        return [self._aside(kind, r.name.lower()) for kind in ASIDE for r in self.live]

    def _finite(self, relations: Sequence[Relation]) -> Coming:
        """What is complete from the beginning comes with the first slab that knows of it."""
        since = self.graph.manifest.reached

        def rows(exact: bool) -> list[Arrived]:
            found = {r: self._whole(r, exact) for r in relations if not is_live(r)}
            # What had begun before stands, and is delivered to each query at its origin.
            return [Arrived(r, frame.where(f"start >= {since}")) for r, frame in found.items()]

        return rows

    def _standing(self, exact: bool) -> dict[Relation, Rel]:
        """The relations of which queries that are about to begin want what is valid already."""
        finite = [relation for relation in self.graph.awaited if not is_live(relation)]
        return {r: self._engine.view(delivered(r), self._whole(r, exact)) for r in finite}

    def _whole(self, relation: Relation, exact: bool) -> DataFrame:
        return adopted(self._engine.spark, self._complete(relation, exact))
