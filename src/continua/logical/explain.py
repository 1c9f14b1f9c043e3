"""A plan as text: one operator a line, inputs below it."""

from __future__ import annotations

from continua.logical.node import Node


def explain(plan: Node) -> str:
    """The tree of a plan, as EXPLAIN LOGICAL shows it."""
    return "\n".join(_lines(plan, "", ""))


def _lines(node: Node, first: str, rest: str) -> list[str]:
    lines = [first + node.label]
    for number, child in enumerate(node.inputs):
        last = number == len(node.inputs) - 1
        lines += _lines(child, rest + ("└─ " if last else "├─ "), rest + ("   " if last else "│  "))
    return lines
