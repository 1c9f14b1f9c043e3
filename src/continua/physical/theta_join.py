"""Theta-join: pairs of tuples that are valid together (TODS §7.5.1, Algorithm 2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from continua.logical.expr.nodes import TRUE, Expression
from continua.logical.product import Product
from continua.logical.theta_join import ThetaJoin as LogicalThetaJoin
from continua.physical.expression import all_of, compile_expression
from continua.physical.extent import Extent, overlap
from continua.physical.operator import NodeOperator, Operator, Outputs
from continua.physical.script import EMPTY, Rel, Script
from continua.physical.slab import Slab
from continua.physical.sweep_area import State, SweepArea
from continua.physical.time_buckets import Side, buckets_for

LEFT = SweepArea("left", "end", "θ and intervals overlap")
RIGHT = SweepArea("right", "end", "θ and intervals overlap")


@dataclass(frozen=True, eq=False)
class ThetaJoin(NodeOperator[LogicalThetaJoin | Product]):
    """Every new element meets the new ones of the other side and those that still last."""

    carries_out = (LogicalThetaJoin, Product)

    @property
    def predicate(self) -> Expression:
        return self.node.predicate if isinstance(self.node, LogicalThetaJoin) else TRUE

    @property
    def extent(self) -> Extent:
        left, right = self.inputs
        return overlap(left.extent, right.extent)

    @property
    def areas(self) -> tuple[SweepArea, ...]:
        return lasting_areas(*self.inputs)

    def advance(self, script: Script, slab: Slab, inputs: Sequence[Rel], state: State) -> Outputs:
        left, right = self.inputs
        result = new_pairs(
            script,
            slab,
            (side_of(left, LEFT.held(state)), side_of(right, RIGHT.held(state))),
            (side_of(left, inputs[0]), side_of(right, inputs[1])),
            self.predicate,
        )
        return result, kept(script, slab, self.inputs, inputs, state)


def side_of(operator: Operator, rel: Rel) -> Side:
    return Side(rel, operator.values, operator.carried, operator.extent)


def lasting_areas(left: Operator, right: Operator) -> tuple[SweepArea, ...]:
    """The SweepAreas of two sides; what lasts one instant never outlasts its slab."""
    sides = ((LEFT, left), (RIGHT, right))
    return tuple(area for area, operator in sides if operator.extent.uniform != 1)


def kept(
    script: Script,
    slab: Slab,
    operators: Sequence[Operator],
    inputs: Sequence[Rel],
    state: State,
) -> State:
    """The elements of both sides that are still valid when the slab ends."""
    left, right = operators
    result: dict[str, Rel] = {}
    for area in lasting_areas(left, right):
        new = inputs[0] if area is LEFT else inputs[1]
        result |= area.purge(script, slab, area.insert(script, state, new))
    return result


def new_pairs(
    script: Script,
    slab: Slab,
    old: tuple[Side, Side],
    new: tuple[Side, Side],
    predicate: Expression,
) -> Rel:
    """The pairs that have not been handed out: at least one part is new."""
    whole = script.union("right_all", old[1].rel, new[1].rel)
    right = Side(whole, new[1].values, new[1].carried, new[1].extent)
    return script.union(
        "joined",
        joined(script, slab, new[0], right, predicate),
        joined(script, slab, old[0], new[1], predicate),
    )


def joined(script: Script, slab: Slab, left: Side, right: Side, predicate: Expression) -> Rel:
    """The pairs as elements: both tuples, valid while both are."""
    listed = [f"l.{c}" for c in left.values] + [f"r.{c}" for c in right.values]
    outputs = [(f"c{i}", c) for i, c in enumerate(listed)]
    if "id" in left.carried:
        outputs.append(("id", "struct(l.id AS left, r.id AS right)"))
    start, end = together(left, right)
    return pairs(script, slab, left, right, predicate, [*outputs, ("start", start), ("end", end)])


def pairs(
    script: Script,
    slab: Slab,
    left: Side,
    right: Side,
    predicate: Expression,
    outputs: Sequence[tuple[str, str]],
) -> Rel:
    """Outputs over the pairs `l`, `r` that overlap and fulfil the predicate, each pair once."""
    if left.rel is EMPTY or right.rel is EMPTY:
        return EMPTY
    buckets = buckets_for(slab, left.extent, right.extent)
    conditions = overlapping(left, right)
    lefts, rights = left.rel, right.rel
    if buckets is not None and not (left.chronon and right.chronon):
        lefts = buckets.placed(script, slab, left, left=True)
        rights = buckets.placed(script, slab, right, left=False)
        conditions.insert(0, "l.bucket = r.bucket")
        # What lasts one instant is in the bucket of that instant only.
        if not (left.chronon or right.chronon):
            conditions.append(buckets.once(together(left, right)[0]))
    columns = [*(f"l.{c}" for c in left.values), *(f"r.{c}" for c in right.values)]
    if predicate != TRUE:
        conditions.append(compile_expression(script, predicate, columns))
    listed = ", ".join(f"{e} AS {name}" for name, e in outputs)
    text = f"SELECT {listed} FROM {lefts.name} l JOIN {rights.name} r ON {all_of(*conditions)}"
    return script.define("joined", text, [name for name, _ in outputs], [lefts, rights])


def overlapping(left: Side, right: Side) -> list[str]:
    """SQL: conditions for the intervals of `l` and `r` to have an instant in common."""
    if left.chronon and right.chronon:
        return ["l.start = r.start"]
    conditions = [] if left.extent.endless else ["r.start < l.end"]
    return conditions if right.extent.endless else [*conditions, "l.start < r.end"]


def together(left: Side, right: Side) -> tuple[str, str]:
    """SQL: the start and the end of what `l` and `r` have in common."""
    if left.chronon or right.chronon:
        side = "l" if left.chronon else "r"
        return f"{side}.start", f"{side}.end"
    start = "greatest(l.start, r.start)"
    if left.extent.endless or right.extent.endless:
        return start, "l.end" if right.extent.endless else "r.end"
    return start, "least(l.end, r.end)"
