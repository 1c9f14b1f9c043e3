"""Schemas and time domains of streams and relations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from continua.errors import ContinuaError, Span
from continua.model.instant import EARLIEST, INFINITY, LATEST, MINUS_INFINITY, Time
from continua.model.types import BIGINT, TIMESTAMP, Type


@dataclass(frozen=True)
class Column:
    """A column: its `name` and its `type`, which prints as SQL writes it."""

    name: str
    type: Type

    def __str__(self) -> str:
        return f"{self.name} {self.type}"


@dataclass(frozen=True)
class Schema:
    """The `columns` of a stream's tuples. The time attribute is not among them (TODS remark 3.1).

    Iterating gives each `Column`, and `len` their number.
    """

    columns: tuple[Column, ...]

    def __iter__(self) -> Iterator[Column]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.columns))})"

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(column.name for column in self.columns)

    @property
    def types(self) -> tuple[Type, ...]:
        """The types of the columns."""
        return tuple(column.type for column in self.columns)

    def __add__(self, other: Schema) -> Schema:
        return Schema(self.columns + other.columns)


EPOCH = datetime(1970, 1, 1)
_MICROSECOND = timedelta(microseconds=1)


def to_micros(value: datetime) -> int:
    """Microseconds since the epoch of a naive datetime in UTC."""
    return (value - EPOCH) // _MICROSECOND


def from_micros(micros: int) -> datetime:
    return EPOCH + timedelta(microseconds=micros)


@dataclass(frozen=True)
class TimeDomain:
    """The time of a stream: TIMESTAMP in microseconds, or integers whose unit is 1.

    The granule is the step at which a window over a derived stream samples it (TODS §8.2.2):
    1 for integers unless declared; None for timestamps that declare none.
    """

    type: Type
    granule: int | None

    @property
    def integral(self) -> bool:
        return self.type.integral

    @property
    def result_type(self) -> Type:
        """The type of times in results: a window's end may not fit the attribute's own type."""
        return BIGINT if self.integral else self.type

    def length(self, units: int) -> str:
        """A duration as plans show it."""
        if self.integral:
            return str(units)
        size, name = next((s, n) for s, n in _UNITS if units % s == 0)
        return f"{units // size} {name}{'s' * (units != size)}"

    def value(self, t: Time) -> object:
        """A time as users see it: in the units of the time attribute, None for an infinity."""
        if t in (INFINITY, MINUS_INFINITY):
            return None
        if not self.first <= t <= self.last:
            raise self.outside()
        return int(t) if self.integral else from_micros(int(t))

    def seen(self, start: Time) -> bool:
        """Whether what starts then is seen: not after the greatest time."""
        return start <= self.last

    def end(self, t: Time) -> object:
        """The end of an interval as users see it: what ends after the greatest time never does."""
        return None if t > self.last else self.value(t)

    @property
    def first(self) -> int:
        """The least time that can be seen."""
        return EARLIEST if self.integral else to_micros(datetime.min)

    @property
    def last(self) -> int:
        """The greatest time that can be seen."""
        return LATEST if self.integral else to_micros(datetime.max)

    def outside(self, span: Span | None = None) -> ContinuaError:
        """The error of a time that is not between these two."""
        limits = f"from {EARLIEST} to {LATEST}" if self.integral else "in the years 1 to 9999"
        message = "a time of the result lies outside those that there are"
        return ContinuaError("EVALUATION", message, span, hint=f"times are {limits}")


_UNITS = (
    (86_400_000_000, "day"),
    (3_600_000_000, "hour"),
    (60_000_000, "minute"),
    (1_000_000, "second"),
    (1_000, "millisecond"),
    (1, "microsecond"),
)

INTEGER_TIME = TimeDomain(BIGINT, 1)
TIMESTAMP_TIME = TimeDomain(TIMESTAMP, None)
