"""Instants as SQL: they are compared, ordered and put out; arithmetic uses their time `t`.

An instant is one column, today its time `t` alone, a BIGINT. Where streams come to have several
batches at one time it is the pair `(t, i)` (design §1), which compares, sorts and aggregates as
instants do; what changes then is in this file, and in the windows, which compute with times.
"""

from __future__ import annotations

from continua.physical.relation import TIME, Typed

BEGINNING = -(2**63)
FOREVER = 2**63 - 1
"""The two infinities, as values of a BIGINT."""


class Instant(Typed):
    """A SQL expression of an instant; the name of a column is one.

    Its methods give SQL: the conditions may be NULL where one of the instants is.
    """

    type = TIME

    @property
    def t(self) -> str:
        """Its time, for arithmetic."""
        return self

    def later(self, by: int | str) -> Instant:
        """The first instant of the time so much later; for ever, if that is no number."""
        return instant(later(self.t, by))

    @property
    def next(self) -> Instant:
        """The instant right after it, where its chronon ends; unknown if that is no number."""
        return Instant(f"try_add({self}, 1L)")

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


UNKNOWN = Instant("CAST(NULL AS BIGINT)")


def instant(t: int | str) -> Instant:
    """The first instant of a time; the infinities are instants themselves."""
    return Instant(time(t) if isinstance(t, int) else t)


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
