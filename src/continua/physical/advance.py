"""Advancing a whole plan by a slab."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from continua.model.catalog import Relation
from continua.physical.operator import Operator
from continua.physical.scan import Scan
from continua.physical.script import Rel, Script
from continua.physical.slab import Slab
from continua.physical.sweep_area import State

States = Mapping[tuple[int, ...], State]
"""What the operators of a plan keep, by their place: the way from the root."""


def advance(
    root: Operator, script: Script, slab: Slab, source: Callable[[Relation], Rel], states: States
) -> tuple[Rel, States]:
    """The output of a plan for a slab, and what it keeps for the next."""
    kept: dict[tuple[int, ...], State] = {}

    def output(operator: Operator, place: tuple[int, ...]) -> Rel:
        if isinstance(operator, Scan):
            inputs = [source(operator.node.relation)]
        else:
            inputs = [output(child, (*place, i)) for i, child in enumerate(operator.inputs)]
        result, state = operator.advance(script, slab, inputs, states.get(place, {}))
        if state:
            kept[place] = state
        return result

    return output(root, ()), kept
