"""The order in which tuples arrive, and what windows over it keep of each partition."""

from __future__ import annotations

from collections.abc import Sequence

from continua.physical.operator import Operator
from continua.physical.script import EMPTY, Rel, Script
from continua.physical.slab import Slab
from continua.physical.sweep_area import State, SweepArea


def arrival_order(stream: Operator) -> str:
    """SQL: by time; at one instant by identity, and copies of one tuple by their values."""
    return ", ".join(("start", "id", *stream.values))


def of_partitions(script: Script, held: Rel, new: Rel, partition: Sequence[str]) -> tuple[Rel, Rel]:
    """What is held of the partitions that new rows belong to, and of the others.

    Only the first is sorted together with what is new. Telling them apart is a look-up in the new
    partitions, which are few where most are idle.
    """
    if held is EMPTY or new is EMPTY or not partition:
        return held, EMPTY
    keys = ", ".join(partition)
    columns = ", ".join(held.columns)
    same = " AND ".join(f"h.{c} <=> n.{c}" for c in partition)
    found = [
        script.define(
            hint,
            f"SELECT {columns} FROM {held.name} h LEFT {kind} JOIN "
            f"(SELECT DISTINCT {keys} FROM {new.name}) n ON {same}",
            held.columns,
            [held, new],
        )
        for hint, kind in (("touched", "SEMI"), ("idle", "ANTI"))
    ]
    return found[0], found[1]


def kept(slab: Slab, area: SweepArea, rel: Rel) -> State:
    """The content of a SweepArea for the next slab, if one can come."""
    return {} if slab.endless or rel is EMPTY else {area.name: rel}
