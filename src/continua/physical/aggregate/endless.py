"""Aggregation of elements that last for ever: nothing leaves, so any partial aggregate will do."""

from __future__ import annotations

from dataclasses import dataclass

from continua.physical.aggregate.running import STANDING, RunningAggregate
from continua.physical.script import EMPTY, Rel, Script
from continua.physical.slab import Slab, time
from continua.physical.sweep_area import SweepArea


@dataclass(frozen=True, eq=False)
class EndlessAggregate(RunningAggregate):
    """Running aggregates of what has started in the slab, combined with what stood before."""

    @property
    def areas(self) -> tuple[SweepArea, ...]:
        return (STANDING,)

    @property
    def _columns(self) -> tuple[str, ...]:
        return (*self.keys, *self.arguments.values(), *self.partials, "brings", "at")

    def _boundaries(self, script: Script, slab: Slab, elements: Rel) -> Rel:
        outputs = [
            *self.grouping,
            *((name, name) for name in self.arguments.values()),
            *((name, component.nothing) for component, name in self.components.items()),
            ("brings", "TRUE"),
            ("at", "start"),
        ]
        return script.select("starts", elements, outputs)

    def _waiting(self, script: Script, slab: Slab, elements: Rel, ending: Rel) -> Rel:
        return EMPTY

    def _standing(self, script: Script, slab: Slab, held: Rel) -> Rel:
        """What stood before the slab brings no values, but partial aggregates."""
        at, partials = "CAST(NULL AS BIGINT)", [(name, name) for name in self.partials]
        if held is EMPTY:
            if not self.node.total:
                return EMPTY
            at = time(slab.start)
            partials = [(name, component.nothing) for component, name in self.components.items()]
        outputs = [
            *self.grouping,
            *((name, "NULL") for name in self.arguments.values()),
            *partials,
            ("brings", "FALSE"),
            ("at", at),
        ]
        if held is EMPTY:
            listed = ", ".join(f"{e} AS {name}" for name, e in outputs)
            return script.define("nothing", f"SELECT {listed}", self._columns, [])
        return script.select("standing", held, outputs)

    def _stands(self, script: Script, boundaries: Rel, swept: Rel) -> Rel:
        partials = [(name, component.settled(name)) for component, name in self.components.items()]
        return script.select("standing", swept, [*self.grouping, *partials], "next IS NULL")

    def _swept(self, script: Script, boundaries: Rel) -> Rel:
        by = f"PARTITION BY {', '.join(self.keys) or '1'} ORDER BY at"
        parted = self.parted(script, boundaries)
        parts = []
        for component, name in self.components.items():
            brought = component.aggregated(f"IF(brings, {component.value}, NULL)", " OVER sweep")
            # What stood has no time, and so comes first.
            parts.append(f"{brought} AS u{name}, first_value({name}) OVER sweep AS s{name}")
        text = (
            f"SELECT {self.listed_keys}{', '.join(parts)}, at, lead(at) OVER peers AS next "
            f"FROM {parted.name} WINDOW sweep AS ({by} "
            f"RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW), peers AS ({by})"
        )
        columns = [f"{side}{name}" for name in self.partials for side in "us"]
        swept = script.define("sweep", text, [*self.keys, *columns, "at", "next"], [parted])
        combined = [
            (name, component.combined(f"s{name}", f"u{name}"))
            for component, name in self.components.items()
        ]
        return script.select("swept", swept, [*self.grouping, *combined, *self.same("at", "next")])
