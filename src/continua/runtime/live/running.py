"""A graph that runs: one structured streaming query drives it, batch by batch (design §7)."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame
from pyspark.sql.streaming.query import StreamingQuery

from continua.errors import ContinuaError, did_you_mean
from continua.model.catalog import Relation
from continua.physical.slab import FOREVER
from continua.physical.spark_internals.error_texts import first_line
from continua.physical.spark_internals.hushed import hush_callbacks
from continua.physical.spark_internals.in_memory import freed, in_memory
from continua.physical.spark_internals.spark_log import SparkLog
from continua.runtime.engine import Engine
from continua.runtime.live.advance import Advance
from continua.runtime.live.checkpoint import Checkpoint
from continua.runtime.live.continuous import Continuous
from continua.runtime.live.files_read import MOST, FilesRead
from continua.runtime.live.intake import (
    Arrived,
    arrived,
    brings_rows,
    incoming,
    source_names,
)
from continua.runtime.live.publisher import Publisher
from continua.runtime.live.report import Progress, progress_of
from continua.runtime.sinks.sink import Sink
from continua.runtime.sources.live_source import Taken
from continua.runtime.spark_errors import answered

TICK = 0.2
"""Seconds between two looks for streams that have become idle."""


class Halted(Exception):
    """Spark has been told to stop while it was about to hand over a batch."""


class Running:
    r"""All queries of a session that run, and what can be done with them while they do.

    `Session.start` makes one. Queries join and leave by statements of the session (`INSERT INTO`,
    `DROP QUERY`, or `Session.tell` for several at once).

    >>> from pathlib import Path
    >>> Path("incoming").mkdir()
    >>> size = Path("incoming/1.csv").write_text("item,price,t\n7,10,1\n8,5,3\n7,12,4\n")
    >>> session = Session(live=True)
    >>> session.sql('''
    ...     CREATE STREAM bids (item INT, price INT, t INT) SOURCE csv('incoming') ORDERED BY t;
    ...     CREATE SINK best USING csv OPTIONS (path 'best') AS CHANGES;
    ...     INSERT INTO best
    ...         SELECT item, MAX(price) AS price FROM bids WINDOW(RANGE 3) GROUP BY item''')
    >>> running = session.start("best.checkpoint", once=True)
    >>> print(running.wait())
    True
    """

    def __init__(
        self,
        engine: Engine,
        advance: Advance,
        checkpoint: Checkpoint,
        most_files: int | None = None,
    ) -> None:
        self._engine = engine
        self._most_files = most_files
        self._run = 0
        self._once = False
        self._checkpoint = checkpoint
        self._turn = threading.RLock()
        self._stopped = threading.Event()
        self._failure: Exception | None = None
        self._query: StreamingQuery | None = None
        self._idle: threading.Thread | None = None
        self._advance = advance
        self._graph = advance.graph
        self._live = advance.live
        self._log = SparkLog(checkpoint.spark)
        self._files = self._read_before()

    @property
    def status(self) -> str:
        """One of "running", "stopped", "ended" (all streams have ended) and "failed".

        >>> print(running.status)
        stopped
        """
        if self._failure is not None:
            return "failed"
        if self._graph.manifest.ended:
            return "ended"
        active = self._query is not None and self._query.isActive
        return "running" if active and not self._stopped.is_set() else "stopped"

    @property
    def open(self) -> bool:
        """Whether it can go on: it has not been stopped, and the streams have not ended.

        After a failure it can go on as well: `run` tries again.
        """
        return self._graph.manifest.reached < FOREVER and not self._stopped.is_set()

    @property
    def progress(self) -> Progress:
        """What the last slab has done, and how far the queries have come."""
        graph = self._graph
        times = (query.plan.time for query in graph.queries)
        time = next((t for t in times if t is not None), None)
        spent, operators = dict(graph.seconds), dict(graph.operators or {})
        found = progress_of(
            graph.manifest, self._advance.before, time, spent, operators, graph.label
        )
        return replace(found, changed=self._files.changed())

    @property
    def checkpoint(self) -> Path:
        """The directory from which the queries can go on."""
        return self._checkpoint.path

    def profile(self, on: bool = True) -> None:
        """Has the time that each operator takes measured, from the next slab on.

        `progress.operators` tells it. Operators are then computed one after the other, which is
        slower; otherwise they are computed as one.

        - `on`: False ends the measuring.
        """
        with self._turn:
            self._graph.operators = {} if on else None

    def explain(self) -> str:
        """The operators of all queries, as text; those that several queries share have numbers."""
        return self._graph.explained

    def late(self, stream: str) -> DataFrame:
        """The rows of a stream that `LATE KEEP` has set aside, each with the reason.

        Raises `ContinuaError` (`UNKNOWN_STREAM`) if no query reads such a stream.
        """
        return self._advance.kept("late", self._named(stream))

    def rejected(self, stream: str) -> DataFrame:
        """The rows of a stream that `ON ERROR KEEP` has set aside: place, reason and text.

        Raises `ContinuaError` (`UNKNOWN_STREAM`) if no query reads such a stream.
        """
        return self._advance.kept("bad", self._named(stream))

    def run(self, once: bool = False) -> None:
        """Reads again, after the reading has come to its end or has failed.

        - `once`: read what is there now, and then no more.

        Raises `ContinuaError` (`WRONG_ARGUMENTS`) if it has been stopped.
        """
        with self._in_turn():
            if self._stopped.is_set():
                hint = "session.start goes on from its checkpoint"
                raise ContinuaError("WRONG_ARGUMENTS", "it has been stopped", hint=hint)
            self._failure = None
            if self._live:
                self._read(once)

    def _read_before(self) -> FilesRead:
        """The files that were read before the last stop."""
        files, manifest = FilesRead(), self._graph.manifest
        for relation in self._live:
            for name in source_names(relation, manifest.origins):
                noted = self._log.up_to(name, manifest.batch, MOST)
                files.took(relation.name, [Taken(path, None, t) for path, t in noted])
        return files

    def _read(self, once: bool) -> None:
        hush_callbacks()  # what goes wrong in a batch is raised by `wait`
        self._once = once
        self._run += 1
        origins = self._graph.manifest.origins
        stream = incoming(self._engine, self._live, origins, self._most_files)
        writer = stream.writeStream.option("checkpointLocation", self._checkpoint.spark)
        trigger = {"availableNow": True} if once else {"processingTime": "0 seconds"}
        batch = partial(self._batch, self._run)
        self._query = writer.foreachBatch(batch).trigger(**trigger).start()
        if self._idle is None and any(r.idle_after is not None for r in self._live):
            self._idle = threading.Thread(target=self._look_for_idle, daemon=True)
            self._idle.start()

    def change(self, queries: Mapping[Continuous, Sink], told: str | None = None) -> None:
        """Has other queries run from here on, which is noted together with the text that says so.

        Those that are new begin where the graph stands: with what is valid then, and what comes.
        """
        with self._in_turn():
            self._advance.change(queries, told)
            if set(self._advance.live) != set(self._live):
                try:
                    self._read_others(self._advance.live)
                except Exception as error:
                    # The change has been committed: it is the run that has failed.
                    self._failure = error

    def _read_others(self, relations: Sequence[Relation]) -> None:
        """Spark reads other streams from its next start on, and none that nobody wants."""
        self._advance.woken([relation for relation in relations if relation not in self._live])
        self._live = list(relations)
        if self._query is not None and self._query.isActive:
            self._halt()
            self._read(self._once)

    def _halt(self) -> None:
        """Has Spark read no more. A batch that waits for its turn is told so by the number."""
        self._run += 1
        if self._query is not None:
            self._query.stop()

    @contextmanager
    def _in_turn(self) -> Iterator[None]:
        """One thing at a time is done to the graph."""
        if Publisher.here():
            message = "a function that is given a slab cannot change or stop what runs"
            raise ContinuaError("WRONG_ARGUMENTS", message, hint="do so from another thread")
        with self._turn:
            yield

    @answered()
    def wait(self, seconds: int | None = None) -> bool:
        """Waits until the reading has come to its end; gives whether it has.

        - `seconds`: how long to wait at most; without it, as long as it takes.

        Raises what has stopped the reading, if something went wrong: mostly a `ContinuaError`.
        """
        while (query := self._query) is not None:
            said = None
            try:
                ended = query.awaitTermination(seconds) is not False
                self._files.changed()
                if not ended:
                    return False
            except PySparkException as error:
                said = _said(error)
            with self._in_turn():
                if query is not self._query:
                    continue  # it has been started again, to read more
                if self._failure is None and said is not None and not self._stopped.is_set():
                    raise said
                break
        with self._in_turn():
            if self._failure is not None:
                raise self._failure
            if not self._stopped.is_set():
                self._advance.settle()
        return True

    def heartbeat(self, stream: str, t: int) -> None:
        """Says that a stream has come to a time: no row from before it will come.

        - `stream`: its name.
        - `t`: the time; of timestamps, in microseconds since 1970.

        Raises `ContinuaError` (`UNKNOWN_STREAM`) if no query reads such a stream.

        >>> running.heartbeat("bids", 20)
        >>> print(running.progress.reached)
        20
        """
        self._take(heard={self._named(stream): t})

    def finish(self) -> None:
        """Says that everything has come: what is still open is delivered, and the streams end.

        What is being read is waited for.

        >>> running.finish()
        >>> print(running.status)
        ended
        """
        self.wait()
        self._take(end=True)

    @answered()
    def stop(self) -> None:
        """Finishes the slab that is under way, and lets go of the checkpoint.

        `Session.start` goes on from there, in this process or in another one.

        >>> running.stop()
        """
        with self._in_turn():
            if self._stopped.is_set():
                return
            self._stopped.set()
            try:
                self._halt()
                self._advance.close()
            finally:
                self._checkpoint.close()

    def _named(self, stream: str) -> Relation:
        for relation in self._live:
            if relation.name.lower() == stream.lower():
                return relation
        hint = did_you_mean(stream, [relation.name for relation in self._live])
        raise ContinuaError("UNKNOWN_STREAM", f"no stream {stream} runs here", hint=hint)

    def _batch(self, run: int, batch: DataFrame, number: int) -> None:
        """A batch of Spark. Whoever halts Spark has the turn, and waits until we are gone."""
        while not self._turn.acquire(timeout=TICK):
            self._check_current(run)
        try:
            self._check_current(run)
            self._check_batch(number)
            if number > self._graph.manifest.batch:
                self._taken(batch, number)
        except Halted:
            raise
        except Exception as error:
            self._failure = error
            raise
        finally:
            self._turn.release()

    def _check_current(self, run: int) -> None:
        # Were it to return, Spark would note the batch as done.
        if run != self._run:
            raise Halted

    def _taken(self, batch: DataFrame, number: int) -> None:
        assert self._query is not None
        query_id = str(self._query.id)
        # Names of files are read once, rows several times.
        has_rows = any(map(brings_rows, self._live))
        held = in_memory(batch) if has_rows else batch

        origins = self._graph.manifest.origins
        listed = {
            relation: [
                file
                for name in source_names(relation, origins)
                for file in self._log.of_batch(name, number)
            ]
            for relation in self._live
        }
        came: list[Arrived] = []

        def rows(exact: bool) -> list[Arrived]:
            nonlocal came
            graph = self._graph
            came = arrived(self._engine, self._live, held, listed, exact, graph.positioned)
            return [source for source in came if source.relation in graph.relations]

        try:
            self._advance.take(rows, batch=number, query_id=query_id)
            for source in came:
                self._files.took(source.relation.name, source.files)
            self._files.changed()
        finally:
            if has_rows:
                freed(held)

    def _take(self, **how: Any) -> None:
        """A slab of its own, without new rows."""
        with self._in_turn():
            if not self._stopped.is_set():
                self._advance.take(lambda exact: [], **how)
                self._advance.settle()

    def _look_for_idle(self) -> None:
        """Spark calls us when rows come; that none come is for us to notice."""
        known: set[Relation] = set()
        while not self._stopped.wait(TICK):
            idle = set(self._advance.idle())
            if idle - known and self._failure is None:
                try:
                    self._take()
                except Exception as error:
                    self._fail(error)
                    continue
            known = idle

    def _fail(self, error: Exception) -> None:
        with self._turn:
            self._failure = error
            # If Java is gone, there is nothing left to halt.
            with suppress(ContinuaError), answered():
                self._halt()

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
    return ContinuaError("EVALUATION", f"Spark failed: {first_line(error)}")
