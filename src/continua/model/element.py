"""Elements of the three representations of a stream (TODS Fig. 1): raw, logical, physical."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from decimal import Decimal
from typing import NamedTuple

from continua.model.instant import Instant, Interval, Time
from continua.model.values import order_key

Values = tuple[object, ...]


class Tuple(NamedTuple):
    """The data portion of an element; with an identity below operators that ask for one.

    Two tuples are the same if identity and values are equal (design §1). The identity of a raw
    tuple is its position φ; of a joined tuple the pair; of an aggregate the key and the set it was
    computed from, so it is a new tuple whenever that set changes.
    """

    values: Values
    identity: Hashable = None

    def concat(self, other: Tuple) -> Tuple:
        """`e1 ∘ e2` of TODS (3)."""
        identified = self.identity is not None or other.identity is not None
        identity = (self.identity, other.identity) if identified else None
        return Tuple(self.values + other.values, identity)

    def derive(self, values: Values, tag: Hashable = None) -> Tuple:
        """Other values for the same tuple; the tag tells apart identities of several inputs."""
        if self.identity is None:
            return Tuple(values)
        return Tuple(values, self.identity if tag is None else (tag, self.identity))

    @property
    def by_value(self) -> Tuple:
        """The tuple of an operator that knows values only: equal ones are the same."""
        return Tuple(self.values, None if self.identity is None else ("value", self.values))

    def stamped(self, at: Instant) -> Tuple:
        """The tuple as it is at one instant, and no other."""
        return Tuple(self.values, None if self.identity is None else (self.identity, at))


Multiset = Mapping[Tuple, int]
"""A snapshot: tuples with their multiplicities, all greater than 0."""


class RawElement(NamedTuple):
    """`(tuple, instant, φ)`: a tuple tagged with its instant, at position φ of its stream."""

    values: Values
    instant: Instant
    phi: Hashable


class SourceRow(NamedTuple):
    """A row as a source delivers it: all declared columns, its validity in time, its position φ.

    A stream's row without an end of its own lasts one unit of time.
    """

    values: Values
    start: Time
    end: Time
    phi: Hashable


class PhysicalElement(NamedTuple):
    """`(tuple, [start, end))`: a tuple valid during an interval."""

    tuple: Tuple
    interval: Interval


def identity_order(identity: object) -> tuple[object, ...]:
    """A key that orders identities of whatever shape, so that ties break the same way each time."""
    if identity is None:
        return (0,)
    if isinstance(identity, (bool, int, float, Decimal)):
        return (1, order_key(identity))
    if isinstance(identity, str):
        return (2, identity)
    if isinstance(identity, tuple):
        return (3, tuple(identity_order(part) for part in identity))
    if isinstance(identity, frozenset):
        return (4, tuple(sorted(identity_order(part) for part in identity)))
    return (5, type(identity).__name__, identity)
