"""Queries of one shape, which differ in constants only, as one plan (design §7).

The plans are equal up to the constants in the filters, maps and aggregates at their tops. Below
those they are equal altogether: there a branch gives every query its tuples, tagged by its name,
and from there on the tag comes first in every tuple and is a key of every group.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeGuard

from continua.logical.aggregate import Aggregate
from continua.logical.branch import Branch
from continua.logical.distinct import Distinct
from continua.logical.expr.aggregates import AggregateCall
from continua.logical.expr.chosen import TAG, Chosen, blank
from continua.logical.expr.nodes import TRUE, ColumnRef, Expression, map_columns
from continua.logical.filter import Filter
from continua.logical.fixed_window import FixedWindow
from continua.logical.granulated import Granulated
from continua.logical.hop_window import HopWindow
from continua.logical.map import Map
from continua.logical.node import Node, Unary
from continua.logical.range_window import RangeWindow
from continua.model.types import STRING

_AS_IT_IS = (Distinct, FixedWindow, Granulated, HopWindow, RangeWindow)
"""Operators that treat tuples with a tag as they treat those without."""


def shape(plan: Node) -> str:
    """The digest of the plan with types for the constants in the operators at its top."""
    return _blank(plan).digest


def _blank(plan: Node) -> Node:
    if not _mergeable(plan):
        return plan
    below = _blank(plan.input)
    match plan:
        case Filter():
            return Filter(below, blank(plan.predicate))
        case Map():
            outputs = tuple(map(blank, plan.outputs))
            return Map(below, _numbered(plan.names), outputs)
        case Aggregate():
            calls = tuple(replace(call, args=tuple(map(blank, call.args))) for call in plan.calls)
            keys = tuple(map(blank, plan.keys))
            return Aggregate(below, _numbered(plan.names), keys, calls)
    return replace(plan, input=below)


def differing(plans: Sequence[Node]) -> int:
    """How many operators at the top of plans of one shape are above all that is equal in them.

    0 if they are equal, or differ where they cannot be merged.
    """
    found, nodes = 0, list(plans)
    while any(node.digest != nodes[0].digest for node in nodes):
        if not all(map(_mergeable, nodes)):
            return 0
        found += 1
        nodes = [node.inputs[0] for node in nodes]
    return found


def merged(plans: Mapping[str, Node], differing: int) -> Node:
    """The plan of all of them; `differing` operators at the top are not equal altogether."""
    nodes = {tag: plan for tag, plan in plans.items() if isinstance(plan, Unary)}
    assert differing > 0
    assert len(nodes) == len(plans), "plans of one shape, whose top is an operator"
    inputs = {tag: node.input for tag, node in nodes.items()}
    if differing > 1:
        return _tagged(nodes, merged(inputs, differing - 1))
    shared = next(iter(inputs.values()))
    filters = {tag: node.predicate for tag, node in nodes.items() if isinstance(node, Filter)}
    if filters:
        return Branch(shared, tuple(filters.items()))
    return _tagged(nodes, Branch(shared, tuple((tag, TRUE) for tag in nodes)))


def _mergeable(node: Node) -> TypeGuard[Unary]:
    if isinstance(node, Aggregate):
        return not node.total
    return isinstance(node, (Filter, Map, *_AS_IT_IS))


def _numbered(names: Sequence[str]) -> tuple[str, ...]:
    return tuple(f"_{i}" for i in range(len(names)))


def _tagged(nodes: Mapping[str, Unary], below: Node) -> Node:
    """The operator over tuples with a tag."""
    first = next(iter(nodes.values()))
    tag = ColumnRef(STRING, 0, TAG)
    match first:
        case Filter():
            predicates = {t: n.predicate for t, n in nodes.items() if isinstance(n, Filter)}
            return Filter(below, _chosen(predicates))
        case Map():
            outputs = {t: n.outputs for t, n in nodes.items() if isinstance(n, Map)}
            return Map(below, (TAG, *_numbered(first.names)), (tag, *_all_chosen(outputs)))
        case Aggregate():
            found = {t: n for t, n in nodes.items() if isinstance(n, Aggregate)}
            keys = _all_chosen({t: n.keys for t, n in found.items()})
            calls = [
                _call({t: n.calls[i] for t, n in found.items()}) for i in range(len(first.calls))
            ]
            names = (TAG, *_numbered(first.names))
            return Aggregate(below, names, (tag, *keys), tuple(calls))
    return replace(first, input=below)


def _call(calls: Mapping[str, AggregateCall]) -> AggregateCall:
    args = _all_chosen({tag: call.args for tag, call in calls.items()})
    return replace(next(iter(calls.values())), args=tuple(args))


def _all_chosen(found: Mapping[str, Sequence[Expression]]) -> list[Expression]:
    length = len(next(iter(found.values())))
    return [_chosen({tag: each[i] for tag, each in found.items()}) for i in range(length)]


def _chosen(found: Mapping[str, Expression]) -> Expression:
    """The expressions as one; those without constants are equal, and stay what they are."""
    moved = {tag: map_columns(e, _after_the_tag) for tag, e in found.items()}
    first = next(iter(moved.values()))
    common = blank(first)
    if common == first:
        return common
    return Chosen(first.type, common, tuple(moved.items()), span=first.span)


def _after_the_tag(column: ColumnRef) -> ColumnRef:
    return replace(column, index=column.index + 1)
