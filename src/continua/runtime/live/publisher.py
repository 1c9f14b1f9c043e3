"""Publishing: what committed slabs have put out is handed on, while the next may be computed.

A slab may be published twice, which changes nothing. It must have been published before the next
slab is committed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager, suppress
from threading import current_thread

from continua.errors import ContinuaError
from continua.physical.builder import Builder
from continua.runtime.live.continuous import Continuous
from continua.runtime.live.manifest import Manifest
from continua.runtime.live.membership import Membership
from continua.runtime.live.outputs import Output, Outputs
from continua.runtime.live.slab_tables import SlabTables
from continua.runtime.sinks.sink import Sink
from continua.runtime.spark_errors import Lost, Suspicion, translated

THREADS = "continua-publish"

AT_ONCE = 4
"""Sinks that are written to at the same time."""


class Publisher:
    """The sinks of the queries that run, and what is being written to them."""

    def __init__(self, outputs: Outputs, tables: SlabTables) -> None:
        self.sinks: Mapping[Continuous, Sink] = {}
        self._outputs = outputs
        self._tables = tables
        self._pool = ThreadPoolExecutor(AT_ONCE, THREADS)
        self._under_way: list[Future[None]] = []
        self._unpublished: tuple[Manifest, Membership] | None = None

    def begin(self, manifest: Manifest, members: Membership) -> None:
        """Begins to hand on what a slab has put out, which is committed whatever happens.

        An error here is passed over: `settle` tries again, and raises it if it comes again.
        """
        self._unpublished = manifest, members
        with suppress(Exception):
            self._begin(manifest, members)

    def settle(self) -> None:
        """Waits until all of it has been done; raises what has gone wrong.

        What could not be handed on is tried again the next time: no slab is left out.
        """
        try:
            self._settle()
        except Lost:
            self._tables.drop_memory()
            self._settle()

    def _settle(self) -> None:
        if self._unpublished is not None and not self._under_way:
            self._begin(*self._unpublished)
        under_way, self._under_way = self._under_way, []
        wait(under_way)
        for done in under_way:
            done.result()
        self._unpublished = None

    def _begin(self, manifest: Manifest, members: Membership) -> None:
        def hand_on(output: Output) -> None:
            try:
                with translated(Builder()):
                    output(manifest.number)
            except Suspicion:
                message = f"what slab {manifest.number} has put out cannot be read"
                raise ContinuaError("CANNOT_WRITE", message) from None

        outputs = self._outputs.of(manifest, members, self.sinks)
        self._under_way = [self._pool.submit(hand_on, output) for output in outputs]

    def close(self) -> None:
        """Closes all sinks; raises the first of their errors at the end."""
        self._pool.shutdown()
        errors = closed(self.sinks.values())
        if errors:
            raise errors[0]


@contextmanager
def opened(sinks: Sequence[Sink], slab: int) -> Iterator[None]:
    """Opens sinks after a slab, and closes them if what is done inside fails."""
    with ExitStack() as stack:
        for sink in sinks:
            sink.open(slab)
            stack.callback(sink.close)
        yield
        stack.pop_all()


def closed(sinks: Iterable[Sink]) -> list[Exception]:
    """Closes sinks, each whatever the others do; gives what has gone wrong."""
    errors: list[Exception] = []
    for sink in sinks:
        try:
            sink.close()
        except Exception as error:
            errors.append(error)
    return errors


def publishing() -> bool:
    """Whether the caller of this is a sink: a function of the user's may be one."""
    return current_thread().name.startswith(THREADS)
