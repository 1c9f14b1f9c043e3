"""Instants as SQL: they are compared, ordered and put out; arithmetic uses their time `t`.

An instant is one column: its time `t`, a BIGINT. Where streams may have several batches at one time
it is the pair `(t, i)` (design §1), a struct, which compares, sorts and aggregates as instants do.
Which of the two it is, is a property of an operator: whoever has one make its relations says so by
`instants`, and what is written here follows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from continua.physical.relation import Typed

TIME: Final = "BIGINT"
"""The type of times, and of instants where every time is one batch."""
PAIR: Final = "STRUCT<t: BIGINT, i: INT>"
"""The type of instants where there may be several."""

BEGINNING = -(2**63)
FOREVER = 2**63 - 1
"""The two infinities, as values of a BIGINT."""


_NAME = re.compile(r"[\w.]+")
_batched: ContextVar[bool] = ContextVar("batched", default=False)


@contextmanager
def instants(batched: bool) -> Iterator[None]:
    """Within it, instants are pairs `(t, i)`, or times alone."""
    token = _batched.set(batched)
    try:
        yield
    finally:
        _batched.reset(token)


class Instant(Typed):
    """A SQL expression of an instant; the name of a column is one.

    Its methods give SQL: the conditions may be NULL where one of the instants is.
    """

    @property
    def type(self) -> str:
        return PAIR if _batched.get() else TIME

    @property
    def t(self) -> str:
        """Its time, for arithmetic."""
        return self._part("t") if _batched.get() else self

    @property
    def i(self) -> str:
        """The number of its batch within its time."""
        return self._part("i") if _batched.get() else "0"

    def _part(self, name: str) -> str:
        return f"{self}.{name}" if _NAME.fullmatch(self) else f"({self}).{name}"

    def later(self, by: int | str) -> Instant:
        """The first instant of the time so much later; for ever, if that is no number."""
        return instant(later(self.t, by))

    def up_to_multiple(self, step: int) -> Instant:
        """It, if its time is a multiple of the step, else the first instant of the next one."""
        missing = f"pmod(-{self.t}, {step}L)"
        multiple = self.later(missing)
        return Instant(f"IF({missing} = 0, {self}, {multiple})") if _batched.get() else multiple

    @property
    def next(self) -> Instant:
        """The first instant of the next time, where its chronon ends; unknown if there is none."""
        return instant(f"try_add({self.t}, 1L)")

    @property
    def last_time_before(self) -> str:
        """SQL: the last time of which an instant lies before it."""
        before = f"({self.t} - 1L)"
        return f"IF({self.i} > 0, {self.t}, {before})" if _batched.get() else before

    @property
    def following(self) -> Instant:
        """The instant right after it, which may be another batch of its time."""
        return _pair(self.t, f"{self.i} + 1") if _batched.get() else self.next

    def first_time_after(self, t: int) -> int:
        """The least time that it can have if it lies after the first instant of a time."""
        return t if _batched.get() else t + 1

    def equals(self, other: Instant) -> str:
        return f"{self} = {other}"

    def differs_from(self, other: Instant) -> str:
        """Whether they are not the same; an unknown instant is the same as another one."""
        return f"{self} IS DISTINCT FROM {other}"

    def before(self, other: Instant) -> str:
        return f"{self} < {other}"

    def after(self, other: Instant) -> str:
        return f"{self} > {other}"

    def not_before(self, other: Instant) -> str:
        return f"{self} >= {other}"

    def not_after(self, other: Instant) -> str:
        return f"{self} <= {other}"

    @property
    def known(self) -> str:
        return f"{self} IS NOT NULL"

    @property
    def unknown(self) -> str:
        return f"{self} IS NULL"

    def when(self, condition: str) -> Instant:
        """It, if a condition holds; else no instant is known."""
        return Instant(f"IF({condition}, {self}, NULL)")

    def unless(self, condition: str) -> Instant:
        """It, if a condition does not hold; else no instant is known."""
        return Instant(f"IF({condition}, NULL, {self})")

    def otherwise(self, other: Instant) -> Instant:
        """It, if it is known, else another one."""
        return Instant(f"coalesce({self}, {other})")

    @property
    def earliest(self) -> Instant:
        """The least of many rows'."""
        return Instant(f"min({self})")

    @property
    def latest(self) -> Instant:
        """The greatest of many rows'."""
        return Instant(f"max({self})")


def unknown() -> Instant:
    """No instant that is known."""
    return Instant(f"CAST(NULL AS {PAIR if _batched.get() else TIME})")


def instant(t: int | str) -> Instant:
    """The first instant of a time; the infinities are instants themselves."""
    if isinstance(t, int):
        return _pair(time(t), "0") if _batched.get() else Instant(time(t))
    # What is no time is no instant; of a struct, only a part would be unknown.
    return _pair(t, "0").when(f"{t} IS NOT NULL") if _batched.get() else Instant(t)


def batch_of(t: str, i: str) -> Instant:
    """A batch of a time, by its number."""
    return _pair(t, i)


def _pair(t: str, i: str) -> Instant:
    return Instant(f"named_struct('t', {t}, 'i', {i})")


def least(a: Instant, b: Instant) -> Instant:
    return Instant(f"least({a}, {b})")


def greatest(a: Instant, b: Instant) -> Instant:
    return Instant(f"greatest({a}, {b})")


def time(t: int) -> str:
    """A time as SQL."""
    return f"CAST('{t}' AS BIGINT)" if t == BEGINNING else f"{t}L"


def later(t: str, by: int | str) -> str:
    """SQL: the time so much later than t, which may be for ever."""
    latest = f"{FOREVER - by}L" if isinstance(by, int) else f"{FOREVER}L - {by}"
    return f"IF({t} > {latest}, {time(FOREVER)}, {t} + {by}{'L' * isinstance(by, int)})"


def floor_to(t: str, step: int, offset: int = 0) -> str:
    """SQL: the greatest multiple of the step that is not greater than t; exact, unlike doubles.

    With an offset, less than the step, the multiples are all moved by it.
    """
    if step == 1:
        return t
    past = f"pmod({t}, {step}L)"
    if offset:
        # t less the offset may be no number; what t is past a multiple less the offset is one.
        past = f"pmod({past} - {offset}L, {step}L)"
    return f"({t} - {past})"


def ceil_to(t: str, step: int) -> str:
    """SQL: the least multiple of the step that is not less than t."""
    return t if step == 1 else f"({t} + pmod(-({t}), {step}L))"


def bucket_of(t: str, width: int) -> str:
    """SQL: the number of the bucket of a width that t falls into; also right before the epoch."""
    return t if width == 1 else f"({floor_to(t, width)} div {width}L)"
