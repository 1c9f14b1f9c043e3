"""Validity as SQL: the instants `[start, end)` during which an element is valid."""

from __future__ import annotations

from typing import NamedTuple

from continua.physical.instant import Instant, greatest, least
from continua.physical.relation import Output


class Validity(NamedTuple):
    """From its start until just before its end. Either may be unknown in a stream of changes."""

    start: Instant
    end: Instant

    @property
    def outputs(self) -> list[Output]:
        """What makes it the validity of the rows of a relation."""
        return [(START, self.start), (END, self.end)]

    @property
    def fields(self) -> str:
        """The same, among the fields of a struct."""
        return f"{self.start} AS {START}, {self.end} AS {END}"

    @property
    def order(self) -> str:
        """SQL: by start, then by end."""
        return f"{self.start}, {self.end}"

    @property
    def lasts(self) -> str:
        """SQL: whether any instant lies in it."""
        return self.start.before(self.end)

    @property
    def length(self) -> str:
        """SQL: how much time it takes."""
        return f"{self.end.t} - {self.start.t}"

    @property
    def last_time(self) -> str:
        """SQL: the last time of which instants lie in it."""
        return self.end.last_time_before

    def holds(self, at: Instant) -> list[str]:
        """SQL: the conditions for an instant to lie in it."""
        return [self.start.not_after(at), at.before(self.end)]

    def common(self, other: Validity) -> Validity:
        """The instants that lie in both, if there are any."""
        return Validity(greatest(self.start, other.start), least(self.end, other.end))


START, END = Instant("start"), Instant("end")
"""The columns that carry the validity of a row."""

OWN = Validity(START, END)
"""The validity of the row itself. Taken apart it is the names of its two columns."""


def of(row: str) -> Validity:
    """The validity of a row, or a struct, that has a name."""
    return Validity(Instant(f"{row}.{START}"), Instant(f"{row}.{END}"))


OF_L, OF_R = of("l"), of("r")
"""Those of the two sides of a join."""
