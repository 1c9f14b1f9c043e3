"""The order in which tuples arrive, and what windows over it keep of each partition."""

from __future__ import annotations

from continua.physical.expression import all_of
from continua.physical.instant import Instant
from continua.physical.operator import Operator
from continua.physical.relation import EMPTY
from continua.physical.slab import Slab
from continua.physical.sweep_area import Content, State, SweepArea
from continua.physical.validity import START, Validity

OPENS, CLOSES = Instant("opens"), Instant("closes")
"""Where tuples enter and leave a window that counts rows, as far as it is known."""


def arrival_order(stream: Operator) -> str:
    """SQL: by time; at one instant by identity, and copies of one tuple by their values."""
    return ", ".join((START, "id", *stream.values))


def for_next_slab(slab: Slab, area: SweepArea, content: Content) -> State:
    """The content of a SweepArea for the next slab, if one can come."""
    return {} if slab.endless or content is EMPTY else {area.name: content}


def changed(slab: Slab) -> tuple[Validity, str]:
    """What opens and closes in the slab, as changes; and SQL: whether a row does."""
    fresh = slab.starts_inside(OPENS)
    opened = all_of(fresh, OPENS.known, CLOSES.differs_from(OPENS))
    closed = all_of(OPENS.before(slab.since), CLOSES.known)
    return Validity(OPENS.when(fresh), CLOSES), f"({opened}) OR ({closed})"
