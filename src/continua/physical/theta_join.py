"""Theta-join: pairs of tuples that are valid together (TODS §7.5.1, Algorithm 2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from continua.logical.expr.nodes import TRUE, Expression
from continua.logical.node import Binary, Node
from continua.logical.product import Product
from continua.logical.theta_join import ThetaJoin as LogicalThetaJoin
from continua.physical.builder import Builder
from continua.physical.extent import Extent, overlap
from continua.physical.operator import NodeOperator, Operator, Outputs
from continua.physical.pairs import pairs, together
from continua.physical.relation import Rel
from continua.physical.slab import Slab
from continua.physical.sweep_area import Content, State, SweepArea
from continua.physical.time_buckets import Side
from continua.physical.validity import END

LEFT = SweepArea("left", END, "θ and intervals overlap")
RIGHT = SweepArea("right", END, "θ and intervals overlap")


@dataclass(frozen=True, eq=False)
class ThetaJoin(NodeOperator[LogicalThetaJoin | Product]):
    """Every new element meets the new ones of the other side and those that still last."""

    carries_out = (LogicalThetaJoin, Product)

    @property
    def predicate(self) -> Expression:
        return self.node.predicate if isinstance(self.node, LogicalThetaJoin) else TRUE

    @property
    def lasts(self) -> Extent:
        left, right = self.inputs
        return overlap(left.extent, right.extent)

    @property
    def whole(self) -> bool:
        return super().whole or all(below.whole for below in self.inputs)

    @property
    def areas(self) -> tuple[SweepArea, ...]:
        return lasting_areas(self.node, self.inputs)

    def advance(self, builder: Builder, slab: Slab, inputs: Sequence[Rel], state: State) -> Outputs:
        old, new = sides(self.node, self.inputs, inputs, state)
        result = new_pairs(builder, slab, old, new, self.predicate)
        return result, still_valid(builder, slab, self.areas, inputs, state)


Sides = tuple[Side, Side]


def sides(
    node: Binary, operators: Sequence[Operator], inputs: Sequence[Rel], state: State
) -> tuple[Sides, Sides]:
    """Both inputs: what is left of earlier slabs, and what is new."""
    left, right = (
        Side(rel, operator.values, operator.carried, operator.extent, is_static(below, operator))
        for rel, operator, below in zip(inputs, operators, node.inputs, strict=True)
    )
    old = replace(left, rel=LEFT.held(state)), replace(right, rel=RIGHT.held(state))
    return old, (left, right)


def is_static(node: Node, operator: Operator) -> bool:
    """Whether all its elements are there from the beginning and are never cut."""
    return node.time is None and operator.extent.endless


def lasting_areas(
    node: Binary, operators: Sequence[Operator], asked: Sequence[int] = ()
) -> tuple[SweepArea, ...]:
    """The SweepAreas of two sides, of which some are asked in every slab what matches them.

    What lasts one instant never outlasts its slab, and nothing need wait for a static relation.
    """
    static = [is_static(*side) for side in zip(node.inputs, operators, strict=True)]
    return tuple(
        area
        for i, area in enumerate((LEFT, RIGHT))
        if operators[i].extent.uniform != 1
        and not all(static)
        and (not static[1 - i] or 1 - i in asked)
    )


def still_valid(
    builder: Builder,
    slab: Slab,
    areas: Sequence[SweepArea],
    inputs: Sequence[Rel],
    state: State,
) -> State:
    """The elements of both sides that are still valid when the slab ends."""
    result: dict[str, Content] = {}
    for area in areas:
        new = inputs[0] if area is LEFT else inputs[1]
        result |= area.purge(builder, slab, area.insert(builder, state, new), new)
    return result


def whole(builder: Builder, old: Sides, new: Sides) -> Sides:
    """Both sides with all that is valid in the slab."""
    left, right = (
        replace(side, rel=builder.union("alive", before.rel, side.rel))
        for before, side in zip(old, new, strict=True)
    )
    return left, right


def new_pairs(
    builder: Builder,
    slab: Slab,
    old: Sides,
    new: Sides,
    predicate: Expression,
) -> Rel:
    """The pairs that have not been handed out: at least one part is new."""
    _, right = whole(builder, old, new)
    return builder.union(
        "joined",
        _joined(builder, slab, new[0], right, predicate),
        _joined(builder, slab, old[0], new[1], predicate),
    )


def _joined(builder: Builder, slab: Slab, left: Side, right: Side, predicate: Expression) -> Rel:
    """The pairs as elements: both tuples, valid while both are."""
    listed = [f"l.{c}" for c in left.values] + [f"r.{c}" for c in right.values]
    outputs = [(f"c{i}", c) for i, c in enumerate(listed)]
    if "id" in left.carried:
        outputs.append(("id", "struct(l.id AS left, r.id AS right)"))
    outputs += together(left, right).outputs
    return pairs(builder, slab, left, right, predicate, outputs)
