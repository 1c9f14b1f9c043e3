"""Aggregation of elements that last for ever: nothing leaves, so any partial aggregate will do."""

from __future__ import annotations

from dataclasses import dataclass

from continua.physical.aggregate.running import STANDING, RunningAggregate
from continua.physical.boundaries import AT, NEXT, following
from continua.physical.builder import Builder
from continua.physical.instant import Instant, unknown
from continua.physical.relation import EMPTY, UP_TO_PEERS, Rel, Window
from continua.physical.slab import Slab
from continua.physical.sweep_area import Log, SweepArea
from continua.physical.validity import START


@dataclass(frozen=True, eq=False)
class EndlessAggregate(RunningAggregate):
    """Running aggregates of what has started in the slab, combined with what stood before."""

    @property
    def areas(self) -> tuple[SweepArea, ...]:
        return (STANDING,)

    @property
    def _columns(self) -> tuple[str, ...]:
        return (*self.keys, *self.arguments.values(), *self.partials, *self.since, "brings", AT)

    def _boundaries(self, builder: Builder, elements: Rel, until: Instant) -> Rel:
        outputs = [
            *self.grouping,
            *((name, name) for name in self.arguments.values()),
            *((name, component.nothing) for component, name in self.components.items()),
            *((name, START) for name in self.since),
            ("brings", "TRUE"),
            (AT, START),
        ]
        return builder.select("starts", elements, outputs)

    def _waiting(self, builder: Builder, slab: Slab, elements: Rel, ending: Rel) -> Log | None:
        return None

    def _standing(self, builder: Builder, slab: Slab, held: Rel) -> Rel:
        """What stood before the slab brings no values, but partial aggregates."""
        at, partials = unknown(), [(name, name) for name in self.partials]
        if held is EMPTY:
            if not self.node.total:
                return EMPTY
            at = slab.since
            partials = [(name, component.nothing) for component, name in self.components.items()]
        outputs = [
            *self.grouping,
            *((name, "NULL") for name in self.arguments.values()),
            *partials,
            *self.same(*self.since),
            ("brings", "FALSE"),
            (AT, at),
        ]
        if held is EMPTY:
            return builder.values("nothing", self._columns, [[e for _, e in outputs]])
        return builder.select("standing", held, outputs)

    def _stands(self, builder: Builder, boundaries: Rel, swept: Rel) -> Rel:
        partials = [(name, component.settled(name)) for component, name in self.components.items()]
        return builder.select(
            "standing", swept, [*self.grouping, *partials, *self.same(*self.since)], NEXT.unknown
        )

    def _swept(self, builder: Builder, boundaries: Rel) -> Rel:
        parts: list[tuple[str, str]] = []
        for component, name in self.components.items():
            brought = component.aggregated(f"IF(brings, {component.value}, NULL)", " OVER sweep")
            # What stood has no time, and so comes first.
            parts += (f"u{name}", brought), (f"s{name}", f"first_value({name}) OVER sweep")
        swept = builder.windowed(
            "sweep",
            self.parted(builder, boundaries),
            [*self.grouping, *parts, *self.latest, (AT, AT), following("peers")],
            sweep=Window(self.keys, AT, UP_TO_PEERS),
            peers=Window(self.keys, AT),
        )
        combined = [
            (name, component.combined(f"s{name}", f"u{name}"))
            for component, name in self.components.items()
        ]
        return builder.select(
            "swept", swept, [*self.grouping, *combined, *self.same(*self.since, AT, NEXT)]
        )
