"""Evaluation of a plan: the meaning of its root over the meanings below it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from continua.logical.node import Context, Node
from continua.logical.scan import Scan
from continua.model.catalog import Relation
from continua.model.element import SourceRow
from continua.model.instant import INFINITY, MINUS_INFINITY
from continua.model.timeline import Timeline


def context_of(plan: Node, rows: Callable[[Relation], Sequence[SourceRow]]) -> Context:
    """The sources of a plan, and the least and greatest time attribute of its streams."""
    scans = {node.relation for node in plan.walk() if isinstance(node, Scan)}
    times = [row.start for relation in scans if relation.is_stream for row in rows(relation)]
    return Context(rows, min(times, default=INFINITY), max(times, default=MINUS_INFINITY))


def evaluate(plan: Node, context: Context, identified: bool = False) -> Timeline:
    """The logical stream a plan means; identities are carried below operators that ask for them."""
    below = identified or plan.asks_identity
    inputs = [evaluate(node, context, below) for node in plan.inputs]
    if below and not plan.chronon:
        # Among what lasts, the elements of a chronon stream stay apart by their instants.
        pairs = zip(plan.inputs, inputs, strict=True)
        inputs = [found.by_instant() if node.chronon else found for node, found in pairs]
    result = plan.meaning(inputs, context)
    # Leaves make identities and row windows ask for them; above, values and multiplicities do.
    return result if identified else result.without_identity()
