"""Branch: the elements that queries of one shape take from one stream, by the query's name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from continua.logical.expr.chosen import TAG, blank
from continua.logical.expr.nodes import Expression
from continua.logical.node import Context, Unary
from continua.model.element import Multiset, Tuple
from continua.model.schema import Column, Schema
from continua.model.timeline import Timeline, pointwise
from continua.model.types import STRING


@dataclass(frozen=True)
class Branch(Unary):
    """⋃+ over the queries q: {q} × σ_{p_q}(S), so that later operators handle all of them at once.

    members: the name of each query, and the predicate of its filter.
    """

    members: tuple[tuple[str, Expression], ...]

    @cached_property
    def schema(self) -> Schema:
        return Schema((Column(TAG, STRING),)) + self.input.schema

    @property
    def label(self) -> str:
        return f"branch filter {blank(self.members[0][1])}"

    @property
    def digested(self) -> tuple[object, ...]:
        """Without the members: queries come and go, and the operator stays what it is."""
        return (self.input.digest, blank(self.members[0][1]))

    def meaning(self, inputs: Sequence[Timeline], context: Context) -> Timeline:
        def at_instant(s: Multiset) -> Multiset:
            result: Counter[Tuple] = Counter()
            for e, n in s.items():
                for tag, predicate in self.members:
                    if predicate.evaluate(e.values) is True:
                        result[e.derive((tag, *e.values))] += n
            return result

        return pointwise(at_instant, inputs[0])
