"""Observers: functions that are told of every slab, for consoles, metrics and logs."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from threading import Thread, current_thread

from continua.runtime.live.report import Progress

Observer = Callable[[Progress], object]
"""A function that is given the progress after a slab has been committed."""

_LOG = logging.getLogger("continua")


class Observers:
    """They are called one after the other, in the thread that has committed the slab."""

    def __init__(self, observers: Sequence[Observer]) -> None:
        self._observers = observers
        self._telling: Thread | None = None

    def tell(self, progress: Callable[[], Progress]) -> None:
        """Calls all of them. One that fails gives a warning only: the slab is committed already."""
        if not self._observers:
            return
        found = progress()
        self._telling = current_thread()
        try:
            for observer in self._observers:
                try:
                    observer(found)
                except Exception as error:
                    raised = f"{type(error).__name__}: {error}"
                    _LOG.warning(f"warning: an observer of slab {found.slab} raised {raised}")
        finally:
            self._telling = None

    @property
    def calling(self) -> bool:
        """Whether the caller of this is an observer."""
        return self._telling is current_thread()
