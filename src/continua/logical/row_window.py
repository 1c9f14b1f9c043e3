"""Count-based and partitioned windows (Jain §4.5.1, §4.5.3, §4.5.4; TODS Fig. 5)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

from continua.logical.node import Context
from continua.logical.window import Window
from continua.model.element import Tuple, Values
from continua.model.instant import FOREVER, Instant, Interval
from continua.model.timeline import Timeline

Row = tuple[Tuple, Instant]


@dataclass(frozen=True)
class RowWindow(Window):
    """ROWS n [SLIDE m], within each partition if there are columns to partition by.

    A tuple is valid from its own instant until the instant at which n later tuples have arrived;
    within one batch the latest by φ win. With a slide, a new state is formed at the batch that
    brings the number of tuples since the last state to m or more, and counting starts again.
    """

    rows: int
    slide: int | None = None
    partition: tuple[int, ...] = ()

    @property
    def asks_identity(self) -> bool:
        return True

    @property
    def label(self) -> str:
        names = [self.schema.columns[i].name for i in self.partition]
        by = f" partition by {', '.join(names)}" if names else ""
        return f"window{by} rows {self.rows}" + (f" slide {self.slide}" if self.slide else "")

    def meaning(self, inputs: Sequence[Timeline], context: Context) -> Timeline:
        partitions: dict[Values, list[Row]] = defaultdict(list)
        for e, at, n in inputs[0].openings():
            partitions[tuple(e.values[i] for i in self.partition)] += [(e, at)] * n
        states = self._sliding if self.slide is None else self._states
        return Timeline.of(
            (e, interval, 1) for rows in partitions.values() for e, interval in states(rows)
        )

    def _sliding(self, rows: list[Row]) -> Iterator[tuple[Tuple, Interval]]:
        for position, (e, at) in enumerate(rows):
            later = position + self.rows
            yield e, Interval(at, rows[later][1] if later < len(rows) else FOREVER)

    def _states(self, rows: list[Row]) -> Iterator[tuple[Tuple, Interval]]:
        assert self.slide is not None
        formed: list[tuple[Instant, int]] = []
        seen = since = 0
        for at, batch in groupby(rows, key=itemgetter(1)):
            number = len(list(batch))
            seen, since = seen + number, since + number
            if since >= self.slide:
                formed.append((at, seen))
                since = 0
        ends = [at for at, _ in formed[1:]] + [FOREVER]
        for (at, seen), end in zip(formed, ends, strict=False):
            for e, _ in rows[max(0, seen - self.rows) : seen]:
                yield e, Interval(at, end)
