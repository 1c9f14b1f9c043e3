"""Branch: every element once for each query that takes it, with the query's name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from continua.logical.branch import Branch as LogicalBranch
from continua.logical.expr.nodes import TRUE
from continua.model.types import STRING
from continua.physical.builder import Builder
from continua.physical.expression import compile_expression, literal
from continua.physical.operator import EitherForm, Outputs
from continua.physical.relation import Rel
from continua.physical.slab import Slab
from continua.physical.sweep_area import State


@dataclass(frozen=True, eq=False)
class Branch(EitherForm[LogicalBranch]):
    carries_out = (LogicalBranch,)

    def advance(self, builder: Builder, slab: Slab, inputs: Sequence[Rel], state: State) -> Outputs:
        below = self.inputs[0].values
        takers = []
        for tag, predicate in self.node.members:
            name = literal(tag, STRING)
            condition = compile_expression(builder, predicate, below)
            takers.append(name if predicate == TRUE else f"IF({condition}, {name}, NULL)")
        tags = f"array_compact(array({', '.join(takers)}))"
        outputs = zip(self.values, ("tag", *below), strict=True)
        rest = self.same(*self.columns[len(self.values) :])
        return builder.exploded("branch", inputs[0], tags, "tag", [*outputs, *rest]), {}
