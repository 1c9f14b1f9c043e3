"""Window sequence (α, β, r) of Astral, definition 19: windows whose bounds are linear in j."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from continua.errors import ContinuaError
from continua.logical.node import Context
from continua.logical.window import Window
from continua.model.element import Tuple
from continua.model.instant import FOREVER, Instant, Interval
from continua.model.timeline import Timeline

Row = tuple[Tuple, Instant]


@dataclass(frozen=True)
class Linear:
    """A bound `slope·j + offset`, in positions of rows (from 0) or in units of time."""

    slope: int
    offset: int
    in_rows: bool

    def at(self, j: int) -> int:
        return self.slope * j + self.offset

    def __str__(self) -> str:
        return f"{self.slope}*j{self.offset:+d} {'rows' if self.in_rows else 'time'}"


@dataclass(frozen=True)
class SequenceWindow(Window):
    """FROM α TO β EVERY r.

    Window j is evaluated at e_j and stands during [e_j, e_{j+1}): e_0 is the instant of β(0), and
    e_{j+1} comes r later (in time, or at the r-th next tuple). It holds the positions
    α(j) ≤ p ≤ β(j), or the times α(j) < t ≤ β(j). If several j fall on one instant, the last wins.
    """

    lower: Linear
    upper: Linear
    every: int
    every_in_rows: bool

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.lower.in_rows == self.upper.in_rows and (
            self.lower.slope > self.upper.slope or self.lower.offset > self.upper.offset
        ):
            raise ContinuaError(
                "WRONG_WINDOW", "the window's beginning comes after its end", self.span
            )
        if self.lower.slope < 0 or self.upper.slope < 0:
            raise ContinuaError(
                "WRONG_WINDOW",
                "the window runs backwards",
                self.span,
                hint="α and β grow with j, or stay: write 2*j - 5, not 5 - 2*j",
            )
        if self.upper.in_rows and self.upper.offset < 0:
            message = "the first window ends before the first row, which is row 0"
            raise ContinuaError("WRONG_WINDOW", message, self.span)
        if self.upper.in_rows == self.every_in_rows and self.upper.slope > self.every:
            raise ContinuaError(
                "WRONG_WINDOW",
                "the window's end runs ahead of its evaluation",
                self.span,
                hint=f"β may grow by at most {self.every} per window, what EVERY says",
            )

    @property
    def asks_identity(self) -> bool:
        return True

    @property
    def label(self) -> str:
        unit = "rows" if self.every_in_rows else "time"
        return f"window from {self.lower} to {self.upper} every {self.every} {unit}"

    def meaning(self, inputs: Sequence[Timeline], context: Context) -> Timeline:
        rows = [(e, at) for e, at, n in inputs[0].openings() for _ in range(n)]
        if not rows:
            return Timeline({})
        # A tuple is never valid before it has arrived, also in a window evaluated in its batch.
        return Timeline.of(
            (e, Interval(max(at, start), end), 1)
            for j, (start, end) in self._standing(rows)
            for e, at in self._content(rows, j)
        )

    def _content(self, rows: list[Row], j: int) -> list[Row]:
        a, b = self.lower.at(j), self.upper.at(j)
        return [
            row
            for p, row in enumerate(rows)
            if (a <= p if self.lower.in_rows else a < row[1].t)
            and (p <= b if self.upper.in_rows else row[1].t <= b)
        ]

    def _standing(self, rows: list[Row]) -> Iterator[tuple[int, Interval]]:
        """The windows that can hold something, each with the interval during which it stands."""
        first = self._evaluation(rows, 0)
        if first is None:
            return
        j = 0
        if not self.every_in_rows:
            # Windows evaluated before the first tuple are empty; there may be billions of them.
            j = max(0, (int(rows[0][1].t) - int(first.t)) // self.every)
        start = self._evaluation(rows, j)
        while start is not None:
            if self._settled(rows, j, start):
                yield j, Interval(start, FOREVER)
                return
            end = self._evaluation(rows, j + 1)
            yield j, Interval(start, end if end is not None else FOREVER)
            j, start = j + 1, end
            if self._passed(rows, j):
                return

    def _evaluation(self, rows: list[Row], j: int) -> Instant | None:
        """e_j, or None if the tuple it waits for never comes."""
        instants = [at for _, at in rows]
        b = self.upper.at(0)
        if self.upper.in_rows:
            if b >= len(rows):
                return None
            position, e0 = b, instants[b]
        else:
            e0 = Instant(b)
            position = bisect_right(instants, e0) - 1
        if j == 0:
            return e0
        if not self.every_in_rows:
            return Instant(e0.t + j * self.every)
        position += j * self.every
        return instants[position] if position < len(rows) else None

    def _settled(self, rows: list[Row], j: int, start: Instant) -> bool:
        """Whether this and all later windows hold the same, so that it stands for ever."""
        last_row, last_time = len(rows) - 1, rows[-1][1].t
        above = last_row if self.upper.in_rows else last_time
        return (
            self.lower.slope == 0
            and start >= rows[-1][1]
            and (self.upper.slope == 0 or self.upper.at(j) >= above)
        )

    def _passed(self, rows: list[Row], j: int) -> bool:
        """Whether the lower bound has left all tuples behind, for this and all later windows."""
        a = self.lower.at(j)
        return self.lower.slope > 0 and (
            a >= len(rows) if self.lower.in_rows else a >= rows[-1][1].t
        )
