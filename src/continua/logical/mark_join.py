"""Mark join: EXISTS, IN, ANY and ALL as a column, for places where no semi-join can stand.

Where such a condition is a conjunct of WHERE, the binder uses semi-join and anti-join
(TODS §5.3). Elsewhere (under OR, in the SELECT list) its three-valued truth is needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from continua.logical.expr.nodes import Expression
from continua.logical.node import Binary, Context
from continua.model.element import Multiset, Tuple
from continua.model.schema import Column, Schema
from continua.model.timeline import Timeline, pointwise
from continua.model.types import BOOLEAN


@dataclass(frozen=True)
class MarkJoin(Binary):
    """Every left tuple with one more column: the truth of a quantified condition.

    Over the right tuples that fulfil the correlation, ANY is the OR of the condition and ALL its
    AND, in SQL's three-valued logic; over none of them ANY is false and ALL is true.
    """

    name: str
    correlation: Expression
    condition: Expression
    universal: bool

    @cached_property
    def schema(self) -> Schema:
        return self.left.schema + Schema((Column(self.name, BOOLEAN),))

    @property
    def chronon(self) -> bool:
        return self.left.chronon

    @property
    def label(self) -> str:
        quantifier = "all" if self.universal else "any"
        return f"mark join {self.name} = {quantifier} {self.condition} where {self.correlation}"

    def meaning(self, inputs: Sequence[Timeline], context: Context) -> Timeline:
        def truth(e: Tuple, others: Multiset) -> object:
            decisive, unknown = not self.universal, False
            for other in others:
                pair = e.values + other.values
                if self.correlation.evaluate(pair) is not True:
                    continue
                value = self.condition.evaluate(pair)
                if value is decisive:
                    return decisive
                unknown = unknown or value is None
            return None if unknown else not decisive

        def at_instant(s1: Multiset, s2: Multiset) -> Multiset:
            return {e.derive((*e.values, truth(e, s2))): n for e, n in s1.items()}

        return pointwise(at_instant, *inputs)
