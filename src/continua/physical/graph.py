"""The query graph: operators that several queries share, advanced a slab at a time (design §7)."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

from continua.logical.branch import Branch
from continua.model.catalog import Relation
from continua.physical.operator import NodeOperator, Operator
from continua.physical.scan import Scan
from continua.physical.script import Rel, Script
from continua.physical.slab import Slab
from continua.physical.sweep_area import State

States = Mapping[str, State]
"""What the operators of a graph keep, by their names."""


@dataclass(frozen=True)
class Graph:
    """Operators in an order in which inputs come first; equal subplans are there once.

    An operator has a name that says what it does, so that it has the same in a graph in which
    there are others beside it. roots: the operators that give the results of the queries.
    """

    operators: Mapping[str, Operator]
    roots: tuple[Operator, ...]

    def advance(
        self, script: Script, slab: Slab, source: Callable[[Relation], Rel], states: States
    ) -> tuple[list[Rel], States]:
        """The outputs of the roots for a slab, and what is kept for the next."""
        outputs: dict[Operator, Rel] = {}
        kept: dict[str, State] = {}
        for name, operator in self.operators.items():
            if isinstance(operator, Scan):
                inputs = [source(operator.node.relation)]
            else:
                inputs = [outputs[child] for child in operator.inputs]
            held = states.get(name, {})
            outputs[operator], state = operator.advance(script, slab, inputs, held)
            script.operators.setdefault(outputs[operator].name, operator.label)
            if state:
                kept[name] = state
        return [outputs[root] for root in self.roots], kept


def graph_of(roots: Sequence[Operator], kinds: Sequence[str] | None = None) -> Graph:
    """The graph of several plans.

    Operators are equal if they are of one kind, carry out equal nodes, and have equal inputs.
    kinds: what tells plans of merged queries apart, whatever queries are in them.
    """
    known: dict[Hashable, Operator] = {}
    names: dict[Operator, str] = {}

    def shared(operator: Operator, kind: str) -> Operator:
        inputs = tuple(shared(child, kind) for child in operator.inputs)
        node = operator.node if isinstance(operator, NodeOperator) else None
        key = (type(operator), node, operator.identified, inputs)
        if key not in known:
            known[key] = replace(operator, inputs=inputs)
            of = [kind] if isinstance(node, Branch) else []
            name = _name(known[key], [*of, *(names[child] for child in inputs)])
            while name in names.values():
                name += "x"
            names[known[key]] = name
        return known[key]

    found = tuple(map(shared, roots, kinds or [""] * len(roots)))
    return Graph({name: operator for operator, name in names.items()}, found)


def _name(operator: Operator, below: Sequence[str]) -> str:
    """What an operator does, in few letters."""
    form = f"{operator.schema} {operator.identified}"
    what = (type(operator).__name__, operator.label, form, *below)
    return sha256("\n".join(what).encode()).hexdigest()[:12]
