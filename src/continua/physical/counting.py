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
from continua.physical.expression import all_of
from continua.physical.extent import Extent, either
from continua.physical.operator import NodeOperator, Outputs
from continua.physical.pairing import paired
from continua.physical.relation import EMPTY, Rel, Window
from continua.physical.script import Script
from continua.physical.slab import Slab, time
from continua.physical.sweep_area import State, SweepArea

LEFT = SweepArea("left", "end", "equal tuple")
RIGHT = SweepArea("right", "end", "equal tuple")

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
    def extent(self) -> Extent:
        left, right = (operator.extent for operator in self.inputs)
        extent = either(left, right) if isinstance(self.node, MaxUnion) else left
        return extent if extent.uniform == 1 else extent.cut

    def advance(self, script: Script, slab: Slab, inputs: Sequence[Rel], state: State) -> Outputs:
        left = LEFT.insert(script, state, inputs[0])
        right = RIGHT.insert(script, state, inputs[1])
        kept = {
            **LEFT.purge(script, slab, left, inputs[0]),
            **RIGHT.purge(script, slab, right, inputs[1]),
        }
        boundaries = script.union(
            "boundaries",
            self._boundaries(script, slab, left, "1L", "0L"),
            self._boundaries(script, slab, right, "0L", "1L"),
        )
        if boundaries is EMPTY:
            return EMPTY, kept
        copies = COPIES[type(self.node)]
        columns = self.same(*self.values)
        # Of several rows at one boundary the last knows them all.
        counted = script.select(
            "counted",
            self._counted(script, boundaries),
            [*columns, ("at", "at"), ("n", copies), ("next", "next"), ("open", "FALSE")],
            "next IS DISTINCT FROM at",
        )
        if self.identified or self.extent.uniform == 1:
            return self._between(script, slab, counted, left), kept
        pairs = paired(script, self.values, counted)
        outputs = [*columns, ("start", "start"), ("end", f"coalesce(end, {time(slab.end)})")]
        return script.select("set_operation", pairs, outputs), kept

    def _between(self, script: Script, slab: Slab, counted: Rel, left: Rel) -> Rel:
        """A piece from each boundary to the next: what lasts one instant is not put together."""
        outputs = [
            *self.same(*self.values),
            ("copies", "n"),
            ("start", "at"),
            ("end", f"coalesce(next, {time(slab.end)})"),
        ]
        pieces = script.select("pieces", counted, outputs, "n > 0")
        return (self._first_ones if self.identified else self._repeated)(script, pieces, left)

    def _boundaries(self, script: Script, slab: Slab, rel: Rel, n1: str, n2: str) -> Rel:
        start = f"struct({slab.clipped_start()} AS at, {n1} AS n1, {n2} AS n2)"
        end = f"struct(end AS at, -{n1} AS n1, -{n2} AS n2)"
        outputs = [*self.same(*self.values), *((c, f"b.{c}") for c in ("at", "n1", "n2"))]
        inside = f"b.at < {time(slab.end)}"
        return script.exploded("boundaries", rel, f"array({start}, {end})", "b", outputs, inside)

    def _counted(self, script: Script, boundaries: Rel) -> Rel:
        outputs = [
            *self.same(*self.values, "at"),
            ("n1", "sum(n1) OVER w"),
            ("n2", "sum(n2) OVER w"),
            ("next", "lead(at) OVER w"),
        ]
        return script.windowed("counted", boundaries, outputs, w=Window(self.values, "at"))

    def _repeated(self, script: Script, pieces: Rel, left: Rel) -> Rel:
        outputs = self.same(*self.columns)
        return script.exploded("set_operation", pieces, "sequence(1L, copies)", "copy", outputs)

    def _first_ones(self, script: Script, pieces: Rel, left: Rel) -> Rel:
        """With identity, the first of several equal tuples of the left side remain."""
        assert not isinstance(self.node, MaxUnion), "the language does not express it"
        equal = [f"l.{c} <=> r.{c}" for c in self.values]
        covered = script.join(
            "covered",
            "INNER",
            pieces,
            left,
            all_of(*equal, "r.start <= l.start", "l.start < r.end"),
            [(c, f"{'r' if c == 'id' else 'l'}.{c}") for c in (*self.columns, "copies")],
        )
        outputs = [*self.same(*covered.columns), ("place", "row_number() OVER w")]
        w = Window((*self.values, "start"), "id")
        ranked = script.windowed("ranked", covered, outputs, w=w)
        return script.select("set_operation", ranked, self.same(*self.columns), "place <= copies")
