"""The clauses that stand on a stream reference in FROM: windows, table functions, streamers, and
which version of it a join means.

Each knows how it prints, so that parsing what is printed gives the same clause again.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal

from continua.errors import ContinuaError, Span
from continua.model.schema import TimeDomain
from continua.model.values import WIDE
from continua.sql.tokens import Name

MICROS = {
    "MICROSECOND": 1,
    "MILLISECOND": 1_000,
    "SECOND": 1_000_000,
    "MINUTE": 60_000_000,
    "HOUR": 3_600_000_000,
    "DAY": 86_400_000_000,
    "WEEK": 604_800_000_000,
}


@dataclass(frozen=True)
class Duration:
    """A length of time: an amount of a unit, or a bare number for integer time.

    It may have a sign: where one means nothing, that is found when it is bound.
    """

    amount: Decimal
    unit: str | None
    span: Span = field(compare=False, repr=False)

    def __str__(self) -> str:
        plural = "" if self.amount == 1 else "S"
        return f"{self.amount:f}" + (f" {self.unit}{plural}" if self.unit else "")

    def units(self, time: TimeDomain) -> int:
        """The duration in units of a time domain."""
        if time.integral:
            if self.unit is not None:
                raise ContinuaError(
                    "WRONG_WINDOW",
                    f"integer time has no {self.unit.lower()}s",
                    self.span,
                    hint=f"write a bare number of time units, as in {self.amount:f}",
                )
            total = self.amount
        elif self.unit is None:
            raise ContinuaError(
                "WRONG_WINDOW",
                "a duration over timestamps needs a unit",
                self.span,
                hint=f"as in {self.amount:f} SECONDS",
            )
        else:
            total = WIDE.multiply(self.amount, Decimal(MICROS[self.unit]))
        if total != int(total):
            raise ContinuaError("WRONG_WINDOW", "not a whole number of time units", self.span)
        return int(total)

    def positive(self, time: TimeDomain) -> int:
        units = self.units(time)
        if units <= 0:
            raise ContinuaError("WRONG_WINDOW", "a duration must be greater than 0", self.span)
        return units


@dataclass(frozen=True)
class Clause:
    span: Span = field(compare=False, repr=False, kw_only=True)


@dataclass(frozen=True)
class Now(Clause):
    def __str__(self) -> str:
        return "WINDOW(NOW)"


@dataclass(frozen=True)
class Range(Clause):
    """RANGE w [SLIDE s]; no size means UNBOUNDED. Partitions make no difference to it."""

    size: Duration | None
    slide: Duration | None = None
    partition: tuple[Name, ...] = ()

    def __str__(self) -> str:
        size = "UNBOUNDED" if self.size is None else str(self.size)
        return f"WINDOW({_partition(self.partition)}RANGE {size}{_slide(self.slide)})"


@dataclass(frozen=True)
class Fixed(Clause):
    size: Duration

    def __str__(self) -> str:
        return f"WINDOW(FIXED {self.size})"


@dataclass(frozen=True)
class Rows(Clause):
    rows: int
    slide: int | Duration | None = None
    """How many rows, or how much time, it moves by."""
    partition: tuple[Name, ...] = ()

    def __str__(self) -> str:
        text = f"{_partition(self.partition)}ROWS {self.rows}{_slide(self.slide)}"
        # A bare number would be one of rows.
        bare = isinstance(self.slide, Duration) and self.slide.unit is None
        return f"WINDOW({text}{' TIME' * bare})"


@dataclass(frozen=True)
class Batch(Clause):
    def __str__(self) -> str:
        return "WINDOW(BATCH)"


@dataclass(frozen=True)
class Bound:
    """`slope*j + offset`, in ROWS, in a unit of time, or in integer time (TIME, or no unit)."""

    slope: int
    offset: int
    unit: str | None

    def __str__(self) -> str:
        return f"{self.slope}*j{self.offset:+d}" + (f" {self.unit}" if self.unit else "")


@dataclass(frozen=True)
class Sequence(Clause):
    """FROM α TO β EVERY r, r being an amount of rows or of time."""

    lower: Bound
    upper: Bound
    every: Bound

    def __str__(self) -> str:
        every = f"{self.every.offset}" + (f" {self.every.unit}" if self.every.unit else "")
        return f"WINDOW(FROM {self.lower} TO {self.upper} EVERY {every})"


@dataclass(frozen=True)
class Hop(Clause):
    """HOP(s, slide, size [, offset]); TUMBLE(s, size [, offset]) if it has no slide of its own."""

    slide: Duration | None
    size: Duration
    offset: Duration | None = None

    def wrap(self, stream: str) -> str:
        function = "TUMBLE" if self.slide is None else "HOP"
        lengths = [length for length in (self.slide, self.size, self.offset) if length is not None]
        return f"{function}({', '.join([stream, *map(str, lengths)])})"


@dataclass(frozen=True)
class Session(Clause):
    gap: Duration
    key: tuple[Name, ...] = ()

    def wrap(self, stream: str) -> str:
        return f"SESSION({', '.join([stream, str(self.gap), *map(str, self.key)])})"


@dataclass(frozen=True)
class Attribute:
    """A column as a join names it, with the stream or table that has it if that is said."""

    qualifier: Name | None
    name: Name

    @property
    def span(self) -> Span:
        return self.name.span if self.qualifier is None else self.qualifier.span.to(self.name.span)

    def __str__(self) -> str:
        return str(self.name) if self.qualifier is None else f"{self.qualifier}.{self.name}"


@dataclass(frozen=True)
class AsOf(Clause):
    """FOR SYSTEM_TIME AS OF t, on the right side of a join: the version valid at t."""

    time: Attribute

    def __str__(self) -> str:
        return f"FOR SYSTEM_TIME AS OF {self.time}"


@dataclass(frozen=True)
class MatchCondition(Clause):
    """MATCH_CONDITION (s.t >= r.t), on the right side of an ASOF JOIN."""

    left: Attribute
    comparison: str
    right: Attribute

    def __str__(self) -> str:
        return f"MATCH_CONDITION ({self.left} {self.comparison} {self.right})"


@dataclass(frozen=True)
class Streamer(Clause):
    """ISTREAM, DSTREAM, RSTREAM of the query it stands on."""

    kind: str
    mode: str
    every: Duration | None

    def wrap(self, query: str) -> str:
        mode = "" if self.kind == "RSTREAM" else f"{self.mode} "
        every = f" EVERY {self.every}" if self.every else ""
        return f"{self.kind} {mode}{query}{every}"


@dataclass(frozen=True)
class Moment:
    """A time that is written down."""

    value: object
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True)
class During(Clause):
    """DURING [since, until), of the query it stands on."""

    since: Moment
    until: Moment


def _partition(names: tuple[Name, ...]) -> str:
    return f"PARTITION BY {', '.join(map(str, names))} " if names else ""


def _slide(slide: object) -> str:
    return "" if slide is None else f" SLIDE {slide}"
