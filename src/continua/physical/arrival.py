"""The order in which tuples arrive, and what windows over it keep of each partition."""

from __future__ import annotations

from continua.physical.expression import all_of
from continua.physical.instant import Instant
from continua.physical.operator import Operator
from continua.physical.relation import EMPTY
from continua.physical.slab import Slab
from continua.physical.sweep_area import Content, State, SweepArea
from continua.physical.validity import START, Validity

STAY = Validity(Instant("opens"), Instant("closes"))
"""How long a tuple stays in a row window, as far as it is known."""


def arrival_order(stream: Operator) -> str:
    """SQL: by time; at one instant by identity, and copies of one tuple by their values."""
    return ", ".join((START, "id", *stream.values))


def kept(slab: Slab, area: SweepArea, content: Content) -> State:
    """The content of a SweepArea for the next slab, if one can come."""
    return {} if slab.endless or content is EMPTY else {area.name: content}


def changed(slab: Slab) -> tuple[Validity, str]:
    """What opens and closes of stays in the slab, and SQL: whether anything does."""
    opens, closes = STAY
    fresh = slab.starts_inside(opens)
    opened = all_of(fresh, opens.known, closes.differs_from(opens))
    closed = all_of(opens.before(slab.since), closes.known)
    return Validity(opens.when(fresh), closes), f"({opened}) OR ({closed})"
