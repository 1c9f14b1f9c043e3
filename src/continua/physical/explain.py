"""Physical plans as text, for EXPLAIN PHYSICAL."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from continua.physical.graph import Graph
from continua.physical.operator import Form, Operator


def explain(plan: Operator) -> str:
    """The operators as a tree, one per line, each with its form and its SweepAreas."""
    return "\n".join(_lines(plan, 0, {}, set()))


def explain_graph(graph: Graph, names: Sequence[str]) -> str:
    """The trees of several queries; what several use gets a number, and is shown once."""
    uses = Counter(child for operator in graph.operators.values() for child in operator.inputs)
    uses.update(graph.roots)
    shared = [operator for operator in graph.operators.values() if uses[operator] > 1]
    numbers = {operator: number for number, operator in enumerate(shared, start=1)}
    shown: set[Operator] = set()
    parts = []
    for name, root in zip(names, graph.roots, strict=True):
        parts += [f"query {name}", *_lines(root, 1, numbers, shown)]
    return "\n".join(parts)


def _lines(
    operator: Operator, depth: int, numbers: dict[Operator, int], shown: set[Operator]
) -> list[str]:
    indent = "  " * depth
    number = f" [{numbers[operator]}]" if operator in numbers else ""
    if operator in shown:
        return [f"{indent}{operator.label}{number} as above"]
    shown.add(operator)
    form = " → changes" if operator.form is Form.CHANGES else ""
    lines = [f"{indent}{operator.label}{number}{form}"]
    lines += [
        f"{indent}  · SweepArea {area.name}: by {area.order}, query {area.query}, "
        f"remove {area.remove}"
        for area in operator.areas
    ]
    for child in operator.inputs:
        lines += _lines(child, depth + 1, numbers, shown)
    return lines
