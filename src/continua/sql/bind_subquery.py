"""Binds subqueries in expressions as joins (TODS §5.3, after Dayal).

A subquery's plan is bound by itself; conjuncts of its WHERE that refer to the query around it
become the predicate of the join. Under an ungrouped aggregate, equality with the outer query
becomes a grouping.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sqlglot import exp

from continua.errors import ContinuaError
from continua.logical.anti_join import AntiJoin
from continua.logical.expr.nodes import (
    TRUE,
    ColumnRef,
    Expression,
    Literal,
    call,
    columns_of,
)
from continua.logical.expr.operators import OPERATORS
from continua.logical.filter import Filter
from continua.logical.mark_join import MarkJoin
from continua.logical.node import Node
from continua.logical.product import Product
from continua.logical.scalar_join import ScalarJoin
from continua.logical.semi_join import SemiJoin
from continua.logical.theta_join import ThetaJoin
from continua.logical.timed import Timed
from continua.model.types import BOOLEAN
from continua.sql.bind_expression import BINARY, ExpressionBinder
from continua.sql.bind_now import bind_comparison
from continua.sql.correlation import Correlated, both_of, conjuncts, reject_outer
from continua.sql.default_window import now_of_what_lasts
from continua.sql.lift import has_one_row, needed_columns
from continua.sql.now import comparisons, is_now, now_last
from continua.sql.places import span_of
from continua.sql.query_parser import COMPARISONS, during_of
from continua.sql.scope import Scope

if TYPE_CHECKING:
    from continua.sql.binder import Binder


def filtered(plan: Node, predicate: Expression) -> Node:
    """σ_p of a plan; on a product it makes a join (COMAD (15)), as low as its columns allow."""
    if isinstance(plan, (Product, ThetaJoin)):
        if columns_of(predicate) <= set(range(len(plan.left.schema))):
            return replace(plan, left=filtered(plan.left, predicate))
        both = predicate
        if isinstance(plan, ThetaJoin):
            both = both_of(plan.predicate, predicate)
        return ThetaJoin(plan.left, plan.right, both, span=plan.span)
    if isinstance(plan, Filter):
        predicate = both_of(plan.predicate, predicate)
        plan = plan.input
    return Filter(plan, predicate, span=predicate.span)


class SubqueryJoiner:
    """Extends a plan by the joins that subqueries need; columns keep their positions."""

    def __init__(self, binder: Binder, plan: Node, scope: Scope) -> None:
        self.binder = binder
        self.plan = plan
        self.scope = scope
        self._now: ColumnRef | None = None

    @property
    def width(self) -> int:
        return len(self.plan.schema)

    def expressions(self) -> ExpressionBinder:
        return ExpressionBinder(self.binder.catalog, self.binder.source, self.scope, self.intercept)

    def where(self, node: exp.Expr) -> None:
        """Keeps the tuples that fulfil a condition; its conjuncts may be semi- and anti-joins."""
        for conjunct in now_last(self.binder.catalog, conjuncts(node)):
            if not self._semi_or_anti(conjunct) and not self._compared_with_now(conjunct):
                predicate = self.expressions().condition(conjunct)
                self.plan = filtered(self.plan, reject_outer(predicate))

    def intercept(self, node: exp.Expr) -> Expression | None:
        """A subquery in an expression, or NOW(): a column that an operator adds."""
        if is_now(self.binder.catalog, node):
            return self._now_of_element(node)
        if isinstance(node, (exp.Subquery, exp.Select, exp.SetOperation)):
            return self._scalar(node)
        quantified = self._quantified(node)
        if quantified is None:
            return None
        inner, condition, universal = quantified
        if condition is None:
            return self._scalar_condition(node)
        name = f"_mark{self.width}"
        self.plan = MarkJoin(
            self.binder.related(self.plan),
            self.binder.related(inner.plan),
            name,
            inner.correlation(self.width),
            condition,
            universal,
            span=span_of(node, self.binder.source),
        )
        return ColumnRef(BOOLEAN, self.width - 1, name)

    def _now_of_element(self, node: exp.Expr) -> Expression:
        """NOW() as a value, which it is for the elements of a stream."""
        span = span_of(node, self.binder.source)
        if node.expressions:
            raise ContinuaError("WRONG_ARGUMENTS", "NOW() takes no arguments", span)
        if self._now is None:
            if not self.plan.chronon:
                raise now_of_what_lasts(span)
            self.plan = Timed(self.plan, f"_now{self.width}", span=span)
            column = self.plan.schema.columns[-1]
            self._now = ColumnRef(column.type, self.width - 1, "NOW()")
        return replace(self._now, span=span)

    def _compared_with_now(self, node: exp.Expr) -> bool:
        """A whole conjunct that compares with NOW() cuts the validity of tuples that last."""
        found = comparisons(self.binder.catalog, node)
        if not found:
            return False
        self.plan = self.binder.related(self.plan)
        if self.plan.chronon:
            return False
        for each in found:
            if each.shifts is not None:
                self.plan = bind_comparison(self.expressions(), self.plan, each)
                continue
            # Of a BETWEEN, one side may have no NOW().
            binder, operator = self.expressions(), OPERATORS[each.comparison]
            sides = [binder.bind(each.value), binder.bind(each.right)]
            predicate = binder.apply(operator, sides, binder.span(node))
            self.plan = filtered(self.plan, reject_outer(predicate))
        return True

    def _semi_or_anti(self, node: exp.Expr) -> bool:
        """A whole conjunct that is a quantified condition keeps or drops tuples by a join."""
        negated = isinstance(node, exp.Not)
        test = node.this if negated else node
        while isinstance(test, exp.Paren):
            test = test.this
        quantified = self._quantified(test)
        if quantified is None:
            return False
        inner, condition, universal = quantified
        if condition is None:
            return False
        span = span_of(node, self.binder.source)
        correlation = inner.correlation(self.width)
        # ALL holds unless some tuple's condition is not true; NOT ANY, unless one is not false.
        decisive = universal == negated
        test_name = "is true" if not negated else "is false"
        reached: Expression = call(OPERATORS[test_name], condition)
        if condition == TRUE or not (universal or negated):
            reached = condition
        elif universal != negated:
            reached = call(OPERATORS["not"], reached)
        predicate = both_of(correlation, reached)
        join = SemiJoin if decisive else AntiJoin
        left, right = self.binder.related(self.plan), self.binder.related(inner.plan)
        self.plan = join(left, right, predicate, span=span)
        return True

    def _quantified(self, node: exp.Expr) -> tuple[Correlated, Expression | None, bool] | None:
        """EXISTS, IN, ANY or ALL: the subquery, the condition over `outer ∘ inner`, and whether it
        must hold for all. No condition means one row at most, where a scalar serves."""
        if isinstance(node, exp.Exists):
            inner = self._subquery(node.this)
            return inner, (None if has_one_row(inner) else TRUE), False
        if isinstance(node, exp.In) and node.args.get("query") is not None:
            return self._compared(node.this, "=", node.args["query"], node, False)
        if isinstance(node, COMPARISONS) and isinstance(node.expression, (exp.Any, exp.All)):
            universal = isinstance(node.expression, exp.All)
            operator = BINARY[type(node)]
            return self._compared(node.this, operator, node.expression.this, node, universal)
        return None

    def _compared(
        self, value: exp.Expr, operator: str, query: exp.Expr, node: exp.Expr, universal: bool
    ) -> tuple[Correlated, Expression | None, bool]:
        inner = self._subquery(query)
        self._check_single(inner, query)
        if has_one_row(inner):
            return inner, None, universal
        left = self.expressions().bind(value)
        column = inner.plan.schema.columns[0]
        right = ColumnRef(column.type, self.width, column.name)
        span = span_of(node, self.binder.source)
        condition = self.expressions().apply(OPERATORS[operator], [left, right], span)
        return inner, condition, universal

    def _scalar_condition(self, node: exp.Expr) -> Expression:
        """A quantified condition over an ungrouped aggregate, which has just one row."""
        if isinstance(node, exp.Exists):
            return Literal(BOOLEAN, True)
        query = node.args["query"] if isinstance(node, exp.In) else node.expression.this
        operator = "=" if isinstance(node, exp.In) else BINARY[type(node)]
        binder = self.expressions()
        args = [binder.bind(node.this), self._scalar(query)]
        return binder.apply(OPERATORS[operator], args, span_of(node, self.binder.source))

    def _scalar(self, node: exp.Expr) -> Expression:
        """The value of a subquery: an expression over what a join adds to the outer tuples.

        So it is evaluated for tuples that need it, and at no instant at which there are none.
        """
        inner = self._subquery(node)
        self._check_single(inner, node)
        span = span_of(node, self.binder.source)
        computed = needed_columns(inner)
        first = self.width
        left, right = self.binder.related(self.plan), self.binder.related(computed.inner.plan)
        names = tuple(f"_scalar{first + i}" for i in range(computed.inner.width))
        correlation = computed.inner.correlation(first)
        self.plan = ScalarJoin(left, right, names, correlation, computed.defaults, span=span)
        columns = self.plan.schema.columns[first:]
        refs = [ColumnRef(c.type, first + i, c.name, span=span) for i, c in enumerate(columns)]
        return computed.value(refs)

    def _check_single(self, inner: Correlated, node: exp.Expr) -> None:
        if inner.width != 1:
            raise ContinuaError(
                "COLUMN_COUNT",
                f"a subquery in an expression has one column, this has {inner.width}",
                span_of(node, self.binder.source),
            )

    def _subquery(self, node: exp.Expr) -> Correlated:
        inner = node
        while isinstance(inner, (exp.Subquery, exp.Paren)) and not any(
            inner.args.get(part) for part in _OWN_PARTS
        ):
            inner = inner.this
        if isinstance(inner, exp.Select) and during_of(inner) is None:
            return self.binder.bind_correlated(inner, self.scope)
        plan = self.binder.bind_subplan(inner, in_expression=True)
        return Correlated(plan, (), len(plan.schema))


_OWN_PARTS = ("with_", "order", "limit", "offset")
"""What brackets around a query can have of their own."""
