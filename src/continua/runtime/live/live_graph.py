"""The queries that run, slab by slab, in the order of the data (design §7).

intake     rows that have come, and those of relations that are complete
watermark  how far time has come
advance    the operators compute what is put out and what is kept
commit     all of it counts from here on, or nothing does
publish    what was put out is handed to the sinks, while the next slab may begin
"""

from __future__ import annotations

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
from continua.runtime.live.finite import Coming, Complete, Finite
from continua.runtime.live.idle import IdleStreams
from continua.runtime.live.intake import incoming, unreadable
from continua.runtime.live.manifest import Counts, Manifest
from continua.runtime.live.membership import membership
from continua.runtime.live.observers import Observer, Observers
from continua.runtime.live.outputs import Outputs
from continua.runtime.live.publisher import Publisher, opened
from continua.runtime.live.report import Progress, progress_of
from continua.runtime.live.set_aside import SetAside
from continua.runtime.live.slab_input import Signal, SlabInput
from continua.runtime.live.slab_tables import SlabTables
from continua.runtime.live.timings import Timings
from continua.runtime.sinks.sink import Sink
from continua.runtime.spark_errors import Suspicion, translated, writing


class LiveGraph:
    """Takes in rows, or that time has passed, and makes a slab of it.

    manifest: the last slab. before: the one before that.
    """

    def __init__(
        self,
        engine: Engine,
        checkpoint: Checkpoint,
        complete: Complete,
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
        self._finite = Finite(engine, complete)
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
        self._checkpoint.agree(self.manifest)
        sinks = list(queries.values())
        # What slabs have published that are lost is removed: they come again.
        for sink in [*sinks, *self.set_aside.sinks(self.members.live)] if begun else ():
            sink.forget(self.manifest.number)
        with opened(sinks, self.manifest.number):
            if begun:
                self._publisher.begin(self.manifest, self.members)
                self.settle()
            else:
                self.take(self._finite.coming(self.members.relations, self.manifest.watermark))

    def change(self, queries: Mapping[Continuous, Sink], statement: str | None) -> None:
        """Has other queries run from here on; see `Running.change`."""
        self.settle()
        before, sinks = self.members, self._publisher.sinks
        joining = [sink for query, sink in queries.items() if query not in sinks]
        with opened(joining, self.manifest.number):
            members = membership(list(queries), self.manifest, before.relations, statement)
            new = [relation for relation in members.relations if relation not in before.relations]
            if any(relation in members.live for relation in new):
                # Which fails if one of them cannot be read.
                incoming(self._engine, members.live, {})
            self.members, self._publisher.sinks = members, dict(queries)
            try:
                self.take(self._finite.coming(new, self.manifest.watermark))
            except BaseException:
                self.members, self._publisher.sinks = before, sinks
                raise
        for query, sink in sinks.items():
            if query not in queries:
                sink.close()

    def take(self, rows: Coming, signal: Signal | None = None) -> None:
        """Makes a slab of rows that have come, and what is known besides.

        A row that Spark's reader could not take is looked at again by the exact one.
        """
        for exact in (False, True):
            with self._engine.temporary(), suppress(Suspicion):
                manifest = self._computed(rows, exact, signal or Signal())
                break
        else:
            raise self._unreadable()
        self.settle()
        with writing(), self.timings.phase("commit"):
            self.before, self.manifest = self.manifest, self._checkpoint.commit(manifest)
        self.tables.forget(self.manifest.slabs)
        self.idle.note(self.members.live, [r for r in self.members.live if self._active(r)])
        self.observers.tell(self.progress)
        self._publisher.begin(self.manifest, self.members)

    def settle(self) -> None:
        """Waits until the last slab has been handed on, and cleans up behind it."""
        with self.timings.phase("publish"):
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

    def _computed(self, rows: Coming, exact: bool, signal: Signal) -> Manifest:
        with translated(Builder()):
            found = rows(exact)
        arrivals = Arrivals(self._engine, found)
        try:
            awaited = self.members.graph.new_at(self.manifest.watermark)
            standing = self._finite.standing(awaited, exact)
            given = SlabInput(arrivals, signal, self.idle.now, standing)
            return self._advance.slab(self.members, self.manifest, given)
        finally:
            arrivals.release()

    def _unreadable(self) -> ContinuaError:
        """Neither Spark's reader nor the exact one can read something."""
        # Only Spark reads the formats of USING, and it does not say which row it was.
        for relation in self.members.live:
            if (error := unreadable(relation)) is not None:
                return error
        return ContinuaError("SOURCE_NOT_FOUND", "a file that was there has gone, or has changed")

    def _active(self, relation: Relation) -> bool:
        """Whether the last slab has brought something of a stream."""
        manifests = (self.before, self.manifest)
        was, now = (m.sources.get(relation.key, Counts()) for m in manifests)
        return (now.rows, now.bad) != (was.rows, was.bad)
