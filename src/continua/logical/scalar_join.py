"""Scalar join: a scalar subquery's value as a column of the left tuples.

TODS §5.3 resolves a subquery with aggregation by a semi-join; this serves any expression over it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from continua.errors import ContinuaError
from continua.logical.expr.nodes import Expression
from continua.logical.node import Binary, Context
from continua.model.element import Multiset, Tuple
from continua.model.instant import Time
from continua.model.schema import Column, Schema
from continua.model.timeline import InstantError, Timeline, pointwise


class _TwoRows(InstantError):
    pass


@dataclass(frozen=True)
class ScalarJoin(Binary):
    """Every left tuple with one more column: the first column of its only match on the right.

    Without a match it is the default, an expression without columns (NULL; for an aggregate, its
    value over nothing). Two matches at one instant are an error that names the instant.
    """

    name: str
    correlation: Expression
    default: Expression

    @cached_property
    def schema(self) -> Schema:
        value = self.right.schema.columns[0]
        return self.left.schema + Schema((Column(self.name, value.type),))

    @property
    def chronon(self) -> bool:
        return self.left.chronon

    @property
    def label(self) -> str:
        return f"scalar join {self.name} where {self.correlation}"

    def meaning(self, inputs: Sequence[Timeline], context: Context) -> Timeline:
        def value(e: Tuple, others: Multiset) -> object:
            found = [
                other.values[0]
                for other, n in others.items()
                if self.correlation.evaluate(e.values + other.values) is True
                for _ in range(n)
            ]
            if len(found) > 1:
                raise _TwoRows
            return found[0] if found else self.default.evaluate(())

        def at_instant(s1: Multiset, s2: Multiset) -> Multiset:
            return {e.derive((*e.values, value(e, s2))): n for e, n in s1.items()}

        try:
            return pointwise(at_instant, *inputs)
        except _TwoRows as two:
            raise self.two_rows(two.instant.t) from None

    def two_rows(self, t: Time) -> ContinuaError:
        """The error that two matches at a time are."""
        shown = self.time.value(t) if self.time else None
        moment = "from the beginning" if shown is None else f"at {shown}"
        return ContinuaError(
            "TWO_ROWS",
            f"the scalar subquery has more than one row {moment}",
            self.span,
            hint="aggregate it (MAX, MIN, …), or use IN or ANY",
        )
