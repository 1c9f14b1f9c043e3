"""Aggregation by running sums over the boundaries of intervals (design §6).

Whatever can be subtracted without a trace is added where an element starts and subtracted where
it ends. One sort by time serves all groups, and elements may last as long as they like. Each slab
costs what starts and ends in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from continua.physical.aggregate.aggregation import ByComponents
from continua.physical.boundaries import (
    AT,
    BOUNDARY,
    LAST_OF_PEERS,
    NEXT,
    boundaries,
    following,
)
from continua.physical.builder import Builder
from continua.physical.expression import all_of
from continua.physical.instant import FOREVER, Instant, instant, unknown
from continua.physical.operator import Form, Outputs
from continua.physical.relation import EMPTY, UP_TO_PEERS, Output, Rel, Window
from continua.physical.slab import Slab
from continua.physical.sweep_area import (
    Content,
    Log,
    Renewed,
    State,
    SweepArea,
    grown,
    of_keys,
    unchanged,
)
from continua.physical.validity import END, OWN, Validity

STANDING = SweepArea("standing", "keys", "equal keys", "no row left")
ENDING = SweepArea("ending", END, "end < w₁", "end < w₁")

SINCE = Instant("since")
"""Since when the set of a group stands (the identity of an aggregate, design §1)."""


@dataclass(frozen=True, eq=False)
class RunningAggregate(ByComponents):
    """The aggregate of a group changes at its boundaries; what stands has no start of its own.

    Changes are boundaries already: what has opened is added, and what has closed subtracted.
    """

    @property
    def form(self) -> Form:
        return Form.CHANGES

    @property
    def net(self) -> bool:
        return not self.identified

    @property
    def whole(self) -> bool:
        return super().whole or (bool(self.node.calls) and self.inputs[0].whole)

    @property
    def identity(self) -> list[tuple[str, str]]:
        """Of whole tuples every boundary changes the set of a group."""
        if not self._by_sets:
            return super().identity
        return [("id", f"struct({', '.join((*self.keys, SINCE))})")]

    @property
    def _by_sets(self) -> bool:
        """Whether a group is a new tuple since the last of its boundaries."""
        return self.identified and bool(self.node.calls)

    @property
    def since(self) -> tuple[str, ...]:
        """The column, if it is needed, for the last boundary of a group."""
        return (SINCE,) if self._by_sets else ()

    @property
    def areas(self) -> tuple[SweepArea, ...]:
        return (STANDING,) if self.inputs[0].form is Form.CHANGES else (STANDING, ENDING)

    def advance(self, builder: Builder, slab: Slab, inputs: Sequence[Rel], state: State) -> Outputs:
        elements = self.prepared(builder, inputs[0])
        ending = ENDING.held(state)
        if self.inputs[0].extent.stepped:
            touched, waiting = self._stepped(builder, slab, elements, ending)
        else:
            due = self._leaving(builder, builder.where("due", ending, AT.before(slab.until)))
            new = self._boundaries(builder, elements, slab.until)
            touched = builder.union("boundaries", new, due)
            waiting = self._waiting(builder, slab, elements, ending)
        held = of_keys(builder, STANDING, state, self.keys, touched)
        standing = self._standing(builder, slab, held)
        changes = builder.union("boundaries", touched, standing)
        kept: dict[str, Content] = {} if waiting is None else {ENDING.name: waiting}
        if changes is EMPTY:
            return EMPTY, {**kept, **unchanged(STANDING, state, self.keys)}
        some = "TRUE" if self.node.total else "p0 > 0"
        swept = self._swept(builder, changes)
        net = self._net(builder, swept, some)
        if slab.endless:
            return net, kept
        stands = self._stands(builder, changes, swept)
        if self.keys:
            renewed = Renewed(stands.columns, stands, self.keys, f"NOT ({some})")
            return net, {**kept, STANDING.name: renewed}
        return net, {**kept, STANDING.name: builder.where("standing", stands, some)}

    def _net(self, builder: Builder, swept: Rel, some: str) -> Rel:
        """What becomes of the groups at boundaries at which their results change."""
        results = self.carried
        # Of several rows at one boundary the last knows them all; a group that stands and meets
        # no boundary is one row without a time.
        last = builder.where("last", swept, LAST_OF_PEERS)
        levels = self.evaluated(builder, "levels", last, [("some", some), (AT, AT)])
        w = Window(self.keys, AT)
        known = self.same(*levels.columns)
        if self._by_sets:
            return self._changes(
                builder, builder.windowed("next", levels, [*known, following("w")], w=w)
            )
        own = ["some", *(name for name in results if name not in (*self.keys, "id"))]
        before = [(f"b{name}", f"lag({name}) OVER w") for name in own]
        compared = builder.windowed("compared", levels, [*known, *before], w=w)
        same = all_of(*(f"{name} <=> b{name}" for name in own))
        next_ = following("w")
        changed = builder.windowed("changed", compared, [*known, next_], f"NOT ({same})", w=w)
        return self._changes(builder, changed)

    def _changes(self, builder: Builder, levels: Rel) -> Rel:
        """A group opens at a boundary and closes at the next one, if that is in the slab."""
        outputs = [*self.same(*self.carried), *Validity(AT, NEXT).outputs]
        # A group that meets boundaries and stays what it was neither opens nor closes.
        meets = f"({AT.known} OR {NEXT.known})"
        return builder.select("changes", levels, outputs, all_of("some", meets))

    def _stands(self, builder: Builder, boundaries: Rel, swept: Rel) -> Rel:
        """The groups as they are when the slab ends: sums, for which nothing has to be sorted."""
        sums = [(name, c.aggregated(name)) for c, name in self.components.items()]
        latest = [(name, f"max({name})") for name in self.since]
        summed = builder.group("summed", boundaries, self.keys, [*sums, *latest])
        settled = [(name, component.settled(name)) for component, name in self.components.items()]
        return builder.select(
            "standing", summed, [*self.grouping, *settled, *self.same(*self.since)]
        )

    def _stepped(
        self, builder: Builder, slab: Slab, elements: Rel, ending: Rel
    ) -> tuple[Rel, Log | None]:
        """What starts and ends in the slab, and what is still to come.

        Boundaries lie at multiples of a slide: one for all of a group at an instant, they are few.
        """
        found = self._boundaries(builder, elements, instant(FOREVER))
        sums = [(name, c.aggregated(name)) for c, name in self.components.items()]
        sums += [(name, f"max({name})") for name in self.since]
        summed = builder.group("summed", found, [*self.keys, AT], sums)
        new = builder.select("boundaries", summed, self.same(*self._columns))
        both = builder.union("boundaries", new, ending)
        due = builder.where("due", both, AT.before(slab.until))
        return due, None if slab.endless else grown(builder, both, new, AT, slab.end)

    @property
    def _columns(self) -> tuple[str, ...]:
        return (*self.keys, *self.partials, *self.since, AT)

    def _boundaries(self, builder: Builder, elements: Rel, until: Instant) -> Rel:
        """The starts of the elements and their ends, as far as they lie before an instant."""
        elements = self.parted(builder, elements)
        brought = {name: (c.value, c.taken(c.value)) for c, name in self.components.items()}
        ends = {**brought, **dict.fromkeys(self.since, OWN), AT: OWN}
        reached = BOUNDARY.before(until)
        return boundaries(builder, elements, self.grouping, ends, reached)

    def _waiting(self, builder: Builder, slab: Slab, elements: Rel, ending: Rel) -> Log | None:
        """The ends still to come; what lasts for ever has none, and of changes all have come."""
        if slab.endless or self.inputs[0].form is Form.CHANGES:
            return None
        outputs = [*self.grouping, *self.same(*self.arguments.values()), (AT, END)]
        new = builder.select("ends", elements, outputs, END.before(instant(FOREVER)))
        return grown(builder, builder.union("waiting", ending, new), new, AT, slab.end)

    def _leaving(self, builder: Builder, due: Rel) -> Rel:
        """What is subtracted where elements of earlier slabs end."""
        taken = [(name, c.taken(c.value)) for c, name in self.components.items()]
        outputs = [*self.grouping, *taken, *((name, AT) for name in self.since), (AT, AT)]
        return builder.select("leaving", self.parted(builder, due), outputs)

    def _standing(self, builder: Builder, slab: Slab, held: Rel) -> Rel:
        """The groups as they were when the slab began; the total of nothing begins with time."""
        if held is EMPTY and self.node.total:
            assert not self.since, "the total of nothing is asked for in expressions only"
            zeros = [component.nothing for component in self.components]
            return builder.values("nothing", self._columns, [[*zeros, slab.since]])
        before = [*self.same(*self.keys, *self.partials, *self.since), (AT, unknown())]
        return builder.select("standing", held, before)

    @property
    def latest(self) -> list[Output]:
        """Outputs for the last boundary of a group, in the course of time."""
        return [(name, f"max({name}) OVER sweep") for name in self.since]

    def _swept(self, builder: Builder, boundaries: Rel) -> Rel:
        sums = [
            (name, component.aggregated(name, " OVER sweep"))
            for component, name in self.components.items()
        ]
        return builder.windowed(
            "swept",
            boundaries,
            [*self.grouping, *sums, *self.latest, (AT, AT), following("peers")],
            sweep=Window(self.keys, AT, UP_TO_PEERS),
            peers=Window(self.keys, AT),
        )
