"""Window NOW on a chronon stream: the identity (TODS (12)), which keeps default windows away."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from continua.logical.as_of_join import AsOfJoin
from continua.logical.node import Context, Node, Unary
from continua.model.timeline import Timeline


@dataclass(frozen=True)
class NowWindow(Unary):
    """NOW as it is written. It is there while a query is bound, and not in what is evaluated."""

    @property
    def label(self) -> str:
        return "window now"

    def meaning(self, inputs: Sequence[Timeline], context: Context) -> Timeline:
        return inputs[0]


def without_now(plan: Node) -> Node:
    """The plan without identities: a query with NOW and one without it are one plan."""
    if isinstance(plan, (NowWindow, AsOfJoin)):
        return without_now(plan.input)
    changed: dict[str, Any] = {}
    for field in fields(plan):
        value = getattr(plan, field.name)
        if isinstance(value, Node):
            changed[field.name] = without_now(value)
        elif value is plan.inputs:
            changed[field.name] = tuple(map(without_now, plan.inputs))
    return replace(plan, **changed)
