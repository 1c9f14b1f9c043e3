"""The query graph: operators that several queries share, advanced a slab at a time (design §7)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace

from continua.logical.branch import Branch
from continua.model.catalog import Relation
from continua.model.digest import digest
from continua.physical.builder import Builder
from continua.physical.expression import spark_type
from continua.physical.instant import instants
from continua.physical.operator import NodeOperator, Operator
from continua.physical.relation import EMPTY, IllFormed, Rel
from continua.physical.scan import Scan
from continua.physical.slab import Slab
from continua.physical.sweep_area import State

States = Mapping[str, State]
"""What the operators of a graph keep, by their names."""


@dataclass(frozen=True)
class Graph:
    """Operators in an order in which inputs come first; equal subplans are there once.

    An operator is named by the digest of what it does, so that it has the same name in a graph in
    which there are others beside it. roots: the operators that give the results of the queries.
    """

    operators: Mapping[str, Operator]
    roots: tuple[Operator, ...]

    def advance(
        self, builder: Builder, slab: Slab, source: Callable[[Relation], Rel], states: States
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
            try:
                with instants(operator.batched):
                    outputs[operator], state = operator.advance(builder, slab, inputs, held)
                _check(operator, outputs[operator])
            except IllFormed as problem:
                raise IllFormed(f"{operator.label}: {problem}") from problem
            builder.operators.setdefault(outputs[operator], operator.label)
            if state:
                kept[name] = state
        return [outputs[root] for root in self.roots], kept


def _check(operator: Operator, output: Rel) -> None:
    """Refuses an output whose columns are not those of the operator, or not of their types."""
    if output is EMPTY:
        return
    if output.columns != operator.columns:
        raise IllFormed(f"it gives {operator.columns}, and not {output.columns}")
    for name, type_ in zip(operator.values, map(spark_type, operator.schema.types), strict=True):
        if output.types.get(name, type_) != type_:
            raise IllFormed(f"{name} is {type_}, and not {output.types[name]}")


_BY_DIGEST = ("inputs", "node")
"""The fields of an operator that are told apart by digests of their own."""


def graph_of(roots: Sequence[Operator], unit_names: Sequence[str] | None = None) -> Graph:
    """The graph of several plans.

    Operators are equal if they are of one kind, carry out nodes of equal digests, and have equal
    inputs. unit_names: a name for each plan, whatever queries are merged in it: a branch is shared
    within plans of one name only.
    """
    operators: dict[str, Operator] = {}

    def shared(operator: Operator, unit: str) -> str:
        below = tuple(shared(child, unit) for child in operator.inputs)
        node = operator.node if isinstance(operator, NodeOperator) else None
        does = None if node is None else node.digest
        branch_of = unit if isinstance(node, Branch) else ""
        settings = [getattr(operator, f.name) for f in fields(operator) if f.name not in _BY_DIGEST]
        name = digest((type(operator).__qualname__, settings, does, branch_of, below))
        if name not in operators:
            inputs = tuple(operators[child] for child in below)
            operators[name] = replace(operator, inputs=inputs)
        return name

    found = tuple(map(shared, roots, unit_names or [""] * len(roots)))
    return Graph(operators, tuple(operators[name] for name in found))
