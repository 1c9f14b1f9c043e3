"""SPREAD (Jain §5): batches for the streams of a group; and the batches that a group declares."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

from continua.logical.node import TIME_DRIVEN, Context, Node, group_of
from continua.logical.scan import Scan
from continua.model.digest import digest
from continua.model.element import Tuple, identity_order
from continua.model.instant import Instant, Interval
from continua.model.schema import Schema
from continua.model.timeline import Timeline
from continua.model.values import order_key

Key = tuple[object, ...]


@dataclass(frozen=True)
class Spread(Node):
    """One of several streams whose tuples are put into batches together.

    by: of each stream the positions of the columns that order the batches; tuples of equal values
    fall into one batch, NULLs are equal and first. each: every tuple is a batch by itself; of equal
    values those of the stream named first come first, and then by φ. anew: the batches that there
    were are forgotten (SPREAD ALL); else they are refined.

    So the batches that a group declares are the same node, over what its sources give: that has
    one batch at each time.
    """

    streams: tuple[Node, ...]
    output: int
    by: tuple[tuple[int, ...], ...]
    each: bool
    anew: bool

    def __post_init__(self) -> None:
        assert len(self.by) == len(self.streams), "columns of every stream"
        assert all(stream.chronon for stream in self.streams), "the binder refuses relations"
        _ = self.time
        if not self.anew:
            group_of(self.streams, self.span)  # what is refined is of one group

    @property
    def inputs(self) -> tuple[Node, ...]:
        return self.streams

    @property
    def schema(self) -> Schema:
        return self.streams[self.output].schema

    @property
    def chronon(self) -> bool:
        return True

    @property
    def batched(self) -> bool:
        refined = not self.anew and any(stream.batched for stream in self.streams)
        return self.each or any(self.by) or refined

    @cached_property
    def group(self) -> str | None:
        if not self.batched:
            return TIME_DRIVEN
        # Whether a query names a time attribute makes no other group of its stream.
        read = [s.relation if isinstance(s, Scan) else s.digest for s in self.streams]
        return digest((read, self.by, self.each, self.anew))

    @property
    def asks_identity(self) -> bool:
        return True

    @property
    def label(self) -> str:
        names = [self.schema.columns[i].name for i in self.by[self.output]]
        on = f" on {', '.join(names)}" if names else ""
        how = " tuple by tuple" if self.each else "" if on else " by time"
        place = f"stream {self.output + 1} of {len(self.streams)}"
        return f"spread{' all' * self.anew}{on}{how}, {place}"

    def meaning(self, inputs: Sequence[Timeline], context: Context) -> Timeline:
        tuples = sorted(self._tuples(inputs), key=lambda found: (found[1].t, found[0]))
        elements = []
        for t, at_one_time in groupby(tuples, key=lambda found: found[1].t):
            batches = groupby(at_one_time, key=lambda found: found[0])
            for number, (_, batch) in enumerate(batches):
                instant = Instant(t, number)
                elements += [
                    (e, Interval(instant, instant.next_time), 1)
                    for _, _, place, e in batch
                    if place == self.output
                ]
        return Timeline.of(elements)

    def _tuples(self, inputs: Sequence[Timeline]) -> Iterator[tuple[Key, Instant, int, Tuple]]:
        """The tuples of all streams, with what orders them at one time, and their places."""
        for place, stream in enumerate(inputs):
            for position, (e, at, n) in enumerate(stream.openings()):
                values = tuple(order_key(e.values[column]) for column in self.by[place])
                batch = () if self.anew else (at.i,)
                for copy in range(n):
                    own = (place, identity_order(e.identity), position, copy) if self.each else ()
                    yield (*batch, *values, *own), at, place, e
