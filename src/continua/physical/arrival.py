"""The order in which tuples arrive, and what windows over it keep of each partition."""

from __future__ import annotations

from continua.physical.operator import Operator
from continua.physical.relation import EMPTY
from continua.physical.slab import Slab
from continua.physical.sweep_area import Content, State, SweepArea


def arrival_order(stream: Operator) -> str:
    """SQL: by time; at one instant by identity, and copies of one tuple by their values."""
    return ", ".join(("start", "id", *stream.values))


def kept(slab: Slab, area: SweepArea, content: Content) -> State:
    """The content of a SweepArea for the next slab, if one can come."""
    return {} if slab.endless or content is EMPTY else {area.name: content}
