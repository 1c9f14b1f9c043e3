"""The query graph: operators that several queries share, advanced a slab at a time (design §7)."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace

from continua.model.catalog import Relation
from continua.physical.operator import NodeOperator, Operator
from continua.physical.scan import Scan
from continua.physical.script import Rel, Script
from continua.physical.slab import Slab
from continua.physical.sweep_area import State

States = Mapping[int, State]
"""What the operators of a graph keep, by their numbers."""


@dataclass(frozen=True)
class Graph:
    """Operators in an order in which inputs come first; equal subplans are there once.

    roots: the operators that give the results of the queries.
    """

    operators: tuple[Operator, ...]
    roots: tuple[Operator, ...]

    def advance(
        self, script: Script, slab: Slab, source: Callable[[Relation], Rel], states: States
    ) -> tuple[list[Rel], States]:
        """The outputs of the roots for a slab, and what is kept for the next."""
        outputs: dict[Operator, Rel] = {}
        kept: dict[int, State] = {}
        for number, operator in enumerate(self.operators):
            if isinstance(operator, Scan):
                inputs = [source(operator.node.relation)]
            else:
                inputs = [outputs[child] for child in operator.inputs]
            held = states.get(number, {})
            outputs[operator], state = operator.advance(script, slab, inputs, held)
            if state:
                kept[number] = state
        return [outputs[root] for root in self.roots], kept


def graph_of(roots: Sequence[Operator]) -> Graph:
    """The graph of several plans.

    Operators are equal if they are of one kind, carry out equal nodes, and have equal inputs.
    """
    known: dict[Hashable, Operator] = {}

    def shared(operator: Operator) -> Operator:
        inputs = tuple(shared(child) for child in operator.inputs)
        node = operator.node if isinstance(operator, NodeOperator) else None
        key = (type(operator), node, operator.identified, inputs)
        if key not in known:
            known[key] = replace(operator, inputs=inputs)
        return known[key]

    found = tuple(map(shared, roots))
    return Graph(tuple(known.values()), found)
