"""The identity of an aggregate: since when the set that it is computed from stands (design §1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from continua.logical.aggregate import Aggregate
from continua.physical.aggregate.running import SINCE
from continua.physical.boundaries import AT, LAST_OF_PEERS, NEXT, following
from continua.physical.builder import Builder
from continua.physical.coalesce import ENDING
from continua.physical.expression import all_of, compile_expression, literal
from continua.physical.extent import Extent
from continua.physical.instant import Instant, least, unknown
from continua.physical.net_changes import net_changes
from continua.physical.operator import NodeOperator, Outputs
from continua.physical.relation import EMPTY, UP_TO_PEERS, Output, Rel, Window
from continua.physical.slab import Slab
from continua.physical.sweep_area import State, SweepArea
from continua.physical.validity import END, START, Validity

SETS = SweepArea("sets", "keys", "equal keys", "until < w₁")

UNTIL = Instant("until")
"""Until when a group is known to have tuples."""


@dataclass(frozen=True, eq=False)
class Since(NodeOperator[Aggregate]):
    """Gives aggregates identities: they are new tuples whenever the set of their group changes.

    Its inputs are the aggregates, in pieces, and the tuples that they are computed from, with
    their identities. A set changes where one of its tuples starts or ends; the values of an
    aggregate change nowhere else, and all other cuts of its pieces have no meaning.
    """

    carries_out = ()

    @property
    def label(self) -> str:
        return "since when sets stand"

    @property
    def lasts(self) -> Extent:
        return self.inputs[0].extent.cut

    @property
    def areas(self) -> tuple[SweepArea, ...]:
        return ENDING, SETS

    @property
    def _keys(self) -> tuple[str, ...]:
        return self.values[: len(self.node.keys)]

    def advance(self, builder: Builder, slab: Slab, inputs: Sequence[Rel], state: State) -> Outputs:
        pieces, tuples = inputs
        changed, kept = self._changed(builder, slab, tuples, state)
        nothing = (SINCE, unknown()), (UNTIL, unknown()), ("found", self._nothing)
        made = ("found", f"struct({', '.join(self.values)})")
        rows = builder.union(
            "rows",
            self._at(builder, START, pieces, nothing[0], (UNTIL, END), made),
            self._at(builder, AT, changed, (SINCE, AT), *nothing[1:]),
            self._at(builder, slab.since, SETS.held(state), *self.same(SINCE, UNTIL), nothing[2]),
        )
        if rows is EMPTY:
            return EMPTY, kept
        swept = self._swept(builder, rows)
        piece = Validity(AT, least(UNTIL, NEXT.otherwise(UNTIL)))
        outputs = [
            *((name, f"found.{name}") for name in self.values),
            ("id", f"struct({', '.join((*self._keys, SINCE))})"),
            *piece.outputs,
        ]
        result = builder.select("since", swept, outputs, all_of("found IS NOT NULL", piece.lasts))
        if slab.endless:
            return result, {}
        lasting = all_of(NEXT.unknown, UNTIL.not_before(slab.until))
        sets = builder.select("sets", swept, self.same(*self._keys, SINCE, UNTIL), lasting)
        return result, {**kept, SETS.name: sets}

    def _at(self, builder: Builder, at: Instant, rel: Rel, *known: Output) -> Rel:
        """What is known of groups at instants."""
        return builder.select("at", rel, [*self.same(*self._keys), (AT, at), *known])

    def _swept(self, builder: Builder, rows: Rel) -> Rel:
        """The last of what is known of a group at each of its instants."""
        outputs = [
            *self.same(*self._keys, AT),
            *((name, f"{name.latest} OVER upto") for name in (SINCE, UNTIL)),
            ("found", "last_value(found, TRUE) OVER upto"),
            following("w"),
        ]
        w, upto = Window(self._keys, AT), Window(self._keys, AT, UP_TO_PEERS)
        swept = builder.windowed("swept", rows, outputs, w=w, upto=upto)
        return builder.where("known", swept, LAST_OF_PEERS)

    @property
    def _nothing(self) -> str:
        """SQL: no values."""
        named = zip(self.values, self.schema.types, strict=True)
        empty = ", ".join(f"{literal(None, type_)} AS {name}" for name, type_ in named)
        return f"IF(FALSE, struct({empty}), NULL)"

    def _changed(
        self, builder: Builder, slab: Slab, tuples: Rel, state: State
    ) -> tuple[Rel, State]:
        """The instants at which the sets of groups change."""
        below = self.inputs[1]
        known = below.whole
        net, kept = net_changes(builder, slab, tuples, below.form, below.carried, state, known)
        keys = [
            (name, compile_expression(builder, key, below.values))
            for name, key in zip(self._keys, self.node.keys, strict=True)
        ]
        keyed = builder.select("keyed", net, [*keys, (AT, AT)])
        return builder.group("changed", keyed, [*self._keys, AT]), kept
