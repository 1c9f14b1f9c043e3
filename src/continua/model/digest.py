"""Digests: names that structures have by what they are, not by how they print."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from datetime import date, timedelta
from decimal import Decimal
from enum import Enum
from hashlib import sha256
from types import NoneType

_PLAIN = (NoneType, bool, int, float, str, Decimal, date, timedelta, Enum)

LENGTH = 32
"""Hexadecimal digits of a digest: 128 bits, so that no two structures ever share one."""


def digest(value: object) -> str:
    """The name of a structure: that of equal ones, whatever process computes it.

    A dataclass counts by its class and by the fields that its equality compares, or by what its
    property `digested` gives instead. Plain values count by type and value, so that 1, 1.0 and
    TRUE differ, and -0.0 from 0.0, which Python takes for equal.
    """
    found = sha256()
    for part in _parts(value):
        # With its length before it, no part can be taken for the end of another.
        found.update(f"{len(part)}:{part}".encode())
    return found.hexdigest()[:LENGTH]


def _parts(value: object) -> Iterator[str]:
    """The structure as a sequence of texts; deep expressions are walked without recursion."""
    waiting = [value]
    while waiting:
        found = waiting.pop()
        if isinstance(found, (tuple, list)):
            yield f"({len(found)}"
            waiting += reversed(found)
        elif is_dataclass(found) and not isinstance(found, type):
            inside = _digested(found)
            yield f"{type(found).__qualname__}({len(inside)}"
            waiting += reversed(inside)
        else:
            assert isinstance(found, _PLAIN), f"{found!r} has no digest"
            yield f"{type(found).__name__} {found!r}"


def _digested(value: object) -> tuple[object, ...]:
    """What of a dataclass bears on its meaning."""
    given: tuple[object, ...] | None = getattr(value, "digested", None)
    if given is not None:
        return given
    assert is_dataclass(value)
    return tuple(getattr(value, field.name) for field in fields(value) if field.compare)
