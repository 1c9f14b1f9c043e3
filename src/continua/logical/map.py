"""Map µ (COMAD (2)): a function applied to every tuple."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from continua.logical.expr.nodes import ColumnRef, Expression
from continua.logical.node import Context, Unary
from continua.model.element import Multiset, Tuple
from continua.model.schema import Column, Schema
from continua.model.timeline import Timeline, pointwise


@dataclass(frozen=True)
class Map(Unary):
    """µ_f(S) := {(e, t, n) | n = Σ_{(ê,t,n̂) ∈ S, f(ê) = e} n̂}; f gives one value per output."""

    names: tuple[str, ...]
    outputs: tuple[Expression, ...]

    @cached_property
    def schema(self) -> Schema:
        typed = zip(self.names, self.outputs, strict=True)
        return Schema(tuple(Column(name, output.type) for name, output in typed))

    @property
    def label(self) -> str:
        shown = []
        for name, output in zip(self.names, self.outputs, strict=True):
            plain = isinstance(output, ColumnRef) and output.name == name
            shown.append(name if plain else f"{output} AS {name}")
        return f"map {', '.join(shown)}"

    def meaning(self, inputs: Sequence[Timeline], context: Context) -> Timeline:
        def at_instant(s: Multiset) -> Multiset:
            result: Counter[Tuple] = Counter()
            for e, n in s.items():
                result[e.derive(tuple(f.evaluate(e.values) for f in self.outputs))] += n
            return result

        return pointwise(at_instant, inputs[0])
