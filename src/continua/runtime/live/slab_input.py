"""What a slab is made from."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from continua.model.catalog import Relation
from continua.physical.relation import Rel
from continua.runtime.live.arrivals import Arrivals


@dataclass(frozen=True)
class BatchNumber:
    """A batch of Spark's: the streaming query that it is of, and its number there."""

    query_id: str
    number: int


@dataclass(frozen=True)
class Signal:
    """What is known besides the rows that have come.

    batch: the batch that has brought them, if Spark has. heartbeats: times that streams are known
    to have reached without a row to show it. end: nothing more will come.
    """

    batch: BatchNumber | None = None
    heartbeats: Mapping[Relation, int] = field(default_factory=dict)
    end: bool = False


@dataclass(frozen=True)
class SlabInput:
    """All that a slab is made from, besides what the slab before has left.

    idle: the streams that are silent. valid_at_origin: the rows of complete relations which queries
    read that begin with this slab; they see what is valid already.
    """

    arrivals: Arrivals
    signal: Signal
    idle: Collection[Relation]
    valid_at_origin: Mapping[Relation, Rel]
