"""Aggregation of elements of mixed lengths without subtracting: tiers of blocks.

Elements are put into tiers by their length: the blocks of a tier are no longer than its elements
and eight times as long as those of the tier below. So an element touches a handful of blocks, and
inside none of them it both starts and ends: every tier is aggregated from both ends. At a boundary
of the group, the aggregate combines what stands in each tier. Like the nodes of a segment tree
(design §6), but with a tier for every eighth power instead of every second: fewer rows.
"""

from __future__ import annotations

from dataclasses import dataclass

from continua.physical.aggregate.aggregation import ByComponents, OfAlive, clipped
from continua.physical.aggregate.both_ways import BLOCK, both_ways
from continua.physical.boundaries import AT
from continua.physical.builder import Builder
from continua.physical.expression import all_of
from continua.physical.instant import BEGINNING, FOREVER, Instant, greatest, instant, time
from continua.physical.relation import UP_TO_ROW, Rel, Window
from continua.physical.slab import Slab
from continua.physical.validity import END, OWN, START, Validity

BASE = 8
ENDLESS = time(FOREVER)
"""The tier of what begins or ends with time itself: one block, in which nothing does both."""


@dataclass(frozen=True, eq=False)
class TieredAggregate(OfAlive, ByComponents):
    """Elements of any lengths; one sort for the tiers, and one for what they are together."""

    def pieces(self, builder: Builder, slab: Slab, alive: Rel) -> Rel:
        boundaries = self._boundaries(builder, clipped(builder, slab, alive))
        end = Instant(f"IF(tier = {ENDLESS}, {instant(FOREVER)}, {instant(BLOCK).later('tier')})")
        pieces = both_ways(self, builder, boundaries, end, ["section", "tier"])
        together = self._together(builder, self._standing(builder, pieces))
        return self.evaluated(builder, "aggregate", together, OWN.outputs)

    @property
    def _tiers(self) -> list[int]:
        """The lengths of the blocks, from the longest; their elements are no shorter."""
        longest = self.inputs[0].extent.longest or FOREVER
        found = [1]
        while found[0] * BASE <= longest:
            found.insert(0, found[0] * BASE)
        return found

    @property
    def _bounded(self) -> bool:
        return self.inputs[0].extent.longest is not None

    def _boundaries(self, builder: Builder, elements: Rel) -> Rel:
        """An element as a start in each block it touches, or as an end in its last block."""
        arguments = list(self.arguments.values())
        known = self.same(*self.keys, *arguments)
        cases = " ".join(f"WHEN {OWN.length} >= {size}L THEN {size}L" for size in self._tiers)
        tier = f"CASE {cases} END"
        if not self._bounded:
            ever = f"{START.equals(instant(BEGINNING))} OR {END.equals(instant(FOREVER))}"
            tier = f"CASE WHEN {ever} THEN {ENDLESS} ELSE {tier} END"
        outputs = [*known, *OWN.outputs, ("tier", tier)]
        tiered = builder.select("tiered", elements, outputs)
        blocks = f"sequence({START.t} - pmod({START.t}, tier), {OWN.last_time}, tier)"
        begin = instant(BLOCK)
        last = all_of(START.not_after(begin), END.before(begin.later("tier")))
        if not self._bounded:
            blocks = f"IF(tier = {ENDLESS}, array({time(BEGINNING)}), {blocks})"
            last = f"IF(tier = {ENDLESS}, {END.before(instant(FOREVER))}, {last})"
        # A section is a block of the longest tier: sections are swept in parallel over time.
        top = f"{BLOCK} - pmod({BLOCK}, {self._tiers[0]}L)" if self._bounded else "0L"
        outputs = [
            *known,
            ("section", top),
            *self.same("tier", BLOCK),
            (AT, f"IF({last}, {END}, {greatest(START, begin)})"),
            ("ends", last),
        ]
        return builder.exploded("boundaries", tiered, blocks, BLOCK, outputs)

    def _standing(self, builder: Builder, pieces: Rel) -> Rel:
        """At every boundary of a section, what stands in each tier."""
        # Where a piece follows another, it opens after the other has closed.
        order = f"{AT}, opens"
        by = (*self.keys, "section")
        known = (*by, "tier", *self.partials, "opens")
        outputs = [*self.same(*known), (AT, f"IF(opens, {START}, {END})")]
        both = builder.exploded("bounds", pieces, "array(TRUE, FALSE)", "opens", outputs)
        partial = f"struct(IF(opens, struct({', '.join(self.partials)}), NULL) AS partial)"
        tiers = self._tiers if self._bounded else [FOREVER, *self._tiers]
        latest = ", ".join(
            f"last_value(IF(tier = {size}L, {partial}, NULL), TRUE) OVER sweep" for size in tiers
        )
        return builder.windowed(
            "standing",
            both,
            [
                *self.grouping,
                ("tiers", f"array({latest})"),
                *Validity(AT, Instant(f"lead({AT}) OVER peers")).outputs,
            ],
            peers=Window(by, order),
            sweep=Window(by, order, UP_TO_ROW),
        )

    def _together(self, builder: Builder, standing: Rel) -> Rel:
        """The tiers combined; where nothing stands there is no group."""
        both = ", ".join(
            f"{component.combined(f'a.{name}', f'b.{name}')} AS {name}"
            for component, name in self.components.items()
        )
        found = builder.select(
            "found",
            standing,
            [
                *self.grouping,
                ("stands", "filter(transform(tiers, t -> t.partial), p -> p IS NOT NULL)"),
                *OWN.outputs,
            ],
            OWN.lasts,
        )
        # Spark may compute this before it tests whether anything stands.
        folded = f"reduce(slice(stands, 2, size(stands)), get(stands, 0), (a, b) -> struct({both}))"
        outputs = [*self.grouping, ("f", folded), *OWN.outputs]
        together = builder.select("folded", found, outputs, "size(stands) > 0")
        partials = [(name, f"f.{name}") for name in self.partials]
        return builder.select("together", together, [*self.grouping, *partials, *OWN.outputs])
