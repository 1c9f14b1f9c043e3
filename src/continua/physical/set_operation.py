"""Set operations: multiplicities per value, counted over the boundaries of both inputs.

Difference (TODS §7.5.4), intersection, max-union and strict difference (COMAD A.3 to A.5) are the
same sweep: +1 where an element starts, -1 where it ends, on each side apart, and between two
boundaries as many copies as the operation makes of the two counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from continua.logical.difference import Difference
from continua.logical.intersection import Intersection
from continua.logical.max_union import MaxUnion
from continua.logical.node import SetOperation as LogicalSetOperation
from continua.logical.strict_difference import StrictDifference
from continua.physical.boundaries import AT, BOUNDARY, LAST_OF_PEERS, NEXT, boundaries, following
from continua.physical.builder import Builder
from continua.physical.extent import Extent, either
from continua.physical.operator import NodeOperator, Outputs
from continua.physical.pairing import paired
from continua.physical.relation import EMPTY, Rel, Window
from continua.physical.slab import Slab
from continua.physical.sweep_area import State, SweepArea
from continua.physical.validity import END, OWN, START, Validity

LEFT = SweepArea("left", END, "equal tuple")
RIGHT = SweepArea("right", END, "equal tuple")

COPIES: dict[type[LogicalSetOperation], str] = {
    Difference: "greatest(n1 - n2, 0L)",
    Intersection: "least(n1, n2)",
    MaxUnion: "greatest(n1, n2)",
    StrictDifference: "IF(n2 = 0, n1, 0L)",
}


@dataclass(frozen=True, eq=False)
class SetOperation(NodeOperator[LogicalSetOperation]):
    """The pieces of a slab: what started in it, with what still lasts from before."""

    carries_out = tuple(COPIES)

    @property
    def areas(self) -> tuple[SweepArea, ...]:
        return LEFT, RIGHT

    @property
    def lasts(self) -> Extent:
        left, right = (operator.extent for operator in self.inputs)
        extent = either(left, right) if isinstance(self.node, MaxUnion) else left
        return extent if extent.uniform == 1 else extent.cut

    def advance(self, builder: Builder, slab: Slab, inputs: Sequence[Rel], state: State) -> Outputs:
        left = LEFT.insert(builder, state, inputs[0])
        right = RIGHT.insert(builder, state, inputs[1])
        kept = {
            **LEFT.purge(builder, slab, left, inputs[0]),
            **RIGHT.purge(builder, slab, right, inputs[1]),
        }
        changes = builder.union(
            "boundaries",
            self._boundaries(builder, slab, left, "1L", "0L"),
            self._boundaries(builder, slab, right, "0L", "1L"),
        )
        if changes is EMPTY:
            return EMPTY, kept
        copies = COPIES[type(self.node)]
        columns = self.same(*self.values)
        # Of several rows at one boundary the last knows them all.
        counted = builder.select(
            "counted",
            self._counted(builder, changes),
            [*columns, (AT, AT), ("n", copies), (NEXT, NEXT), ("open", "FALSE")],
            LAST_OF_PEERS,
        )
        if self.extent.uniform == 1:
            return self._between(builder, slab, counted), kept
        pairs = paired(builder, self.values, counted)
        piece = Validity(START, END.otherwise(slab.until))
        return builder.select("set_operation", pairs, self._tuples(piece)), kept

    def _between(self, builder: Builder, slab: Slab, counted: Rel) -> Rel:
        """A piece from each boundary to the next: what lasts one instant is not put together."""
        piece = Validity(AT, NEXT.otherwise(slab.until))
        outputs = [*self.same(*self.values), ("copies", "n"), *piece.outputs]
        pieces = builder.select("pieces", counted, outputs, "n > 0")
        copies = "sequence(1L, copies)"
        return builder.exploded("set_operation", pieces, copies, "copy", self._tuples(OWN))

    def _tuples(self, validity: Validity) -> list[tuple[str, str]]:
        """A value is the same tuple while it lasts, and its copies are not told apart."""
        return [*self.same(*self.values), *self.by_value(self.values), *validity.outputs]

    def _boundaries(self, builder: Builder, slab: Slab, rel: Rel, n1: str, n2: str) -> Rel:
        inside = Validity(slab.clipped.start, END)
        ends = {AT: inside, "n1": (n1, f"-{n1}"), "n2": (n2, f"-{n2}")}
        reached = BOUNDARY.before(slab.until)
        return boundaries(builder, rel, self.same(*self.values), ends, reached)

    def _counted(self, builder: Builder, changes: Rel) -> Rel:
        outputs = [
            *self.same(*self.values, AT),
            ("n1", "sum(n1) OVER w"),
            ("n2", "sum(n2) OVER w"),
            following("w"),
        ]
        return builder.windowed("counted", changes, outputs, w=Window(self.values, AT))
