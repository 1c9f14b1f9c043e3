"""What the algorithms of aggregation share: columns, results, and SQL's rule over nothing."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from continua.logical.aggregate import Aggregate
from continua.logical.expr.aggregates import AggregateCall
from continua.logical.expr.nodes import Expression
from continua.physical.aggregate.calls import Decomposition, count_all, decompose
from continua.physical.aggregate.components import Component
from continua.physical.aggregate.fixed_point import Layer
from continua.physical.builder import Builder
from continua.physical.expression import all_of, compile_expression, literal
from continua.physical.extent import ANY, Extent
from continua.physical.instant import Instant
from continua.physical.operator import NodeOperator, Outputs
from continua.physical.relation import EMPTY, Rel, Window
from continua.physical.slab import Slab
from continua.physical.sweep_area import State, SweepArea
from continua.physical.validity import END, OWN, START, Validity

Columns = Sequence[tuple[str, str]]
"""Columns of a relation, given as (name, expression)."""

ALIVE = SweepArea("alive", END, "equal keys")
"""Elements that later slabs still see."""


@dataclass(frozen=True, eq=False)
class Aggregation(NodeOperator[Aggregate]):
    """An aggregate per group and instant: the columns of the keys, then those of the calls."""

    carries_out = ()

    @property
    def lasts(self) -> Extent:
        # Between elements there is the total of nothing, for any length of time.
        return ANY if self.node.total else self.inputs[0].extent.cut

    @property
    def keys(self) -> tuple[str, ...]:
        """The columns of the group's keys."""
        return self.values[: len(self.node.keys)]

    @property
    def grouping(self) -> list[tuple[str, str]]:
        """Outputs that pass on the keys."""
        return [(key, key) for key in self.keys]

    @property
    def arguments(self) -> dict[Expression, str]:
        """The columns that the arguments of the calls are computed into, each once."""
        found: dict[Expression, str] = {}
        for call in self.node.calls:
            for arg in call.args:
                found.setdefault(arg, f"a{len(found)}")
        return found

    @property
    def identity(self) -> list[tuple[str, str]]:
        """The output `id`, if it is asked for."""
        return self.by_value(self.keys)

    def columns_for(self, call: AggregateCall) -> list[str]:
        arguments = self.arguments
        return [arguments[arg] for arg in call.args]

    def prepared(self, builder: Builder, rel: Rel) -> Rel:
        """The elements with their keys and the arguments of the calls."""
        below = self.inputs[0].values
        computed = [*zip(self.keys, self.node.keys, strict=True)]
        computed += [(column, arg) for arg, column in self.arguments.items()]
        outputs = [(name, compile_expression(builder, e, below)) for name, e in computed]
        return builder.select("prepared", rel, [*outputs, *OWN.outputs])

    def results(self, builder: Builder, calls: Sequence[str]) -> list[tuple[str, str]]:
        """The columns of a result: the keys, the calls, and the group as its identity.

        Where a group lasts, `Since` tells apart the tuples that it is over time.
        """
        for call, text in zip(self.node.calls, calls, strict=True):
            if call.span is not None:
                builder.places.setdefault(text, call.span)
        return [
            *self.grouping,
            *zip(self.values[len(self.keys) :], calls, strict=True),
            *self.identity,
        ]

    def from_partials(
        self,
        builder: Builder,
        hint: str,
        rel: Rel,
        made: Sequence[tuple[Decomposition, Sequence[str]]],
        also: Columns,
    ) -> Rel:
        """The results of the calls, each made from columns of its own; what takes several steps
        is computed in columns beside them first."""
        # What several calls make of the same partial aggregates has the same name: made once.
        computed = [d.computed(f"x{partials[0]}", partials) for d, partials in made]
        rel = layered(builder, rel, [layers for layers, _ in computed])
        calls = [result for _, result in computed]
        return builder.select(hint, rel, [*self.results(builder, calls), *also])

    def also_over_nothing(self, builder: Builder, slab: Slab, pieces: Rel) -> Rel:
        """The pieces of the slab, and where there are none the aggregate over no tuples."""
        if not self.node.total:
            return pieces
        begins = builder.values("begins", OWN, [[slab.since] * 2])
        covered = builder.select("covered", pieces, OWN.outputs)
        next_ = Instant(f"lead({START}, 1, {slab.until}) OVER w")
        between = builder.windowed(
            "between",
            builder.union("bounds", begins, covered),
            Validity(END, next_).outputs,
            w=Window((), OWN.order),
        )
        empty = [literal(call.function.empty, call.type) for call in self.node.calls]
        outputs = [*self.results(builder, empty), *OWN.outputs]
        gaps = builder.select("gaps", between, outputs, OWN.lasts)
        return builder.union("everywhere", pieces, gaps)


@dataclass(frozen=True, eq=False)
class OfAlive(Aggregation):
    """Keeps the elements that are still alive, and computes the slab's pieces from all of them."""

    @property
    def areas(self) -> tuple[SweepArea, ...]:
        return (ALIVE,)

    def advance(self, builder: Builder, slab: Slab, inputs: Sequence[Rel], state: State) -> Outputs:
        new = self.prepared(builder, inputs[0])
        alive = ALIVE.insert(builder, state, new)
        pieces = EMPTY if alive is EMPTY else self.pieces(builder, slab, alive)
        kept = ALIVE.purge(builder, slab, alive, new)
        return self.also_over_nothing(builder, slab, pieces), kept

    @abstractmethod
    def pieces(self, builder: Builder, slab: Slab, alive: Rel) -> Rel:
        """The results of all groups inside the slab."""


@dataclass(frozen=True, eq=False)
class ByComponents(Aggregation):
    """An algorithm that combines partial aggregates."""

    @property
    def decompositions(self) -> list[Decomposition]:
        found = [decompose(call, self.columns_for(call)) for call in self.node.calls]
        assert None not in found, "chosen only for calls that have components"
        return [d for d in found if d is not None]

    @property
    def components(self) -> dict[Component, str]:
        """The components of all calls, each once, by the columns of their partial aggregates.

        The first counts the rows: where it is 0 there is no group.
        """
        found = {count_all(): "p0"}
        for decomposition in self.decompositions:
            for component in decomposition.components:
                found.setdefault(component, f"p{len(found)}")
        return found

    @property
    def partials(self) -> tuple[str, ...]:
        return tuple(self.components.values())

    def parted(self, builder: Builder, rel: Rel) -> Rel:
        """The elements with the columns that the components are computed from."""
        return layered(builder, rel, [d.before for d in self.decompositions])

    def evaluated(self, builder: Builder, hint: str, rel: Rel, also: Columns) -> Rel:
        """The results from rows with partial aggregates, with other columns of theirs."""
        names = self.components
        made = [(d, [names[c] for c in d.components]) for d in self.decompositions]
        return self.from_partials(builder, hint, rel, made, also)


def layered(builder: Builder, rel: Rel, steps: Sequence[Sequence[Layer]]) -> Rel:
    """A relation with more columns, computed in layers; columns of one name are the same one."""
    for layers in zip_longest(*steps, fillvalue=[]):
        added = dict(column for layer in layers for column in layer)
        new = [(name, e) for name, e in added.items() if name not in rel.columns]
        rel = builder.select("layer", rel, [*((name, name) for name in rel.columns), *new])
    return rel


def clipped(builder: Builder, slab: Slab, pieces: Rel) -> Rel:
    """What lies inside the slab."""
    outputs = [
        *((name, name) for name in pieces.columns if name not in OWN),
        *slab.clipped.outputs,
    ]
    inside = all_of(START.before(slab.until), END.after(slab.since))
    return builder.select("clipped", pieces, outputs, inside)
