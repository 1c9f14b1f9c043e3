"""Queries that run, and what can be done with them while they do."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame

from continua.errors import ContinuaError, check_argument, did_you_mean
from continua.model.catalog import Relation
from continua.model.instant import EARLIEST, LATEST
from continua.physical.instant import FOREVER
from continua.runtime.engine import Engine
from continua.runtime.live.checkpoint import Checkpoint
from continua.runtime.live.continuous import Continuous
from continua.runtime.live.driver import Driver, failure_of_spark
from continua.runtime.live.idle import IdleWatch
from continua.runtime.live.keys import BAD, LATE, AsideKey
from continua.runtime.live.live_graph import LiveGraph
from continua.runtime.live.publisher import publishing
from continua.runtime.live.report import Progress
from continua.runtime.live.slab_input import Signal
from continua.runtime.sinks.sink import Sink
from continua.runtime.spark_errors import translated_java


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
        graph: LiveGraph,
        checkpoint: Checkpoint,
        files_at_once: int | None = None,
    ) -> None:
        self._engine = engine
        self._graph = graph
        self._checkpoint = checkpoint
        self._turn = threading.RLock()
        self._stopped = threading.Event()
        self._driver = Driver(engine, graph, checkpoint, self._turn, files_at_once)
        self._idle_watch = IdleWatch(graph.idle, self._move_on, self._stopped)

    @property
    def status(self) -> str:
        """One of "running", "stopped", "ended" (all streams have ended) and "failed".

        >>> print(running.status)
        stopped
        """
        if self._driver.failure is not None:
            return "failed"
        if self._graph.manifest.ended:
            return "ended"
        active = self._driver.active and not self._stopped.is_set()
        return "running" if active else "stopped"

    @property
    def open(self) -> bool:
        """Whether it can go on: it has not been stopped, and the streams have not ended.

        After a failure it can go on as well: `run` tries again.
        """
        return self._graph.manifest.watermark < FOREVER and not self._stopped.is_set()

    @property
    def progress(self) -> Progress:
        """What the last slab has done, and how far the queries have come."""
        return self._graph.progress()

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
            self._graph.timings.measure_operators(on)

    def explain(self) -> str:
        """The operators of all queries, as text; those that several queries share have numbers."""
        return self._graph.members.graph.explain()

    def late(self, stream: str) -> DataFrame:
        """The rows of a stream that `LATE KEEP` has set aside, each with the reason.

        Raises `ContinuaError` (`UNKNOWN_STREAM`) if no query reads such a stream.
        """
        return self._set_aside(LATE, stream)

    def rejected(self, stream: str) -> DataFrame:
        """The rows of a stream that `ON ERROR KEEP` has set aside: place, reason and text.

        Raises `ContinuaError` (`UNKNOWN_STREAM`) if no query reads such a stream.
        """
        return self._set_aside(BAD, stream)

    def run(self, once: bool = False) -> None:
        """Reads again, after the reading has come to its end or has failed.

        - `once`: read what is there now, and then no more.

        Raises `ContinuaError` (`WRONG_ARGUMENTS`) if it has been stopped.
        """
        with self._in_turn():
            if self._stopped.is_set():
                hint = "session.start goes on from its checkpoint"
                raise ContinuaError("WRONG_ARGUMENTS", "it has been stopped", hint=hint)
            self._driver.failure = None
            if self._driver.relations:
                self._read(once)

    def change(self, queries: Mapping[Continuous, Sink], statement: str | None = None) -> None:
        """Has other queries run from here on, which is noted together with the text that says so.

        Those that are new begin where the graph stands: with what is valid then, and what comes.
        """
        with self._in_turn():
            self._graph.change(queries, statement)
            live, read = self._graph.members.live, self._driver.relations
            if set(live) != set(read):
                try:
                    self._graph.idle.note(live, [r for r in live if r not in read])
                    self._driver.read_others(live)
                    self._watch_idle()
                except Exception as error:
                    # The change has been committed: it is the run that has failed.
                    self._driver.failure = error

    @translated_java()
    def wait(self, seconds: int | None = None) -> bool:
        """Waits until the reading has come to its end; gives whether it has.

        - `seconds`: how long to wait at most; without it, as long as it takes.

        Raises what has stopped the reading, if something went wrong: mostly a `ContinuaError`.
        """
        self._check_caller()
        while (query := self._driver.query) is not None:
            said = None
            try:
                ended = query.awaitTermination(seconds) is not False
                self._graph.files.changed()
                if not ended:
                    return False
            except PySparkException as error:
                said = failure_of_spark(error)
            with self._in_turn():
                if query is not self._driver.query:
                    continue  # it has been started again, to read more
                if self._driver.failure is None and said is not None and not self._stopped.is_set():
                    raise said
                break
        with self._in_turn():
            if self._driver.failure is not None:
                raise self._driver.failure
            if not self._stopped.is_set():
                self._graph.settle()
        return True

    def heartbeat(self, stream: str, t: int) -> None:
        """Says that a stream has come to a time: no row from before it will come.

        - `stream`: its name.
        - `t`: the time; of timestamps, in microseconds since 1970.

        Raises `ContinuaError` (`UNKNOWN_STREAM`) if no query reads such a stream.

        >>> running.heartbeat("bids", 20)
        >>> print(running.progress.watermark)
        20
        """
        check_argument(t, int, "t is a number")
        if not EARLIEST <= t <= LATEST:
            message = f"{t} is no time: times are from {EARLIEST} to {LATEST}"
            raise ContinuaError("WRONG_ARGUMENTS", message)
        self._take(Signal(heartbeats={self._named(stream): t}))

    def finish(self) -> None:
        """Says that everything has come: what is still open is delivered, and the streams end.

        What is being read is waited for.

        >>> running.finish()
        >>> print(running.status)
        ended
        """
        self.wait()
        self._take(Signal(end=True))

    @translated_java()
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
                self._driver.halt()
                self._graph.close()
            finally:
                self._checkpoint.close()

    def _read(self, once: bool) -> None:
        self._driver.read(once)
        self._watch_idle()

    def _watch_idle(self) -> None:
        waits = any(relation.idle_after is not None for relation in self._driver.relations)
        if waits and self._driver.active:
            self._idle_watch.start()

    def _take(self, signal: Signal) -> None:
        """A slab of its own, without new rows."""
        with self._in_turn():
            if not self._stopped.is_set() and not self._graph.manifest.ended:
                self._graph.take(lambda exact: [], signal)
                self._graph.settle()

    def _move_on(self) -> bool:
        """Has time move on, since streams have become idle; gives whether that went well."""
        if self._driver.failure is not None:
            return False
        try:
            self._take(Signal())
        except Exception as error:
            self._driver.fail(error)
            return False
        return True

    @contextmanager
    def _in_turn(self) -> Iterator[None]:
        """Inside, nobody else changes the graph."""
        self._check_caller()
        with self._turn:
            yield

    def _check_caller(self) -> None:
        """Refuses a caller that is called by us while a slab is made: it would wait for itself."""
        if publishing() or self._graph.observers.calling:
            message = "a function that is given a slab cannot change or stop what runs"
            raise ContinuaError("WRONG_ARGUMENTS", message, hint="do so from another thread")

    def _set_aside(self, reason: str, stream: str) -> DataFrame:
        key = AsideKey(reason, self._named(stream).key)
        return self._graph.set_aside.rows(self._engine.spark, key)

    def _named(self, stream: str) -> Relation:
        """The stream of a name."""
        relations = self._driver.relations
        for relation in relations:
            if relation.key == stream.lower():
                return relation
        hint = did_you_mean(stream, [relation.name for relation in relations])
        raise ContinuaError("UNKNOWN_STREAM", f"no stream {stream} runs here", hint=hint)
