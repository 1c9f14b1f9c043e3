"""What carries out a query: the reference or Spark, with the same answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import NamedTuple

from continua.model.element import Tuple, Values
from continua.model.instant import Instant, Interval, Time
from continua.model.timeline import Timeline
from continua.runtime.rows import Rows


class Valid(NamedTuple):
    """A row of a result and the instants `[start, end)` during which it is valid."""

    values: Values
    start: Instant
    end: Instant


class Evaluation(ABC):
    """A plan over the data its streams have."""

    @abstractmethod
    def rows(self) -> Sequence[Valid]:
        """The result: the elements of a stream, one by one, or a relation in canonical form.

        Rows are ordered by start, end and tuple.
        """

    @abstractmethod
    def deliver(self, delivery: str, to: Callable[[Rows], None]) -> None:
        """Hands the result over as a sink takes it: INTERVALS, CHANGES or INSERTS.

        It may be handed over again, if that fails because of how a source was read.
        """

    @abstractmethod
    def at(self, t: Time) -> list[Values]:
        """The rows valid at a time, in any order."""

    @abstractmethod
    def bounds(self) -> tuple[Time, Time]:
        """The least and the greatest time in the streams; the infinities, the greater one first,
        if there is none."""

    def timeline(self) -> Timeline:
        """The logical stream the query means; each element of a stream lasts for its time."""
        return Timeline.of(
            (Tuple(values), Interval(start, end), 1) for values, start, end in self.rows()
        )
