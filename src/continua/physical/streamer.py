"""Streamers: what comes into a relation, what leaves it, or all of it when it changes (Jain §4.3.2,
Astral §5.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from continua.logical.expr.nodes import TRUE
from continua.logical.streamer import Streamer as LogicalStreamer
from continua.physical.boundaries import AT
from continua.physical.builder import Builder
from continua.physical.coalesce import ENDING
from continua.physical.extent import CHRONON, Extent
from continua.physical.instant import BEGINNING, instant
from continua.physical.net_changes import Counted, net_changes
from continua.physical.operator import Form, Outputs, WholeTuples
from continua.physical.pairs import pairs
from continua.physical.relation import Rel
from continua.physical.slab import Slab
from continua.physical.sweep_area import State, SweepArea
from continua.physical.time_buckets import Side
from continua.physical.validity import END, OF_L, START, Validity

ALIVE = SweepArea("alive", END, "any")


@dataclass(frozen=True, eq=False)
class Streamer(WholeTuples[LogicalStreamer]):
    """By identity (DEL), tuples with their identities are counted; by value (DIF) the values of an
    input without duplicates. What is valid from the beginning is no change."""

    @property
    def of_elements(self) -> bool:
        return True

    @property
    def lasts(self) -> Extent:
        return CHRONON

    @property
    def areas(self) -> tuple[SweepArea, ...]:
        return (ENDING,) if self.inputs[0].form is Form.PIECES else ()

    def changes(self, builder: Builder, slab: Slab, rel: Rel, state: State) -> Counted:
        """What starts (`n` > 0) and what ends at instants `at`."""
        below = self.inputs[0]
        known = self.node.mode == "DEL" and below.whole
        net, kept = net_changes(builder, slab, rel, below.form, below.carried, state, known)
        return builder.where("changed", net, AT.after(instant(BEGINNING))), kept

    @property
    def _identity(self) -> list[tuple[str, str]]:
        """A tuple of a streamer is one that there was, at the instant at which it is put out."""
        if not self.identified:
            return []
        below = "id" if self.inputs[0].identified else f"struct({', '.join(self.values) or '1'})"
        return [("id", f"struct({below} AS streamed, {AT})")]


@dataclass(frozen=True, eq=False)
class ChangeStreamer(Streamer):
    """ISTREAM gives what starts, DSTREAM what ends."""

    def advance(self, builder: Builder, slab: Slab, inputs: Sequence[Rel], state: State) -> Outputs:
        changed, kept = self.changes(builder, slab, inputs[0], state)
        wanted = "n > 0" if self.node.kind == "ISTREAM" else "n < 0"
        found = builder.where("wanted", changed, wanted)
        outputs = [*self.same(*self.values), *self._identity, *Validity(AT, AT.next).outputs]
        copies = "sequence(1L, abs(n))"
        return builder.exploded("streamed", found, copies, "copy", outputs), kept


@dataclass(frozen=True, eq=False)
class RelationStreamer(Streamer):
    """RSTREAM gives all that is valid, whenever a tuple starts or ends."""

    @property
    def areas(self) -> tuple[SweepArea, ...]:
        return ENDING, ALIVE

    def advance(self, builder: Builder, slab: Slab, inputs: Sequence[Rel], state: State) -> Outputs:
        (pieces,) = inputs
        changed, kept = self.changes(builder, slab, pieces, state)
        instants = builder.group("instants", changed, [AT])
        # What is valid at the instant, and not what has come since.
        here = builder.select("here", instants, Validity(AT, AT.following).outputs)
        alive = ALIVE.insert(builder, state, pieces)
        below = self.inputs[0]
        when = Side(here, (), (), CHRONON)
        what = Side(alive, below.values, below.carried, below.extent)
        outputs = [
            *((name, f"r.{name}") for name in self.values),
            *([("id", f"struct(r.id AS streamed, l.{START} AS {AT})")] if self.identified else []),
            *Validity(OF_L.start, OF_L.start.next).outputs,
        ]
        result = pairs(builder, slab, when, what, TRUE, outputs)
        return result, {**kept, **ALIVE.purge(builder, slab, alive, pieces)}
