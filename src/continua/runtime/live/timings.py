"""What the last slab has spent its time on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter


class Timings:
    """Seconds by the phases of a slab and, if they are to be measured, by its operators."""

    def __init__(self) -> None:
        self.phases: dict[str, float] = {}
        self.operators: dict[str, float] | None = None

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Notes how long what is done inside takes."""
        before = perf_counter()
        yield
        self.phases[name] = perf_counter() - before

    def measure_operators(self, on: bool) -> None:
        self.operators = {} if on else None

    def begin_operators(self) -> dict[str, float] | None:
        """Where a slab notes the seconds of its operators; None if it need not."""
        if self.operators is not None:
            self.operators = {}
        return self.operators
