"""Binds one SELECT: FROM, WHERE, GROUP BY, HAVING, SELECT, DISTINCT, ORDER BY … LIMIT."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from continua.errors import ContinuaError
from continua.logical.aggregate import Aggregate
from continua.logical.distinct import Distinct
from continua.logical.expr.aggregates import AggregateCall
from continua.logical.expr.function import TypeProblem
from continua.logical.expr.nodes import ColumnRef, Expression, call
from continua.logical.expr.operators import OPERATORS
from continua.logical.filter import Filter
from continua.logical.map import Map
from continua.logical.node import Node
from continua.logical.top_k import SortKey, TopK
from continua.sql.bind_expression import ExpressionBinder, coerce
from continua.sql.bind_from import bind_from
from continua.sql.bind_subquery import (
    Correlated,
    SubqueryJoiner,
    carried_names,
    carry,
    equality_keys,
    reject_outer,
    split_correlated,
)
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
    def __init__(self, binder: Binder, select: exp.Select, outer: Scope | None = None) -> None:
        self.binder = binder
        self.select = select
        for key in (
            "cluster",
            "distribute",
            "sort",
            "pivots",
            "qualify",
            "windows",
            "hint",
            "kind",
        ):
            if select.args.get(key):
                raise unsupported(key.upper(), span_of(select, binder.source))
        self.in_expression = outer is not None
        plan, self.scope = bind_from(binder, select, outer)
        self.correlated: list[Expression] = []
        self.joiner = SubqueryJoiner(binder, plan, self.scope)
        where = select.args.get("where")
        if outer is not None:
            own, self.correlated = split_correlated(binder, select, self.scope)
            for conjunct in own:
                self.joiner.where(conjunct)
        elif where is not None:
            self.joiner.where(where.this)

    # The two results: a query by itself, or a subquery of an expression.

    def bind(self) -> Bound:
        aggregated = self._aggregate([])
        assert not self.correlated
        plan = self._mapped()
        order, limit = self.select.args.get("order"), self.select.args.get("limit")
        plan, display = self._ordered(plan, order, limit, aggregated)
        return Bound(plan, display)

    def bind_correlated(self) -> Correlated:
        """The plan of a subquery, with what ties it to the query around it."""
        if not self.correlated:
            self._aggregate([])
            order, limit = self.select.args.get("order"), self.select.args.get("limit")
            plan, display = self._ordered(self._mapped(), order, limit, True)
            self.binder.reject_order(display, self.select)
            return Correlated(plan, ())
        if self.select.args.get("limit"):
            span = span_of(self.select.args["limit"], self.binder.source)
            raise unsupported("LIMIT in a correlated subquery", span)
        if not self._is_aggregated():
            found = carry(self._projection(), self.scope, self.correlated)
            plan = Distinct(found.plan) if self.select.args.get("distinct") else found.plan
            return Correlated(plan, found.conjuncts)
        return self._correlated_aggregate()

    def _correlated_aggregate(self) -> Correlated:
        """Equality with the outer query becomes a grouping, by which the result is joined."""
        span = span_of(self.select, self.binder.source)
        pairs = equality_keys(self.correlated, span)
        self._aggregate([inner for inner, _ in pairs])
        aggregate = self.aggregate
        projection = self._projection()
        first = len(aggregate.keys) - len(pairs)
        keys = tuple(
            ColumnRef(inner.type, first + k, name)
            for k, (inner, name) in enumerate(
                zip((p[0] for p in pairs), carried_names(len(pairs)), strict=True)
            )
        )
        width = len(projection.outputs)
        plan: Node = Map(
            projection.input,
            projection.names + carried_names(len(pairs)),
            projection.outputs + keys,
            span=span,
        )
        if self.select.args.get("distinct"):
            plan = Distinct(plan)
        conjuncts = tuple(
            call(OPERATORS["="], ColumnRef(key.type, width + k, key.name), outer)
            for k, (key, (_, outer)) in enumerate(zip(keys, pairs, strict=True))
        )
        return Correlated(plan, conjuncts, self._over_nothing(projection, first))

    def _over_nothing(self, projection: Map, own_keys: int) -> tuple[object, ...] | None:
        """The row an ungrouped aggregate has over no tuples (COUNT is 0, others are NULL)."""
        if own_keys or self.select.args.get("group"):
            return None
        empty = (None,) * len(self.aggregate.keys) + tuple(
            c.function.empty for c in self.aggregate.calls
        )
        span = span_of(self.select, self.binder.source)
        if projection.input is self.aggregate:
            return tuple(output.evaluate(empty) for output in projection.outputs)
        having = projection.input
        if isinstance(having, Filter) and having.input is self.aggregate:
            if having.predicate.evaluate(empty) is not True:
                return None
            hint = "put the condition into the outer query"
            raise unsupported("HAVING that holds for no rows in a correlated subquery", span, hint)
        raise unsupported("a subquery inside a correlated aggregate", span)

    # GROUP BY and aggregates.

    def _parts(self) -> list[exp.Expr]:
        """What may contain aggregates."""
        parts = list(self.select.expressions)
        for key in ("having", "order"):
            if self.select.args.get(key):
                parts.append(self.select.args[key])
        return parts

    def _aggregates(self) -> list[exp.Anonymous]:
        found: list[exp.Anonymous] = []
        for part in self._parts():
            found += self._own_aggregates(part)
        return found

    def _own_aggregates(self, node: exp.Expr) -> list[exp.Anonymous]:
        """The aggregate calls of an expression, not those of subqueries in it."""
        if isinstance(node, (exp.Query, exp.Window)):
            return []
        named = isinstance(node, exp.Anonymous) and self.binder.catalog.aggregate(str(node.this))
        if named and isinstance(node, exp.Anonymous):
            return [node]
        return [f for child in node.iter_expressions() for f in self._own_aggregates(child)]

    def _is_aggregated(self) -> bool:
        args = self.select.args
        return bool(args.get("group") or args.get("having") or self._aggregates())

    def _aggregate(self, correlation_keys: list[Expression]) -> bool:
        """Puts the aggregation on top of the plan, if there is one."""
        if not self._is_aggregated():
            return False
        group_keys = self._group_keys()
        keys = [*group_keys, *correlation_keys]
        self.calls: list[AggregateCall] = []
        self.call_positions: dict[int, int] = {}
        for node in self._aggregates():
            bound = self._aggregate_call(node)
            if bound not in self.calls:
                self.calls.append(bound)
            self.call_positions[id(node)] = len(keys) + self.calls.index(bound)
        names = [
            key.name if isinstance(key, ColumnRef) else f"_key{i}" for i, key in enumerate(keys)
        ] + [f"_aggregate{i}" for i in range(len(self.calls))]
        total = self.in_expression and not keys
        self.aggregate = Aggregate(
            self.joiner.plan,
            tuple(names),
            tuple(keys),
            tuple(self.calls),
            total,
            span=span_of(self.select, self.binder.source),
        )
        self.group_keys = group_keys
        self.below = self.joiner
        self.joiner = _GroupedJoiner(self)
        having = self.select.args.get("having")
        if having is not None:
            self.joiner.where(having.this)
        return True

    def _group_keys(self) -> list[Expression]:
        group = self.select.args.get("group")
        if group is None:
            return []
        if any(value for key, value in group.args.items() if key != "expressions"):
            span = span_of(group, self.binder.source)
            raise unsupported("GROUPING SETS, CUBE, ROLLUP and GROUP BY ALL", span)
        keys = []
        for node in group.expressions:
            meant = self._meant(node)
            for inner in self._own_aggregates(meant):
                raise ContinuaError(
                    "AGGREGATE_MISUSE",
                    "GROUP BY cannot contain an aggregate",
                    span_of(inner, self.binder.source),
                )
            key = reject_outer(self.joiner.expressions().bind(meant))
            if key not in keys:
                keys.append(key)
        return keys

    def _meant(self, node: exp.Expr) -> Any:
        """What a GROUP BY item means: an output's number or alias stands for its expression."""
        if isinstance(node, exp.Literal) and not node.is_string:
            return self._numbered(node)
        name = node.name if isinstance(node, exp.Column) and not node.table else None
        if name is not None and not self.scope.find(name, None):
            for output in self.select.expressions:
                if isinstance(output, exp.Alias) and output.alias.lower() == name.lower():
                    return output.this
        return node

    def _numbered(self, node: exp.Literal) -> Any:
        outputs = self.select.expressions
        position = int(node.this) if str(node.this).isdigit() else 0
        if not 1 <= position <= len(outputs):
            span = span_of(node, self.binder.source)
            raise ContinuaError("SYNTAX", f"there is no output number {node.this}", span)
        return outputs[position - 1].unalias()

    def _aggregate_call(self, node: exp.Anonymous) -> AggregateCall:
        function = self.binder.catalog.aggregate(str(node.this))
        assert function is not None
        span = span_of(node, self.binder.source)
        nodes, distinct = list(node.expressions), False
        if len(nodes) == 1 and isinstance(nodes[0], exp.Distinct):
            nodes, distinct = list(nodes[0].expressions), True
        if len(nodes) == 1 and isinstance(nodes[0], exp.Star):
            if function.name != "count" or distinct:
                raise ContinuaError("SYNTAX", f"{node.this}(*) makes no sense", span)
            nodes = []
        elif not nodes:
            raise ContinuaError("WRONG_ARGUMENTS", f"{node.this} needs an argument", span)
        for arg in nodes:
            for inner in self._own_aggregates(arg):
                raise ContinuaError(
                    "AGGREGATE_MISUSE",
                    "an aggregate inside an aggregate",
                    span_of(inner, self.binder.source),
                    hint="aggregate in a subquery in FROM first",
                )
        args = [reject_outer(self.joiner.expressions().bind(arg)) for arg in nodes]
        try:
            wanted, result = function.resolve([arg.type for arg in args])
        except TypeProblem as problem:
            message = f"{function.name.upper()} {problem}"
            raise ContinuaError("TYPE_MISMATCH", message, span) from None
        converted = tuple(coerce(arg, type_) for arg, type_ in zip(args, wanted, strict=True))
        return AggregateCall(function, converted, result, distinct)

    # SELECT, DISTINCT, ORDER BY.

    def _projection(self) -> Map:
        names: list[str] = []
        outputs: list[Expression] = []
        for node in self.select.expressions:
            for name, output in self._output(node):
                names.append(name)
                outputs.append(reject_outer(output))
        span = span_of(self.select, self.binder.source)
        return Map(self.joiner.plan, tuple(names), tuple(outputs), span=span)

    def _output(self, node: exp.Expr) -> list[tuple[str, Expression]]:
        star = isinstance(node, exp.Star)
        qualified = isinstance(node, exp.Column) and isinstance(node.this, exp.Star)
        if not (star or qualified):
            return [(output_name(node), self.joiner.expressions().bind(node.unalias()))]
        qualifier = node.table if isinstance(node, exp.Column) else None
        inner = node.this if isinstance(node, exp.Column) else node
        span = span_of(node, self.binder.source)
        if any(inner.args.get(key) for key in ("except_", "replace", "rename")):
            raise unsupported("* with EXCEPT or REPLACE", span)
        if isinstance(self.joiner, _GroupedJoiner):
            raise ContinuaError(
                "AGGREGATE_MISUSE", "* cannot stand beside GROUP BY or an aggregate", span
            )
        columns = self.scope.visible(qualifier)
        if (
            not columns
            and qualifier
            and qualifier.lower() not in map(str.lower, self.scope.qualifiers)
        ):
            self.scope.resolve("*", qualifier, span)
        if not columns:
            raise ContinuaError("UNKNOWN_COLUMN", "* stands for no columns here", span)
        return [(c.name, ColumnRef(c.type, c.index, c.name, span=span)) for c in columns]

    def _mapped(self) -> Node:
        projection = self._projection()
        plan: Node = projection
        identity = tuple(
            ColumnRef(c.type, i, c.name) for i, c in enumerate(projection.input.schema)
        )
        if projection.outputs == identity and projection.names == projection.input.schema.names:
            plan = projection.input
        distinct = self.select.args.get("distinct")
        if distinct is None:
            return plan
        if distinct.args.get("on"):
            raise unsupported("DISTINCT ON", span_of(self.select, self.binder.source))
        return Distinct(plan, span=plan.span)

    def _ordered(
        self, plan: Node, order: exp.Expr | None, limit: exp.Expr | None, outputs_only: bool
    ) -> tuple[Node, tuple[SortKey, ...]]:
        """ORDER BY over the outputs; with LIMIT also over columns that are not put out."""
        hidden_allowed = limit is not None and not outputs_only and isinstance(plan, Map)
        if order is None or not hidden_allowed or self.select.args.get("distinct"):
            return self.binder.ordered(plan, self.select)
        try:
            return self.binder.ordered(plan, self.select)
        except ContinuaError as error:
            if error.code != "UNKNOWN_COLUMN":
                raise
        assert isinstance(plan, Map)
        bound = [self.joiner.expressions().bind(key.this) for key in order.expressions]
        names = tuple(f"_order{i}" for i in range(len(bound)))
        wide = Map(self.joiner.plan, plan.names + names, plan.outputs + tuple(bound))
        keys = tuple(
            self.binder.sort_key(ColumnRef(e.type, len(plan.outputs) + i, str(e)), key)
            for i, (e, key) in enumerate(zip(bound, order.expressions, strict=True))
        )
        self.binder.reject_offset(self.select)
        top = TopK(wide, keys, self.binder.limit_of(self.select))
        kept = tuple(ColumnRef(c.type, i, c.name) for i, c in enumerate(plan.schema))
        return Map(top, plan.names, kept, span=plan.span), ()


class _GroupedJoiner(SubqueryJoiner):
    """Binds what stands after GROUP BY: aggregates and grouping expressions are columns."""

    def __init__(self, select: SelectBinder) -> None:
        super().__init__(select.binder, select.aggregate, Scope((), select.scope.outer))
        self.select = select

    def intercept(self, node: exp.Expr) -> Expression | None:
        position = self.select.call_positions.get(id(node))
        if position is not None:
            column = self.select.aggregate.schema.columns[position]
            span = span_of(node, self.binder.source)
            return ColumnRef(
                column.type,
                position,
                str(self.select.calls[position - len(self.select.aggregate.keys)]),
                span=span,
            )
        if self._groupable(node):
            key = self._key_of(node)
            if key is not None:
                return key
        if isinstance(node, exp.Column):
            self._outside_group(node)
        return super().intercept(node)

    def _groupable(self, node: exp.Expr) -> bool:
        plain = not any(True for _ in node.find_all(exp.Query, exp.Exists))
        return plain and not self.select._own_aggregates(node) and not isinstance(node, exp.Literal)

    def _key_of(self, node: exp.Expr) -> Expression | None:
        """The grouping expression a node equals, as a column."""
        below = ExpressionBinder(self.binder.catalog, self.binder.source, self.select.scope)
        try:
            bound = below.bind(node)
        except ContinuaError:
            return None
        if bound in self.select.group_keys:
            position = self.select.group_keys.index(bound)
            name = self.select.aggregate.names[position]
            return ColumnRef(bound.type, position, name, span=bound.span)
        return None

    def _outside_group(self, node: exp.Column) -> None:
        found = self.select.scope.resolve(
            node.name, node.table or None, span_of(node, self.binder.source)
        )
        if isinstance(found, ColumnRef):
            grouped = "outside GROUP BY" if self.select.group_keys else "beside an aggregate"
            raise ContinuaError(
                "AGGREGATE_MISUSE",
                f"the column {node.name} stands {grouped}",
                found.span,
                hint=f"add {node.name} to GROUP BY, or aggregate it",
            )


def output_name(node: exp.Expr) -> str:
    """The name of an output: its alias, its column's, or its text."""
    if isinstance(node, (exp.Alias, exp.Column)):
        return node.alias if isinstance(node, exp.Alias) else node.name
    if isinstance(node, exp.Anonymous):
        inside = ", ".join(arg.sql(DIALECT) for arg in node.expressions)
        return f"{str(node.this).lower()}({inside})"
    return node.sql(DIALECT)
