"""The queries that run, slab by slab, in the order of the data (design §7).

intake     rows that have come, and those of relations that are complete
watermark  how far time has come: this and the next step are `Advance.slab`
advance    the operators compute what is put out and what is kept
commit     all of it counts from here on, or nothing does
publish    what was put out is handed to the sinks, while the next slab may begin
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from continua.errors import ContinuaError
from continua.model.catalog import Relation
from continua.physical.builder import Builder
from continua.runtime.engine import Engine
from continua.runtime.live.advance import Advance
from continua.runtime.live.arrivals import Arrivals
from continua.runtime.live.checkpoint import Checkpoint
from continua.runtime.live.continuous import Continuous, check_same
from continua.runtime.live.files_read import FilesRead
from continua.runtime.live.finite import Finite, ReadAll, ReadArrived
from continua.runtime.live.idle import IdleStreams
from continua.runtime.live.intake import incoming, unreadable
from continua.runtime.live.manifest import Counts, Manifest
from continua.runtime.live.membership import membership
from continua.runtime.live.observers import Observer, Observers
from continua.runtime.live.outputs import Outputs
from continua.runtime.live.publisher import Publisher, closed, opened
from continua.runtime.live.report import Progress, progress_of
from continua.runtime.live.set_aside import SetAside
from continua.runtime.live.slab_input import Signal, SlabInput
from continua.runtime.live.slab_tables import SlabTables
from continua.runtime.live.timings import Timings
from continua.runtime.sinks.sink import Sink
from continua.runtime.spark_errors import Suspicion, translated, writing

_LOG = logging.getLogger("continua")


class LiveGraph:
    """Takes in rows, or that time has passed, and makes a slab of it.

    manifest: the last slab. before: the one before that.
    """

    def __init__(
        self,
        engine: Engine,
        checkpoint: Checkpoint,
        read_all: ReadAll,
        observers: Sequence[Observer] = (),
    ) -> None:
        self._engine = engine
        self._checkpoint = checkpoint
        self.timings = Timings()
        self.tables = SlabTables(engine, checkpoint)
        self.set_aside = SetAside(checkpoint.path)
        self.observers = Observers(observers)
        self.files = FilesRead()
        self.idle = IdleStreams()
        self.manifest = self.before = checkpoint.latest
        self.members = membership((), self.manifest)
        self._finite = Finite(engine, read_all)
        self._advance = Advance(engine, self.tables, self.timings)
        self._publisher = Publisher(Outputs(engine, self.tables, self.set_aside), self.tables)

    def begin(self, queries: Mapping[Continuous, Sink]) -> None:
        """Goes on from the checkpoint or, if there is nothing in it, makes the first slab."""
        begun = self.manifest.number > 0
        if begun:
            check_same(queries, self.manifest)
        self.members = membership(list(queries), self.manifest)
        self._publisher.sinks = dict(queries)
        self.idle.note(self.members.live, self.members.live)
        self._checkpoint.take_back_lost_batch(self.manifest)
        sinks = list(queries.values())
        # Rows of slabs that are lost are removed from the sinks: these slabs come again.
        for sink in [*sinks, *self.set_aside.sinks(self.members.live)] if begun else ():
            sink.forget(self.manifest.number)
        with opened(sinks, self.manifest.number):
            if begun:
                self._publisher.begin(self.manifest, self.members)
                self.settle()
            else:
                self.take(self._complete(self.members.relations))

    def change(self, queries: Mapping[Continuous, Sink], statement: str | None) -> None:
        """Has other queries run from here on; see `Running.change`."""
        self.settle()
        before, sinks, slab = self.members, self._publisher.sinks, self.manifest.number
        joining = [sink for query, sink in queries.items() if query not in sinks]
        with opened(joining, self.manifest.number):
            members = membership(list(queries), self.manifest, before.relations, statement)
            if before.live and not members.live:
                message = "no query would be left that reads a stream"
                hint = "stop the engine instead"
                raise ContinuaError("WRONG_ARGUMENTS", message, hint=hint)
            new = [relation for relation in members.relations if relation not in before.relations]
            if any(relation in members.live for relation in new):
                # Fails if one of the streams cannot be read.
                incoming(self._engine, members.live, {})
            self.members, self._publisher.sinks = members, dict(queries)
            try:
                self.take(self._complete(new))
            except BaseException:
                if self.manifest.number == slab:
                    self.members, self._publisher.sinks = before, sinks
                raise
        for error in closed(sink for query, sink in sinks.items() if query not in queries):
            _LOG.warning(f"warning: a sink could not be closed: {error}")

    def take(self, rows: ReadArrived, signal: Signal | None = None) -> None:
        """Makes a slab of rows that have come, and what is known besides.

        A row that Spark's reader could not take is looked at again by the exact one.
        """
        for exact in (False, True):
            with self._engine.temporary(), suppress(Suspicion):
                manifest = self._computed(rows, exact, signal or Signal())
                break
        else:
            raise self._unreadable()
        with self.timings.phase("wait for sinks"):
            self.settle()
        with writing(), self.timings.phase("commit"):
            self.before, self.manifest = self.manifest, self._checkpoint.commit(manifest)
        try:
            self.tables.free_others(self.manifest.folders)
        finally:
            # What is committed is published, whatever goes wrong in between.
            self._publisher.begin(self.manifest, self.members)
        self.idle.note(self.members.live, [r for r in self.members.live if self._active(r)])
        self.observers.tell(self.progress)

    def settle(self) -> None:
        """Waits until the last slab has been published, and cleans up behind it."""
        self._publisher.settle()
        self._checkpoint.clean(self.manifest)

    def close(self) -> None:
        try:
            self.settle()
        finally:
            self._publisher.close()

    def progress(self) -> Progress:
        """What the last slab has done, and how far the queries have come."""
        times = (query.plan.time for query in self.members.queries)
        time = next((t for t in times if t is not None), None)
        found = progress_of(self.manifest, self.before, time, self.timings, self.members.label)
        return replace(found, changed=self.files.changed())

    def _complete(self, relations: Sequence[Relation]) -> ReadArrived:
        """What the first slab that knows of relations brings of them."""
        positioned = self.members.graph.positioned
        return self._finite.rows_since(relations, self.manifest.watermark, positioned)

    def _computed(self, rows: ReadArrived, exact: bool, signal: Signal) -> Manifest:
        with translated(Builder()):
            found = rows(exact)
        arrivals = Arrivals(self._engine, found)
        try:
            newly_read = self.members.graph.new_at(self.manifest.watermark)
            valid_at_origin = self._finite.all_rows(newly_read, exact)
            given = SlabInput(arrivals, signal, self.idle.now, valid_at_origin)
            return self._advance.slab(self.members, self.manifest, given)
        finally:
            arrivals.release()

    def _unreadable(self) -> ContinuaError:
        """Neither Spark's reader nor the exact one can read something."""
        # Only Spark reads the formats of USING, and it does not say which row it was.
        errors = [e for r in self.members.live if (e := unreadable(r)) is not None]
        if errors:
            listed = "; or ".join(error.message for error in errors)
            return ContinuaError(errors[0].code, listed, errors[0].span, hint=errors[0].hint)
        return ContinuaError("SOURCE_NOT_FOUND", "a file that was there has gone, or has changed")

    def _active(self, relation: Relation) -> bool:
        """Whether the last slab has brought something of a stream."""
        manifests = (self.before, self.manifest)
        was, now = (m.sources.get(relation.key, Counts()) for m in manifests)
        return (now.rows, now.bad) != (was.rows, was.bad)
