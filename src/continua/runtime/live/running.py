"""A graph that runs: one structured streaming query drives it, batch by batch (design §7)."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame
from pyspark.sql.streaming.query import StreamingQuery

from continua.errors import ContinuaError, did_you_mean
from continua.model.catalog import Relation
from continua.physical.scan import delivered
from continua.physical.script import Rel
from continua.physical.slab import FOREVER
from continua.runtime.engine import Engine
from continua.runtime.in_memory import freed, in_memory
from continua.runtime.live.arrivals import Arrivals
from continua.runtime.live.checkpoint import Checkpoint
from continua.runtime.live.continuous import Continuous
from continua.runtime.live.intake import Arrived, arrived, incoming, is_live
from continua.runtime.live.live_graph import LiveGraph
from continua.runtime.live.publisher import Output, Publisher, routed
from continua.runtime.live.query_graph import is_output
from continua.runtime.live.report import Progress, progress_of
from continua.runtime.live.sinks import DirectorySink, LiveSink, check_free
from continua.runtime.sources.spark_files import adopted
from continua.runtime.sources.spark_using import bad_row
from continua.runtime.spark_errors import SPACE, Lost, Suspicion

Complete = Callable[[Relation, bool, bool], DataFrame]
"""The rows of a relation that has all of them from the beginning: with positions, exactly."""


TICK = 0.2
"""Seconds between two looks for streams that have become idle."""
MICROS = 1_000_000


class Running:
    """All queries of a session that run, and what can be done with them while they do."""

    def __init__(
        self,
        engine: Engine,
        queries: Mapping[Continuous, LiveSink],
        checkpoint: str | Path,
        complete: Complete,
        most_files: int | None = None,
    ) -> None:
        self._engine = engine = engine.apart()
        self._sinks = dict(queries)
        self._complete = complete
        self._most_files = most_files
        self._run = 0
        self._once = False
        self._checkpoint = Checkpoint(checkpoint)
        self._turn = threading.Lock()
        self._stopped = threading.Event()
        self._failure: Exception | None = None
        self._query: StreamingQuery | None = None
        self._publisher = Publisher()
        try:
            self._graph = LiveGraph(engine, list(queries), self._checkpoint)
            self._live = self._live_now
            self._before = self._graph.manifest
            self._woken = dict.fromkeys(self._live, monotonic())
            self._checkpoint.agree(self._graph.manifest)
            if self._graph.manifest.number:
                self._publish()
                self._settle()
            else:
                check_free(queries.values(), 0)
                self._careful(self._finite(list(self._graph.relations)))
        except BaseException:
            self._checkpoint.close()
            raise

    @property
    def status(self) -> str:
        """running, stopped, ended (all streams have), or failed."""
        if self._failure is not None:
            return "failed"
        if self._graph.manifest.ended:
            return "ended"
        active = self._query is not None and self._query.isActive
        return "running" if active and not self._stopped.is_set() else "stopped"

    @property
    def open(self) -> bool:
        """Whether it can go on: nobody has stopped it, and nothing has gone wrong."""
        ended = self._graph.manifest.reached == FOREVER
        return not ended and not self._stopped.is_set() and self._failure is None

    @property
    def progress(self) -> Progress:
        """What the last slab has done, and where the graph stands."""
        times = (query.plan.time for query in self._sinks)
        time = next((t for t in times if t is not None), None)
        graph = self._graph
        spent, operators = dict(graph.seconds), dict(graph.operators or {})
        return progress_of(graph.manifest, self._before, time, spent, operators, graph.label)

    @property
    def checkpoint(self) -> Path:
        """Where all of it is kept."""
        return self._checkpoint.path

    def profile(self, on: bool = True) -> None:
        """Has the time of each operator measured, from the next slab on.

        Then operators are computed one after the other; otherwise they are computed as one.
        """
        with self._turn:
            self._graph.operators = {} if on else None

    def explain(self) -> str:
        """The operators of all queries; those that several queries share have numbers."""
        return self._graph.explained

    def late(self, stream: str) -> DataFrame:
        """The rows that LATE KEEP has set aside: with the reason, and where they came from."""
        return self._kept("late", stream)

    def rejected(self, stream: str) -> DataFrame:
        """The rows that ON ERROR KEEP has set aside: their place, the reason, and their text."""
        return self._kept("bad", stream)

    def run(self, once: bool = False) -> None:
        """Starts to read; with `once`, all that is there now, and then no more."""
        if not self._live:
            return
        # What goes wrong in a batch is raised by `wait`; py4j would also log the whole stack.
        logging.getLogger("py4j.clientserver").setLevel(logging.CRITICAL)
        self._once = once
        self._run += 1
        stream = incoming(self._engine, list(self._live), self._most_files)
        writer = stream.writeStream.option("checkpointLocation", self._checkpoint.spark)
        trigger = {"availableNow": True} if once else {"processingTime": "0 seconds"}
        batch = partial(self._batch, self._run)
        self._query = writer.foreachBatch(batch).trigger(**trigger).start()
        if self._run == 1 and any(relation.idle_after is not None for relation in self._live):
            threading.Thread(target=self._look_for_idle, daemon=True).start()

    def change(self, queries: Mapping[Continuous, LiveSink], told: str | None = None) -> None:
        """Has other queries run from here on, which is noted together with the text that says so.

        Those that are new begin where the graph stands: with what is valid then, and what comes.
        """
        with self._turn:
            self._settle()
            before, graph = self._sinks, self._graph
            known = set(graph.relations)
            joining = [queries[query] for query in queries.keys() - before.keys()]
            check_free(joining, graph.manifest.number)
            graph.change(list(queries), told)
            try:
                new = [relation for relation in graph.relations if relation not in known]
                self._careful(self._finite(new))
            except BaseException:
                graph.change(list(before))
                raise
            self._sinks = dict(queries)
            if not self._live_now.keys() <= self._live.keys():
                self._read_more()

    def _read_more(self) -> None:
        """Streams that were not read before: Spark reads them from its next start on."""
        more = {r: w for r, w in self._live_now.items() if r not in self._live}
        self._woken |= dict.fromkeys(more, monotonic())
        self._live |= more
        if self._query is not None and self._query.isActive:
            self._query.stop()
            self.run(self._once)

    def wait(self, seconds: int | None = None) -> bool:
        """Waits until the reading has stopped; raises what stopped it, if it was a mistake."""
        while (query := self._query) is not None:
            try:
                stopped = query.awaitTermination(seconds)
            except PySparkException as error:
                raise self._failure or _said(error) from None
            if stopped is False:
                return False
            with self._turn:
                if query is self._query:
                    self._settle()
                    break
        return True

    def heartbeat(self, stream: str, t: int) -> None:
        """Says that a stream has come to a time, in its own unit: nothing before it will come."""
        self._take(heard={self._named(stream): t})

    def finish(self) -> None:
        """Everything has come: what is still open is delivered, and the streams end."""
        self.wait()
        self._take(end=True)

    def stop(self) -> None:
        """Finishes the slab that is under way, and lets go of the checkpoint."""
        with self._turn:
            self._stopped.set()
            if self._query is not None:
                self._query.stop()
            try:
                self._settle()
            finally:
                self._publisher.close()
                self._checkpoint.close()

    def _named(self, stream: str) -> Relation:
        for relation in self._live:
            if relation.name.lower() == stream.lower():
                return relation
        hint = did_you_mean(stream, [relation.name for relation in self._live])
        raise ContinuaError("UNKNOWN_STREAM", f"no stream {stream} runs here", hint=hint)

    def _kept(self, kind: str, stream: str) -> DataFrame:
        folder = self._aside(kind, self._named(stream).name)
        if not folder.exists():
            return self._engine.spark.range(0).select()
        return self._engine.spark.read.parquet(str(folder))

    def _aside(self, kind: str, name: str) -> Path:
        return self._checkpoint.path / kind / name.lower()

    @property
    def _live_now(self) -> dict[Relation, bool]:
        return {r: w for r, w in self._graph.relations.items() if is_live(r)}

    def _finite(self, relations: Sequence[Relation]) -> Callable[[bool], Sequence[Arrived]]:
        """What is complete from the beginning comes with the first slab that knows of it."""
        since = self._graph.manifest.reached

        def rows(exact: bool) -> list[Arrived]:
            found = {r: self._whole(r, exact) for r in relations if not is_live(r)}
            # What had begun before stands, and is delivered to each query at its origin.
            return [Arrived(r, frame.where(f"start >= {since}")) for r, frame in found.items()]

        return rows

    def _whole(self, relation: Relation, exact: bool) -> DataFrame:
        frame = self._complete(relation, self._graph.relations[relation], exact)
        return adopted(self._engine.spark, frame)

    def _standing(self, exact: bool) -> dict[Relation, Rel]:
        """The relations of which queries that are about to begin want what is valid already."""
        finite = [relation for relation in self._graph.awaited if not is_live(relation)]
        return {r: self._engine.view(delivered(r), self._whole(r, exact)) for r in finite}

    def _batch(self, run: int, batch: DataFrame, number: int) -> None:
        try:
            with self._turn:
                if self._stopped.is_set() or run != self._run:
                    return
                self._check_batch(number)
                if number > self._graph.manifest.batch:
                    self._taken(batch, number)
        except OSError as error:
            message = f"the slab cannot be written: {error.strerror}: {error.filename}"
            self._failure = ContinuaError("CANNOT_WRITE", message, hint=SPACE)
            raise
        except Exception as error:
            self._failure = error
            raise

    def _taken(self, batch: DataFrame, number: int) -> None:
        assert self._query is not None
        query_id = str(self._query.id)
        # Names of files are read once, rows several times.
        has_rows = any(relation.source.is_format for relation in self._live)
        held = in_memory(batch) if has_rows else batch

        def rows(exact: bool) -> list[Arrived]:
            found = [
                source
                for source in arrived(self._engine, self._live, held, exact)
                if source.relation in self._graph.relations
            ]
            self._woken |= {source.relation: monotonic() for source in found}
            return found

        try:
            self._careful(rows, batch=number, query_id=query_id)
        finally:
            if has_rows:
                freed(held)

    def _careful(self, rows: Callable[[bool], Sequence[Arrived]], **how: Any) -> None:
        """A row that Spark's reader could not take is looked at again by the exact one."""
        for exact in (False, True):
            with self._engine.temporary():
                arrivals = Arrivals(self._engine, rows(exact))
                try:
                    manifest = self._graph.take(
                        arrivals, idle=self._idle(), standing=self._standing(exact), **how
                    )
                    self._settle()
                    self._before = self._graph.manifest
                    self._graph.commit(manifest)
                    self._publish()
                    return
                except Suspicion:
                    continue
                finally:
                    arrivals.release()
        # Only Spark reads the formats of USING, and it does not say which row it was.
        raise bad_row(next(r for r in self._live if r.source.is_format))

    def _take(self, **how: Any) -> None:
        """A slab of its own, without new rows."""
        with self._turn:
            if not self._stopped.is_set():
                self._careful(lambda exact: [], **how)
                self._settle()

    def _idle(self) -> list[Relation]:
        """The streams that have brought nothing for as long as they said they might."""
        now = monotonic()
        return [
            relation
            for relation, last in self._woken.items()
            if relation.idle_after is not None and now - last >= relation.idle_after / MICROS
        ]

    def _look_for_idle(self) -> None:
        """Spark calls us when rows come; that none come is for us to notice."""
        known: list[Relation] = []
        while not self._stopped.wait(TICK) and self._failure is None:
            idle = self._idle()
            if idle != known and len(idle) > len(known):
                self._take()
            known = idle

    def _publish(self) -> None:
        """Hands on what the last slab has put out."""
        manifest = self._graph.manifest
        outputs: list[Output] = []
        for unit in self._graph.units:
            rows = self._graph.output(unit)
            if rows is not None:
                outputs += routed(unit, self._sinks, rows)
        for name in manifest.outputs:
            if not is_output(name):
                kind, stream = name.split(" ", 1)
                aside = DirectorySink("parquet", self._aside(kind, stream), kind)
                outputs.append((aside, self._graph.aside(name)))
        self._publisher.publish(manifest.number, outputs)

    def _settle(self) -> None:
        """Waits until the last slab has been published, and cleans up behind it."""
        with self._graph.watch("publish"):
            try:
                self._publisher.settle()
            except Lost:
                self._graph.cool()
                self._publish()
                self._publisher.settle()
        self._checkpoint.clean(self._graph.manifest)

    def _check_batch(self, number: int) -> None:
        """Spark and the checkpoint must agree on what has been read."""
        manifest = self._graph.manifest
        assert self._query is not None
        if manifest.query_id not in (None, str(self._query.id)) or number > manifest.batch + 1:
            message = (
                f"{self._checkpoint.path} has read up to batch {manifest.batch}, but its record of "
                f"what was read, in {self._checkpoint.spark}, goes on with batch {number}"
            )
            hint = "restore the checkpoint as a whole, or begin with a new one"
            raise ContinuaError("CHECKPOINT", message, hint=hint)


def _said(error: PySparkException) -> ContinuaError:
    first = str(error).strip().splitlines()[0]
    return ContinuaError("EVALUATION", f"Spark failed: {first}")
