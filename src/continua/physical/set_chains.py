"""Chains of set operations, as few operators as mean the same.

Every EXCEPT and UNION of a chain removes duplicates and sorts; one removal at the end is enough,
and what several EXCEPTs take away is taken away at once.
"""

from __future__ import annotations

from dataclasses import replace

from continua.logical.difference import Difference
from continua.logical.distinct import Distinct
from continua.logical.intersection import Intersection
from continua.logical.node import Node, SetOperation
from continua.logical.strict_difference import StrictDifference
from continua.logical.union import Union


def unchained(node: Node) -> Node:
    """The same stream by fewer operators, where the node ends a chain."""
    match node:
        case Distinct():
            return replace(node, input=_as_set(node.input))
        case StrictDifference():
            return _at_once(replace(node, right=_as_set(node.right)))
        case Difference():
            return _at_once(node)
    return node


def _as_set(node: Node) -> Node:
    """A stream in which the same tuples are valid, if not as often."""
    match node:
        case Distinct():
            return _as_set(node.input)
        case StrictDifference():
            return _at_once(replace(node, left=_as_set(node.left), right=_as_set(node.right)))
        case Union() | Intersection():
            return replace(node, left=_as_set(node.left), right=_as_set(node.right))
    return node


def _at_once(node: SetOperation) -> SetOperation:
    """(a − b) − c as a − (b ∪+ c); multiplicities never fall below 0, so it is the same."""
    while type(node.left) is type(node):
        below = node.left
        assert isinstance(below, SetOperation)
        taken = Union(below.right, node.right, span=node.span)
        node = replace(node, left=below.left, right=taken)
    return node
