"""Clip: every tuple of a stream during a part of time of its own only."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from continua.model.element import Tuple
from continua.model.instant import FOREVER, Interval
from continua.model.timeline import Steps, Timeline


def clip(stream: Timeline, part: Callable[[Tuple], Interval | None]) -> Timeline:
    """{(e, t, n) ∈ S | t ∈ part(e)}; a tuple without a part is never there."""

    def clipped() -> Iterator[tuple[Tuple, Interval, int]]:
        for element, steps in stream.steps():
            within = part(element)
            if within is None:
                continue
            for interval, n in _standing(steps):
                start, end = max(interval.start, within.start), min(interval.end, within.end)
                yield element, Interval(start, end), n

    return Timeline.of(clipped())


def _standing(steps: Steps) -> Iterator[tuple[Interval, int]]:
    """The multiplicities of a tuple, and during what each stands."""
    for (start, n), (end, _) in zip(steps, (*steps[1:], (FOREVER, 0)), strict=True):
        yield Interval(start, end), n
