"""What a scalar subquery computes from its row is lifted into the expression around it.

SQL evaluates an expression where a row needs it. As a part of the subquery's plan it would be
evaluated at every instant, also at those at which the query around has no row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from continua.logical.aggregate import Aggregate
from continua.logical.expr.nodes import (
    TRUE,
    ColumnRef,
    Expression,
    Literal,
    call,
    columns_of,
    map_columns,
)
from continua.logical.expr.operators import OPERATORS
from continua.logical.filter import Filter
from continua.logical.map import Map
from continua.logical.node import Node
from continua.sql.correlation import Correlated


@dataclass(frozen=True)
class Computed:
    """A subquery that gives columns, and the value that is computed from them.

    inner: the subquery with what is needed as its own columns; the first says that it has a row.
    read: the columns below that the others are. condition: when the row is one of the subquery's.
    default: the value where it has none.
    """

    inner: Correlated
    read: tuple[int, ...]
    condition: Expression
    result: Expression
    default: Expression

    @property
    def defaults(self) -> tuple[Expression, ...]:
        """What the columns are where the subquery has no row."""
        return tuple(Literal(t, None) for t in self.inner.plan.schema.types[: self.inner.width])

    def value(self, refs: Sequence[Expression]) -> Expression:
        """The value over columns that a join has added for those of the subquery."""
        at = dict(zip(self.read, refs[1:], strict=True))
        condition, result = (
            map_columns(e, lambda c: at[c.index]) for e in (self.condition, self.result)
        )
        exists = refs[0] if condition == TRUE else call(OPERATORS["and"], refs[0], condition)
        found = call(OPERATORS["case"], exists, result, self.default, type_=result.type)
        return replace(found, span=result.span)


@dataclass(frozen=True)
class Given:
    """A subquery whose value is its column as it is."""

    inner: Correlated

    @property
    def defaults(self) -> tuple[Expression, ...]:
        return (self.inner.default or Literal(self.inner.plan.schema.types[0], None),)

    def value(self, refs: Sequence[Expression]) -> Expression:
        return refs[0]


def needed_columns(inner: Correlated) -> Computed | Given:
    """A subquery of one column, with the computation of its value taken out of its plan."""
    plan = inner.plan
    if not isinstance(plan, Map) or isinstance(plan.outputs[0], (ColumnRef, Literal)):
        return Given(inner)
    result, *carried = plan.outputs
    below: Node = plan.input
    condition: Expression = TRUE
    if isinstance(below, Filter) and _is_total(below.input):
        # HAVING over nothing: where it does not hold the subquery has no row.
        condition, below = below.predicate, below.input
    read = tuple(sorted(columns_of(result) | columns_of(condition)))
    columns = below.schema.columns
    refs = tuple(ColumnRef(columns[i].type, i, columns[i].name) for i in read)
    names = ("_exists", *(columns[i].name for i in read), *plan.names[inner.width :])
    lifted = Map(below, names, (TRUE, *refs, *carried), span=plan.span)
    conjuncts = tuple(
        map_columns(e, lambda c: replace(c, index=c.index + len(read))) for e in inner.conjuncts
    )
    nothing = inner.default or Literal(result.type, None)
    correlated = Correlated(lifted, conjuncts, 1 + len(read))
    return Computed(correlated, read, condition, result, nothing)


def has_one_row(inner: Correlated) -> bool:
    """Whether a subquery has exactly one row, whatever the streams hold: an ungrouped aggregate."""
    plan = inner.plan.input if isinstance(inner.plan, Map) else inner.plan
    return inner.default is not None or (not inner.conjuncts and _is_total(plan))


def _is_total(plan: Node) -> bool:
    return isinstance(plan, Aggregate) and plan.total
