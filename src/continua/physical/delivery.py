"""What sinks are given, from the result of a slab: elements, net changes, closed intervals.

Per tuple value only net changes of its multiplicity count (design §2).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from continua.physical.boundaries import AT
from continua.physical.builder import Builder
from continua.physical.coalesce import ENDING
from continua.physical.expression import all_of
from continua.physical.instant import FOREVER, instant
from continua.physical.net_changes import net_changes
from continua.physical.operator import Form, Operator, Outputs
from continua.physical.pairing import levels, paired
from continua.physical.relation import EMPTY, Rel
from continua.physical.slab import Slab
from continua.physical.sweep_area import Content, State, SweepArea
from continua.physical.validity import END, OWN, START, Validity

OPEN = SweepArea("open", START, "equal tuple", "closed")


@dataclass(frozen=True, eq=False)
class Delivery(Operator):
    """The end of a plan: takes changes or pieces, and gives rows as a sink has asked for them."""

    @property
    def areas(self) -> tuple[SweepArea, ...]:
        return () if self.inputs[0].form is Form.CHANGES else (ENDING,)

    def counted(
        self, builder: Builder, slab: Slab, stream: Rel, state: State
    ) -> tuple[Rel, dict[str, Content]]:
        """By how much (`n`) the multiplicity of a tuple changes at a time (`at`)."""
        below = self.inputs[0]
        return net_changes(builder, slab, stream, below.form, self.values, state, below.net)


@dataclass(frozen=True, eq=False)
class Changes(Delivery):
    """`+` when a tuple becomes valid, `-` when it ceases to be."""

    @property
    def label(self) -> str:
        return "deliver changes"

    @property
    def columns(self) -> tuple[str, ...]:
        return (*self.values, "change", AT)

    def advance(self, builder: Builder, slab: Slab, inputs: Sequence[Rel], state: State) -> Outputs:
        net, kept = self.counted(builder, slab, inputs[0], state)
        outputs = [*self.same(*self.values), ("change", "IF(n > 0, '+', '-')"), (AT, AT)]
        copies = "sequence(1L, abs(n))"
        return builder.exploded("delivered", net, copies, "copy", outputs), kept


@dataclass(frozen=True, eq=False)
class Intervals(Delivery):
    """Tuples with their validity, when they have closed; at the end of time all have."""

    @property
    def label(self) -> str:
        return "deliver intervals"

    @property
    def areas(self) -> tuple[SweepArea, ...]:
        return (*super().areas, OPEN)

    def advance(self, builder: Builder, slab: Slab, inputs: Sequence[Rel], state: State) -> Outputs:
        stream, held = inputs[0], OPEN.held(state)
        passing: Rel = EMPTY
        if self.inputs[0].net:
            # What opens and closes in the slab is an interval already.
            whole = all_of(START.known, END.known)
            passing = builder.where("passing", stream, whole)
            stream = builder.where("others", stream, f"NOT ({whole})")
        net, kept = self.counted(builder, slab, stream, state)
        touched, untouched = self._split(builder, held, net)
        boundaries = builder.union("boundaries", net, touched)
        stands = untouched
        closed: Rel = EMPTY
        if boundaries is not EMPTY:
            pairs = paired(builder, self.values, self._levels(builder, boundaries))
            outputs = self.same(*self.values, *OWN)
            found = builder.select("closed", pairs, outputs, END.known)
            closed = builder.union("closed", passing, found)
            still = [*self.same(*self.values), (AT, START), ("n", "1L")]
            opened = builder.select("opened", pairs, still, END.unknown)
            stands = builder.union("stands", untouched, opened)
        if not slab.endless:
            return closed, kept if stands is EMPTY else {**kept, OPEN.name: stands}
        ever = [*self.same(*self.values), *Validity(AT, instant(FOREVER)).outputs]
        return builder.union("closed", closed, builder.select("ever", stands, ever)), kept

    def _split(self, builder: Builder, held: Rel, net: Rel) -> tuple[Rel, Rel]:
        """What is open, apart by whether its value changes in the slab."""
        if held is EMPTY or net is EMPTY:
            return EMPTY, held
        equal = all_of(*(f"l.{c} <=> r.{c}" for c in self.values))
        outputs = [(c, f"l.{c}") for c in (*self.values, AT, "n")]
        return (
            builder.join("touched", "LEFT SEMI", held, net, equal, outputs),
            builder.join("untouched", "LEFT ANTI", held, net, equal, outputs),
        )

    def _levels(self, builder: Builder, boundaries: Rel) -> Rel:
        """The multiplicity from each boundary on."""
        found = levels(builder, self.values, boundaries)
        return builder.select("levels", found, [*self.same(*found.columns), ("open", "FALSE")])


@dataclass(frozen=True, eq=False)
class Elements(Operator):
    """The elements of a chronon stream, one by one: they are neither counted nor sorted.

    Each ends in the slab in which it starts. delivery: INSERTS, or INTERVALS with their ends.
    """

    delivery: str

    @property
    def label(self) -> str:
        return "deliver elements"

    @property
    def columns(self) -> tuple[str, ...]:
        times = (AT,) if self.delivery == "INSERTS" else OWN
        return (*self.values, *times)

    def advance(self, builder: Builder, slab: Slab, inputs: Sequence[Rel], state: State) -> Outputs:
        outputs = [(name, START if name == AT else name) for name in self.columns]
        return builder.select("delivered", inputs[0], outputs), {}


DELIVERIES: dict[str, type[Delivery]] = {
    "CHANGES": Changes,
    "INTERVALS": Intervals,
}
