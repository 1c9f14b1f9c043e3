"""Binds one SELECT: FROM, WHERE, GROUP BY, HAVING, SELECT, DISTINCT, ORDER BY … LIMIT."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from sqlglot import exp

from continua.errors import ContinuaError
from continua.logical.distinct import Distinct
from continua.logical.expr.nodes import ColumnRef, Expression, Literal, call, map_columns
from continua.logical.expr.operators import OPERATORS
from continua.logical.filter import Filter
from continua.logical.map import Map
from continua.logical.node import Node
from continua.logical.top_k import SortKey, TopK
from continua.sql.bind_from import bind_from
from continua.sql.bind_group import GroupedJoiner, Grouping, is_aggregated
from continua.sql.bind_subquery import SubqueryJoiner
from continua.sql.correlation import (
    Correlated,
    carried_names,
    carry,
    equality_keys,
    reject_outer,
    split_correlated,
)
from continua.sql.now import now_last
from continua.sql.places import span_of, unsupported
from continua.sql.scope import Scope
from continua.sql.tokens import DIALECT

if TYPE_CHECKING:
    from continua.sql.binder import Binder


@dataclass(frozen=True)
class Bound:
    """A bound query: its plan, and the order in which its rows are displayed."""

    plan: Node
    order: tuple[SortKey, ...] = ()


class SelectBinder:
    """Binds a SELECT; one inside an expression (with an outer scope) may be correlated."""

    def __init__(
        self,
        binder: Binder,
        select: exp.Select,
        outer: Scope | None = None,
        in_expression: bool = False,
    ) -> None:
        self.binder = binder
        self.select = select
        self.span = span_of(select, binder.source)
        if select.args.get("windows") or select.args.get("qualify"):
            hint = "a window stands after a stream in FROM, as in Bid WINDOW(RANGE 5 MINUTES)"
            raise unsupported("a named window", self.span, hint)
        self.in_expression = in_expression
        plan, self.scope = bind_from(binder, select, outer)
        self.joiner = SubqueryJoiner(binder, plan, self.scope)
        self.aggregated = is_aggregated(binder.catalog, select)
        own, self.correlated = split_correlated(binder, select, self.scope)
        for conjunct in now_last(binder.catalog, own):
            self.joiner.where(conjunct)

    def bind(self) -> Bound:
        """A query by itself."""
        if self.aggregated:
            self._group([])
        return Bound(*self._ordered(self._distinct(self._projected())))

    def bind_correlated(self) -> Correlated:
        """The plan of a subquery in an expression, with what ties it to the query around it."""
        if not self.correlated:
            bound = self.bind()
            self.binder.reject_order(bound.order, self.select)
            return Correlated(bound.plan, (), len(bound.plan.schema))
        limit = self.select.args.get("limit")
        if limit is not None:
            span = span_of(limit, self.binder.source) or self.span
            raise unsupported("LIMIT in a correlated subquery", span)
        if self.aggregated:
            return self._correlated_aggregate()
        found = carry(self._projection, self.scope, self.correlated)
        return Correlated(self._distinct(found.plan), found.conjuncts, found.width)

    def _group(self, more_keys: list[Expression]) -> Grouping:
        """Puts the aggregation on top of the plan, and HAVING on top of it."""
        grouping = Grouping(self.joiner, self.select, more_keys, self.in_expression)
        self.joiner = GroupedJoiner(grouping)
        having = self.select.args.get("having")
        if having is not None:
            self.joiner.where(having.this)
        return grouping

    def _correlated_aggregate(self) -> Correlated:
        """Equality with the outer query becomes a grouping, by which the result is joined."""
        pairs = equality_keys(self.correlated, self.span)
        grouping = self._group([inner for inner, _ in pairs])
        projection = self._projection
        width, first = len(projection.outputs), len(grouping.keys)
        names = carried_names(len(pairs))
        keys = tuple(
            ColumnRef(inner.type, first + k, name)
            for k, ((inner, _), name) in enumerate(zip(pairs, names, strict=True))
        )
        plan = Map(
            projection.input,
            projection.names + names,
            projection.outputs + keys,
            span=self.span,
        )
        conjuncts = tuple(
            call(OPERATORS["="], ColumnRef(key.type, width + k, key.name), outer)
            for k, (key, (_, outer)) in enumerate(zip(keys, pairs, strict=True))
        )
        default = None if grouping.keys else self._over_nothing(projection, grouping)
        return Correlated(self._distinct(plan), conjuncts, width, default)

    def _over_nothing(self, projection: Map, grouping: Grouping) -> Expression | None:
        """The value an ungrouped aggregate has over no tuples (COUNT is 0, others are NULL)."""
        no_keys = [None for _ in grouping.plan.keys]
        empty = (*no_keys, *(found.function.empty for found in grouping.calls))
        if projection.input is grouping.plan:
            return map_columns(projection.outputs[0], lambda c: Literal(c.type, empty[c.index]))
        having = projection.input
        if not isinstance(having, Filter) or having.input is not grouping.plan:
            raise unsupported("a subquery inside a correlated aggregate", self.span)
        if having.predicate.evaluate(empty) is True:
            hint = "put the condition into the outer query"
            raise unsupported("HAVING that holds over nothing, correlated,", self.span, hint)
        return None

    # SELECT, DISTINCT, ORDER BY.

    @cached_property
    def _projection(self) -> Map:
        """The outputs, bound once: binding a subquery among them adds a join to the plan."""
        outputs = [output for node in self.select.expressions for output in self._output(node)]
        names = tuple(name for name, _ in outputs)
        bound = tuple(reject_outer(expression) for _, expression in outputs)
        return Map(self.joiner.plan, names, bound, span=self.span)

    def _output(self, node: exp.Expr) -> list[tuple[str, Expression]]:
        qualified = isinstance(node, exp.Column) and isinstance(node.this, exp.Star)
        if not (qualified or isinstance(node, exp.Star)):
            return [(output_name(node), self.joiner.expressions().bind(node.unalias()))]
        qualifier = node.table if isinstance(node, exp.Column) else None
        star = node.this if isinstance(node, exp.Column) else node
        span = span_of(node, self.binder.source)
        if any(star.args.get(key) for key in ("except_", "replace", "rename")):
            raise unsupported("* with EXCEPT or REPLACE", span)
        if self.aggregated:
            message = "* cannot stand beside GROUP BY or an aggregate"
            raise ContinuaError("AGGREGATE_MISUSE", message, span)
        columns = self.scope.visible(qualifier)
        if not columns:
            if qualifier:
                self.scope.resolve("*", qualifier, span)
            raise ContinuaError("UNKNOWN_COLUMN", "* stands for no columns here", span)
        return [(c.name, ColumnRef(c.type, c.index, c.name, span=span)) for c in columns]

    def _projected(self) -> Node:
        """The outputs; no operator is needed where they are the input as it is."""
        projection = self._projection
        below = projection.input.schema
        identity = tuple(ColumnRef(c.type, i, c.name) for i, c in enumerate(below))
        same = projection.outputs == identity and projection.names == below.names
        return projection.input if same else projection

    def _distinct(self, plan: Node) -> Node:
        distinct = self.select.args.get("distinct")
        if distinct is None:
            return plan
        if distinct.args.get("on"):
            raise unsupported("DISTINCT ON", self.span)
        return Distinct(self.binder.related(plan), span=self.span)

    def _ordered(self, plan: Node) -> tuple[Node, tuple[SortKey, ...]]:
        """ORDER BY over the outputs; with LIMIT, also over columns that are not put out."""
        order = self.select.args.get("order")
        if order is None:
            return self.binder.ordered(plan, self.select)
        self.binder.reject_offset(self.select)
        projection = self._projection
        width = len(projection.outputs)
        hidden: list[Expression] = []
        keys = []
        for item in order.expressions:
            output = self.binder.output(item.this, plan)
            if output is None:
                bound = self.joiner.expressions().bind(item.this)
                if bound in projection.outputs:
                    position = projection.outputs.index(bound)
                else:
                    position = width + len(hidden)
                    hidden.append(bound)
                output = ColumnRef(bound.type, position, str(bound))
            keys.append(self.binder.sort_key(output, item))
        if not self.select.args.get("limit"):
            if hidden:
                span = span_of(order, self.binder.source)
                raise unsupported("ORDER BY something that is not put out", span, "SELECT it too")
            return plan, tuple(keys)
        limit = self.binder.limit_of(self.select)
        if not hidden:
            return TopK(self.binder.related(plan), tuple(keys), limit, span=self.span), ()
        if self.select.args.get("distinct"):
            span = span_of(order, self.binder.source)
            raise unsupported("DISTINCT ordered by something that is not put out", span)
        names = tuple(f"_order{i}" for i in range(len(hidden)))
        outputs = projection.outputs + tuple(hidden)
        wide = Map(self.joiner.plan, projection.names + names, outputs)
        top = TopK(self.binder.related(wide), tuple(keys), limit, span=self.span)
        kept = tuple(ColumnRef(c.type, i, c.name) for i, c in enumerate(projection.schema))
        return Map(top, projection.names, kept, span=self.span), ()


def output_name(node: exp.Expr) -> str:
    """The name of an output: its alias, its column's, or its text."""
    if isinstance(node, (exp.Alias, exp.Column)):
        return node.alias if isinstance(node, exp.Alias) else node.name
    if isinstance(node, exp.Anonymous):
        inside = ", ".join(arg.sql(DIALECT) for arg in node.expressions)
        return f"{str(node.this).lower()}({inside})"
    return node.sql(DIALECT)
