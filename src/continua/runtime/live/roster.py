"""The queries of a session that run, or will run from `start` on; they are added and dropped."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from itertools import count

from continua.errors import ContinuaError, Span, did_you_mean
from continua.logical.node import Node
from continua.runtime.deliver import delivered_columns
from continua.runtime.live.continuous import Continuous
from continua.runtime.live.report import Progress
from continua.runtime.live.running import Running
from continua.runtime.sinks.kinds import Maker
from continua.runtime.sinks.sink import Sink


class Roster:
    """Queries with their sinks. While they run, a change made here changes the run too."""

    def __init__(self) -> None:
        self.queries: dict[Continuous, Sink] = {}
        self.running: Running | None = None
        self._waiting = False

    def add(self, name: str, plan: Node, delivery: str, make: Maker) -> None:
        """Adds a query, by its name or, if that is taken, one like it, and its sink."""
        free = free_name(name, {query.name for query in self.queries})
        sink = make(free)
        sink.check_columns(delivered_columns(plan, delivery))
        with self._changing():
            self.queries[Continuous(free, plan, delivery)] = sink

    def drop(self, name: str, span: Span | None = None) -> None:
        names = {query.name: query for query in self.queries}
        if name.lower() not in names:
            hint = did_you_mean(name.lower(), names, "SHOW QUERIES lists those that run")
            raise ContinuaError("UNKNOWN_STREAM", f"no query {name} runs", span, hint=hint)
        if len(names) == 1 and self._runs:
            message = f"{name} is the only query that runs"
            raise ContinuaError("WRONG_ARGUMENTS", message, span, hint="stop the engine instead")
        with self._changing():
            del self.queries[names[name.lower()]]

    @contextmanager
    def together(self, text: str) -> Iterator[None]:
        """All changes made inside are made together, or none is. A new start makes them again."""
        with self._changing(text):
            self._waiting = True
            try:
                yield
            finally:
                self._waiting = False

    @property
    def _runs(self) -> bool:
        return self.running is not None and self.running.open

    @property
    def progress(self) -> Progress | None:
        """How far the graph has come, if one runs."""
        return self.running.progress if self.running is not None and self._runs else None

    @contextmanager
    def _changing(self, text: str | None = None) -> Iterator[None]:
        before = dict(self.queries)
        try:
            yield
            if self.running is not None and self._runs and not self._waiting:
                self.running.change(self.queries, text)
        except BaseException:
            self.queries = before
            raise


def free_name(name: str, taken: Collection[str]) -> str:
    """A name in small letters or, if that is taken, one like it."""
    names = (name.lower() + (f"_{i}" if i else "") for i in count())
    return next(n for n in names if n not in taken)
