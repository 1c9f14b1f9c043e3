"""Spark's streaming query, which finds what has come and hands it over batch by batch."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from threading import RLock

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame
from pyspark.sql.streaming.query import StreamingQuery

from continua.errors import ContinuaError
from continua.model.catalog import Relation
from continua.physical.spark_internals.error_texts import first_line
from continua.physical.spark_internals.in_memory import freed, in_memory
from continua.physical.spark_internals.quiet import quiet_callbacks
from continua.physical.spark_internals.spark_log import Found, SparkLog
from continua.runtime.engine import Engine
from continua.runtime.live.checkpoint import Checkpoint
from continua.runtime.live.files_read import MOST_FILES_WATCHED
from continua.runtime.live.intake import (
    arrived,
    brings_rows,
    incoming,
    source_names,
)
from continua.runtime.live.live_graph import LiveGraph
from continua.runtime.live.slab_input import BatchNumber, Signal
from continua.runtime.sources.live_source import Arrived, Taken
from continua.runtime.spark_errors import translated_java

TURN_TIMEOUT = 0.2
"""Seconds for which a batch waits for its turn before it looks whether Spark is to stop."""


class Halted(Exception):
    """Spark has been asked to stop while it was about to hand over a batch."""


class Driver:
    """Has Spark read the streams of a graph, and the graph make a slab of each batch.

    turn: the lock; only who holds it may change the graph. failure: what has stopped the reading.
    """

    def __init__(
        self,
        engine: Engine,
        graph: LiveGraph,
        checkpoint: Checkpoint,
        turn: RLock,
        files_at_once: int | None = None,
    ) -> None:
        self.failure: Exception | None = None
        self.query: StreamingQuery | None = None
        self.relations: Sequence[Relation] = graph.members.live
        """The streams that Spark reads, in the order of their numbers in a batch."""
        self._engine = engine
        self._graph = graph
        self._checkpoint = checkpoint
        self._turn = turn
        self._files_at_once = files_at_once
        self._log = SparkLog(checkpoint.spark)
        self._reading = 0
        self._once = False

    @property
    def active(self) -> bool:
        """Whether Spark reads."""
        return self.query is not None and self.query.isActive

    def read(self, once: bool) -> None:
        """Has Spark read what is there now or, unless `once`, all that comes."""
        quiet_callbacks()  # what goes wrong in a batch is raised by `Running.wait`
        if not self._reading:
            self._recall_files()
        self.halt()  # a checkpoint is read from by one streaming query at a time
        self._once = once
        origins = self._graph.manifest.origins
        stream = incoming(self._engine, self.relations, origins, self._files_at_once)
        writer = stream.writeStream.option("checkpointLocation", self._checkpoint.spark)
        trigger = {"availableNow": True} if once else {"processingTime": "0 seconds"}
        batch = partial(self._batch, self._reading)
        self.query = writer.foreachBatch(batch).trigger(**trigger).start()

    def read_others(self, relations: Sequence[Relation]) -> None:
        """Has Spark read these streams, and no others, from its next start on."""
        self.relations = relations
        if self.active:
            self.read(self._once)

    def halt(self) -> None:
        """Stops Spark. A batch that waits for its turn finds another number, and ends."""
        self._reading += 1
        if self.query is not None:
            self.query.stop()

    def fail(self, error: Exception) -> None:
        """Notes what has gone wrong, and has Spark read no more."""
        with self._turn:
            self.failure = error
            # If Java is gone, there is nothing left to halt.
            with suppress(ContinuaError), translated_java():
                self.halt()

    def _recall_files(self) -> None:
        """Notes which files were read before the last stop: they may change."""
        manifest = self._graph.manifest
        for relation in self.relations:
            for name in source_names(relation, manifest.origins):
                noted = self._log.up_to(name, manifest.batch, MOST_FILES_WATCHED)
                self._graph.files.note(relation.name, [Taken(path, None, t) for path, t in noted])

    def _batch(self, reading: int, batch: DataFrame, number: int) -> None:
        """A batch of Spark. Who calls `halt` has the turn, and waits until this has returned."""
        while not self._turn.acquire(timeout=TURN_TIMEOUT):
            self._check_current(reading)
        try:
            self._check_current(reading)
            self._check_batch(number)
            if number > self._graph.manifest.batch:
                self._take_in(batch, number)
        except Halted:
            raise
        except Exception as error:
            self.failure = error
            raise
        finally:
            self._turn.release()

    def _check_current(self, reading: int) -> None:
        # If this returned, Spark would record the batch as done.
        if reading != self._reading:
            raise Halted

    def _check_batch(self, number: int) -> None:
        """Spark and the checkpoint must agree on what has been read."""
        manifest = self._graph.manifest
        if manifest.query_id not in (None, self._query_id) or number > manifest.batch + 1:
            message = (
                f"{self._checkpoint.path} has read up to batch {manifest.batch}, but its record of "
                f"what was read, in {self._checkpoint.spark}, goes on with batch {number}"
            )
            hint = "restore the checkpoint as a whole, or begin with a new one"
            raise ContinuaError("CHECKPOINT", message, hint=hint)

    def _take_in(self, batch: DataFrame, number: int) -> None:
        """Has the graph make a slab of a batch."""
        # Names of files are read once, rows several times.
        has_rows = any(map(brings_rows, self.relations))
        held = in_memory(batch) if has_rows else batch
        graph, found = self._graph, list[Arrived]()

        def rows(exact: bool) -> list[Arrived]:
            nonlocal found
            listed, positioned = self._listed(number), graph.members.graph.positioned
            found = arrived(self._engine, self.relations, held, listed, exact, positioned)
            return [source for source in found if source.relation in graph.members.relations]

        try:
            graph.take(rows, Signal(batch=BatchNumber(self._query_id, number)))
            for source in found:
                graph.files.note(source.relation.name, source.files)
            graph.files.changed()
        finally:
            if has_rows:
                freed(held)

    def _listed(self, number: int) -> dict[Relation, list[Found]]:
        """The files that Spark has found for a batch."""
        origins = self._graph.manifest.origins
        return {
            relation: [
                file
                for name in source_names(relation, origins)
                for file in self._log.of_batch(name, number)
            ]
            for relation in self.relations
        }

    @property
    def _query_id(self) -> str:
        assert self.query is not None
        return str(self.query.id)


def failure_of_spark(error: PySparkException) -> ContinuaError:
    """The error that has ended the reading, if it was not stopped by us."""
    return ContinuaError("EVALUATION", f"Spark failed: {first_line(error)}")
