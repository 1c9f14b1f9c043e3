"""Streams that bring nothing: `IDLE AFTER` says how long they are waited for."""

from __future__ import annotations

from collections.abc import Callable, Collection
from threading import Event, Thread
from time import monotonic

from continua.model.catalog import Relation

MICROS = 1_000_000

TICK = 0.2
"""After how many seconds it is checked again whether streams have become idle."""


class IdleStreams:
    """When each of the streams that are read has last brought something."""

    def __init__(self) -> None:
        self._last: dict[Relation, float] = {}

    def note(self, read: Collection[Relation], active: Collection[Relation]) -> None:
        """Notes the time for streams that are active; forgets those that are no longer read."""
        known = {relation: last for relation, last in self._last.items() if relation in read}
        # One assignment: the thread that watches sees all of the change, or nothing of it.
        self._last = known | dict.fromkeys(active, monotonic())

    @property
    def now(self) -> set[Relation]:
        """Those that have brought nothing for as long as their `IDLE AFTER`."""
        time = monotonic()
        return {
            relation
            for relation, last in self._last.items()
            if relation.idle_after is not None and time - last >= relation.idle_after / MICROS
        }


class IdleWatch:
    """A thread that has time move on when streams have become idle.

    Spark calls us when rows come, but not when none do. move_on: gives whether it has succeeded;
    if not, it is called again.
    """

    def __init__(self, streams: IdleStreams, move_on: Callable[[], bool], stopped: Event) -> None:
        self._streams = streams
        self._move_on = move_on
        self._stopped = stopped
        self._thread: Thread | None = None

    def start(self) -> None:
        """Begins to watch, if it has not begun."""
        if self._thread is None:
            self._thread = Thread(target=self._watch, daemon=True)
            self._thread.start()

    def _watch(self) -> None:
        known: set[Relation] = set()
        while not self._stopped.wait(TICK):
            idle = self._streams.now
            if not idle - known or self._move_on():
                known = idle
