"""Aggregation by running sums over the boundaries of intervals (design §6).

Whatever can be subtracted without a trace is added where an element starts and subtracted where
it ends. One sort by time serves all groups, and elements may last as long as they like. Each slab
costs what starts and ends in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from continua.physical.aggregate.aggregation import ByComponents
from continua.physical.expression import all_of
from continua.physical.operator import Form, Outputs
from continua.physical.script import EMPTY, Rel, Script
from continua.physical.slab import FOREVER, Slab, time
from continua.physical.sweep_area import (
    Renewed,
    State,
    SweepArea,
    grown,
    of_keys,
    unchanged,
)

STANDING = SweepArea("standing", "keys", "equal keys", "no row left")
ENDING = SweepArea("ending", "end", "end < w₁", "end < w₁")


@dataclass(frozen=True, eq=False)
class RunningAggregate(ByComponents):
    """The aggregate of a group changes at its boundaries; what stands has no start of its own."""

    @property
    def form(self) -> Form:
        return Form.CHANGES

    @property
    def net(self) -> bool:
        return True

    @property
    def areas(self) -> tuple[SweepArea, ...]:
        return STANDING, ENDING

    def advance(self, script: Script, slab: Slab, inputs: Sequence[Rel], state: State) -> Outputs:
        elements = self.prepared(script, inputs[0])
        ending = ENDING.held(state)
        due = self._leaving(script, script.where("due", ending, f"at < {time(slab.end)}"))
        held = STANDING.held(state)
        touched = script.union("boundaries", self._boundaries(script, slab, elements), due)
        if self.keys:
            held = of_keys(script, held, self.keys, touched)
        standing = self._standing(script, slab, held)
        boundaries = script.union("boundaries", touched, standing)
        waiting = self._waiting(script, slab, elements, ending)
        kept = {} if waiting is EMPTY else {ENDING.name: waiting}
        if boundaries is EMPTY:
            return EMPTY, {**kept, **unchanged(STANDING, state, self.keys)}
        some = "TRUE" if self.node.total else "p0 > 0"
        swept = self._swept(script, boundaries)
        changes = self._net(script, swept, some)
        if slab.endless:
            return changes, kept
        stands = self._stands(script, boundaries, swept)
        if self.keys:
            renewed = Renewed(stands.name, stands.columns, self.keys, f"NOT ({some})")
            return changes, {**kept, STANDING.name: renewed}
        return changes, {**kept, STANDING.name: script.where("standing", stands, some)}

    def _net(self, script: Script, swept: Rel, some: str) -> Rel:
        """What becomes of the groups at boundaries at which their results change."""
        results = self.carried
        # Of several rows at one boundary the last knows them all; a group that stands and meets
        # no boundary is one row without a time.
        last = script.where("last", swept, "next IS DISTINCT FROM at")
        levels = self.evaluated(script, "levels", last, [("some", some), ("at", "at")])
        own = ["some", *(name for name in results if name not in (*self.keys, "id"))]
        order = f"(PARTITION BY {', '.join(self.keys) or '1'} ORDER BY at)"
        before = ", ".join(f"lag({name}) OVER {order} AS b{name}" for name in own)
        text = f"SELECT {', '.join(levels.columns)}, {before} FROM {levels.name}"
        columns = [*levels.columns, *(f"b{name}" for name in own)]
        compared = script.define("compared", text, columns, [levels])
        same = all_of(*(f"{name} <=> b{name}" for name in own))
        text = (
            f"SELECT {', '.join(levels.columns)}, lead(at) OVER {order} AS next "
            f"FROM {compared.name} WHERE NOT ({same})"
        )
        changed = script.define("changed", text, [*levels.columns, "next"], [compared])
        outputs = [*self.same(*results), ("start", "at"), ("end", "next")]
        # A group that meets boundaries and stays what it was neither opens nor closes.
        meets = "(at IS NOT NULL OR next IS NOT NULL)"
        return script.select("changes", changed, outputs, all_of("some", meets))

    def _stands(self, script: Script, boundaries: Rel, swept: Rel) -> Rel:
        """The groups as they are when the slab ends: sums, for which nothing has to be sorted."""
        sums = ", ".join(f"{c.aggregated(name)} AS {name}" for c, name in self.components.items())
        group = f" GROUP BY {', '.join(self.keys)}" if self.keys else ""
        text = f"SELECT {self.listed_keys}{sums} FROM {boundaries.name}{group}"
        summed = script.define("summed", text, (*self.keys, *self.partials), [boundaries])
        settled = [(name, component.settled(name)) for component, name in self.components.items()]
        return script.select("standing", summed, [*self.grouping, *settled])

    @property
    def _columns(self) -> tuple[str, ...]:
        return (*self.keys, *self.partials, "at")

    def _boundaries(self, script: Script, slab: Slab, elements: Rel) -> Rel:
        """The starts of the elements, and those of their ends that the slab reaches."""
        if elements is EMPTY:
            return EMPTY
        elements = self.parted(script, elements)
        named = self.components.items()
        brought = ", ".join(f"{component.value} AS {name}" for component, name in named)
        taken = ", ".join(f"{c.taken(c.value)} AS {name}" for c, name in named)
        listed = ", ".join(f"b.{name}" for name in (*self.partials, "at"))
        text = (
            f"SELECT {self.listed_keys}{listed} FROM {elements.name} LATERAL VIEW explode(array("
            f"struct({brought}, start AS at), struct({taken}, end AS at))) AS b "
            f"WHERE b.at < {time(slab.end)}"
        )
        return script.define("boundaries", text, self._columns, [elements])

    def _waiting(self, script: Script, slab: Slab, elements: Rel, ending: Rel) -> Rel:
        """The ends still to come; what lasts for ever has none."""
        if slab.endless:
            return EMPTY
        outputs = [*self.grouping, *self.same(*self.arguments.values()), ("at", "end")]
        new = script.select("ends", elements, outputs, f"end < {time(FOREVER)}")
        return grown(script, script.union("waiting", ending, new), new, "at", slab.end)

    def _leaving(self, script: Script, due: Rel) -> Rel:
        """What is subtracted where elements of earlier slabs end."""
        taken = [(name, c.taken(c.value)) for c, name in self.components.items()]
        outputs = [*self.grouping, *taken, ("at", "at")]
        return script.select("leaving", self.parted(script, due), outputs)

    def _standing(self, script: Script, slab: Slab, held: Rel) -> Rel:
        """The groups as they were when the slab began; the total of nothing begins with time."""
        if held is EMPTY and self.node.total:
            zeros = ", ".join(f"{c.nothing} AS {name}" for c, name in self.components.items())
            text = f"SELECT {zeros}, {time(slab.start)} AS at"
            return script.define("nothing", text, self._columns, [])
        before = [*self.same(*self.keys, *self.partials), ("at", "CAST(NULL AS BIGINT)")]
        return script.select("standing", held, before)

    def _swept(self, script: Script, boundaries: Rel) -> Rel:
        by = ", ".join(self.keys) or "1"
        sums = [
            f"{component.aggregated(name, ' OVER sweep')} AS {name}"
            for component, name in self.components.items()
        ]
        text = (
            f"SELECT {self.listed_keys}{', '.join(sums)}, at, lead(at) OVER peers AS next "
            f"FROM {boundaries.name} WINDOW sweep AS (PARTITION BY {by} ORDER BY at "
            "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW), "
            f"peers AS (PARTITION BY {by} ORDER BY at)"
        )
        return script.define("swept", text, [*self._columns, "next"], [boundaries])
