"""Scalar join: what a scalar subquery's value is made of, as columns of the left tuples.

TODS §5.3 resolves a subquery with aggregation by a semi-join; this serves any expression over it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from continua.errors import ContinuaError
from continua.logical.expr.nodes import Expression
from continua.logical.node import Binary, Context
from continua.model.element import Multiset, Tuple, Values
from continua.model.instant import Time
from continua.model.schema import Column, Schema
from continua.model.timeline import InstantError, Timeline, pointwise


class _TwoRows(InstantError):
    pass


@dataclass(frozen=True)
class ScalarJoin(Binary):
    """Every left tuple with more columns: the first columns of its only match on the right.

    Without a match they are the defaults, expressions without columns (NULL; for an aggregate, its
    value over nothing). Two matches at one instant are an error that names the instant.
    """

    names: tuple[str, ...]
    correlation: Expression
    defaults: tuple[Expression, ...]

    @cached_property
    def schema(self) -> Schema:
        values = zip(self.names, self.right.schema.types, strict=False)
        return self.left.schema + Schema(tuple(Column(name, type_) for name, type_ in values))

    @property
    def chronon(self) -> bool:
        return self.left.chronon

    @property
    def label(self) -> str:
        return f"scalar join {', '.join(self.names)} where {self.correlation}"

    def meaning(self, inputs: Sequence[Timeline], context: Context) -> Timeline:
        width = len(self.names)

        def values(e: Tuple, others: Multiset) -> Values:
            found = [
                other.values[:width]
                for other, n in others.items()
                if self.correlation.evaluate(e.values + other.values) is True
                for _ in range(n)
            ]
            if len(found) > 1:
                raise _TwoRows
            return found[0] if found else tuple(each.evaluate(()) for each in self.defaults)

        def at_instant(s1: Multiset, s2: Multiset) -> Multiset:
            return {e.derive(e.values + values(e, s2)): n for e, n in s1.items()}

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
