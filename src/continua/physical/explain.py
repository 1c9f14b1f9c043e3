"""Physical plans as text, for EXPLAIN PHYSICAL."""

from __future__ import annotations

from continua.physical.operator import Form, Operator


def explain(plan: Operator) -> str:
    """The operators as a tree, one per line, each with its form and its SweepAreas."""
    return "\n".join(_lines(plan, 0))


def _lines(operator: Operator, depth: int) -> list[str]:
    indent = "  " * depth
    form = " → changes" if operator.form is Form.CHANGES else ""
    lines = [f"{indent}{operator.label}{form}"]
    lines += [
        f"{indent}  · SweepArea {area.name}: by {area.order}, query {area.query}, "
        f"remove {area.remove}"
        for area in operator.areas
    ]
    for child in operator.inputs:
        lines += _lines(child, depth + 1)
    return lines
