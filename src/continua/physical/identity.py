"""Where the identities of tuples are made and passed on (the table of design §1)."""

from __future__ import annotations

from collections.abc import Sequence

from continua.logical.anti_join import AntiJoin
from continua.logical.difference import Difference
from continua.logical.distinct import Distinct
from continua.logical.intersection import Intersection
from continua.logical.mark_join import MarkJoin
from continua.logical.max_union import MaxUnion
from continua.logical.node import Node
from continua.logical.scalar_join import ScalarJoin
from continua.logical.semi_join import SemiJoin
from continua.logical.strict_difference import StrictDifference


def asked_of(node: Node, identified: bool) -> Sequence[bool]:
    """Of which inputs identities are asked for, if the result is to have them or not."""
    match node:
        case Distinct() | Difference() | Intersection() | StrictDifference() | MaxUnion():
            return [False] * len(node.inputs)  # equal values are one tuple
        case SemiJoin() | AntiJoin() | MarkJoin() | ScalarJoin():
            return identified, False  # the left tuple is what it was
    return [identified or node.asks_identity] * len(node.inputs)
