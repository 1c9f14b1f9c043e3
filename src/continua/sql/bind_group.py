"""Binds GROUP BY and aggregates, and what may stand after them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sqlglot import exp

from continua.errors import ContinuaError
from continua.logical.aggregate import Aggregate
from continua.logical.expr.aggregates import AggregateCall
from continua.logical.expr.function import TypeProblem
from continua.logical.expr.nodes import ColumnRef, Expression, Literal
from continua.logical.expr.operators import OPERATORS
from continua.model.types import INT, NULL
from continua.sql.bind_expression import ExpressionBinder
from continua.sql.bind_subquery import SubqueryJoiner
from continua.sql.catalog import Catalog
from continua.sql.coercion import code_of, coerce
from continua.sql.correlation import reject_outer
from continua.sql.places import span_of, unsupported
from continua.sql.query_parser import same_tree
from continua.sql.scope import Scope


def own_aggregates(catalog: Catalog, node: exp.Expr) -> list[exp.Expr]:
    """The aggregate calls of an expression, with their FILTER; not those of subqueries in it."""
    if isinstance(node, (exp.Query, exp.Window)):
        return []
    called = node.this if isinstance(node, exp.Filter) else node
    if isinstance(called, exp.Anonymous) and catalog.aggregate(str(called.this)):
        return [node]
    return [f for child in node.iter_expressions() for f in own_aggregates(catalog, child)]


def aggregates_of(catalog: Catalog, select: exp.Select) -> list[exp.Expr]:
    """The aggregate calls of a SELECT: in its outputs, HAVING and ORDER BY."""
    parts = [*select.expressions, select.args.get("having"), select.args.get("order")]
    return [found for part in parts if part for found in own_aggregates(catalog, part)]


def is_aggregated(catalog: Catalog, select: exp.Select) -> bool:
    args = select.args
    return bool(args.get("group") or args.get("having") or aggregates_of(catalog, select))


class Grouping:
    """The aggregation of a SELECT.

    `more_keys` come from the correlation with an outer query; `total` is SQL's rule for
    expression subqueries, that an ungrouped aggregate has a row also over nothing.
    """

    def __init__(
        self, below: SubqueryJoiner, select: exp.Select, more_keys: list[Expression], total: bool
    ) -> None:
        self.below = below
        self.select = select
        self.catalog = below.binder.catalog
        self.source = below.binder.source
        self.nodes: list[exp.Expr] = []
        self.keys = self._group_keys()
        keys = [*self.keys, *more_keys]
        self.calls: list[AggregateCall] = []
        self.positions: dict[int, int] = {}
        for node in aggregates_of(self.catalog, select):
            bound = self._call(node)
            if bound not in self.calls:
                self.calls.append(bound)
            self.positions[id(node)] = len(keys) + self.calls.index(bound)
        names = [k.name if isinstance(k, ColumnRef) else f"_key{i}" for i, k in enumerate(keys)]
        names += [f"_aggregate{i}" for i in range(len(self.calls))]
        self.plan = Aggregate(
            below.binder.related(below.plan),
            tuple(names),
            tuple(keys),
            tuple(self.calls),
            total and not keys,
            span=span_of(select, self.source),
        )

    def _group_keys(self) -> list[Expression]:
        group = self.select.args.get("group")
        if group is None:
            return []
        if any(value for key, value in group.args.items() if key != "expressions"):
            what = "GROUP BY ALL or GROUPING SETS"
            raise unsupported(what, span_of(group, self.source))
        keys: list[Expression] = []
        for node in group.expressions:
            if isinstance(node, exp.Anonymous) and node.this in ("ROLLUP", "CUBE"):
                raise unsupported(f"GROUP BY {node.this}", span_of(node, self.source))
            meant = self._meant(node)
            self.nodes.append(meant)
            self._reject_aggregates(meant, "GROUP BY cannot contain an aggregate")
            keys.append(reject_outer(self.below.expressions().bind(meant)))
        return keys

    def _reject_aggregates(self, node: exp.Expr, message: str, hint: str | None = None) -> None:
        for inner in own_aggregates(self.catalog, node):
            span = span_of(inner, self.source)
            raise ContinuaError("AGGREGATE_MISUSE", message, span, hint=hint)

    def _meant(self, node: exp.Expr) -> Any:
        """What a GROUP BY item means: an output's number or alias stands for its expression."""
        if isinstance(node, exp.Literal) and not node.is_string:
            return self._numbered(node)
        name = node.name if isinstance(node, exp.Column) and not node.table else None
        if name is not None and not self.below.scope.find(name, None):
            for output in self.select.expressions:
                if isinstance(output, exp.Alias) and output.alias.lower() == name.lower():
                    return output.this
        return node

    def _numbered(self, node: exp.Literal) -> Any:
        outputs = self.select.expressions
        position = int(node.this) if str(node.this).isdigit() and len(node.this) < 9 else 0
        if not 1 <= position <= len(outputs):
            span = span_of(node, self.source)
            raise ContinuaError("SYNTAX", f"there is no output number {node.this}", span)
        return outputs[position - 1].unalias()

    def _call(self, found: exp.Expr) -> AggregateCall:
        node = found.this if isinstance(found, exp.Filter) else found
        function = self.catalog.aggregate(str(node.this))
        assert function is not None
        span = span_of(found, self.source)
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
            hint = "aggregate in a subquery in FROM first"
            self._reject_aggregates(arg, "an aggregate inside an aggregate", hint)
        args = [reject_outer(self.below.expressions().bind(arg)) for arg in nodes]
        if isinstance(found, exp.Filter):
            args = self._where(found, args)
        try:
            wanted, result = function.resolve([arg.type for arg in args])
        except TypeProblem as problem:
            message = f"{function.name.upper()} {problem}"
            raise ContinuaError(code_of(problem), message, span) from None
        converted = tuple(coerce(arg, type_) for arg, type_ in zip(args, wanted, strict=True))
        return AggregateCall(function, converted, result, distinct, span)

    def _where(self, node: exp.Filter, args: list[Expression]) -> list[Expression]:
        """The arguments where the condition of FILTER holds, else NULL, which is passed over."""
        test = node.expression.this
        self._reject_aggregates(test, "an aggregate inside FILTER")
        binder = self.below.expressions()
        condition = reject_outer(binder.condition(test))
        nothing, case = Literal(NULL, None), OPERATORS["case"]
        one = Literal(INT, 1)  # COUNT(*) has no argument
        return [binder.apply(case, [condition, arg, nothing], arg.span) for arg in args or [one]]


class GroupedJoiner(SubqueryJoiner):
    """Binds what stands after GROUP BY: aggregates and grouping expressions are columns."""

    def __init__(self, grouping: Grouping) -> None:
        below = grouping.below
        # What a correlated subquery in HAVING or SELECT may refer to: the grouping columns.
        positions = {
            key.index: position
            for position, key in reversed(list(enumerate(grouping.keys)))
            if isinstance(key, ColumnRef)
        }
        columns = tuple(
            replace(column, index=positions[column.index])
            for column in below.scope.columns
            if column.index in positions
        )
        super().__init__(below.binder, grouping.plan, Scope(columns, below.scope.outer))
        self.grouping = grouping

    def intercept(self, node: exp.Expr) -> Expression | None:
        position = self.grouping.positions.get(id(node))
        if position is not None:
            found = self.grouping.calls[position - len(self.grouping.plan.keys)]
            span = span_of(node, self.binder.source)
            return ColumnRef(found.type, position, str(found), span=span)
        if (key := self._key_of(node)) is not None:
            return key
        if isinstance(node, exp.Column):
            alias = self._alias(node)
            if alias is not None:
                return self.expressions().bind(alias)
            self._reject_ungrouped(node)
        return super().intercept(node)

    def _alias(self, node: exp.Column) -> Any:
        """The output whose alias a name is, if it is no column: HAVING may use it, as in Spark."""
        if node.table or self.grouping.below.scope.find(node.name, None):
            return None
        for output in self.grouping.select.expressions:
            if isinstance(output, exp.Alias) and output.alias.lower() == node.name.lower():
                return output.this
        return None

    def _key_of(self, node: exp.Expr) -> Expression | None:
        """The grouping expression a node equals, as a column."""
        position = self._key_position(node)
        if position is None:
            return None
        name, key = self.grouping.plan.names[position], self.grouping.keys[position]
        return ColumnRef(key.type, position, name, span=span_of(node, self.binder.source))

    def _key_position(self, node: exp.Expr) -> int | None:
        for position, key in enumerate(self.grouping.nodes):
            if same_tree(node, key):
                return position
        # The same expression may be written otherwise: with and without a qualifier, say.
        if isinstance(node, exp.Literal) or next(node.find_all(exp.Query), None) is not None:
            return None
        scope = self.grouping.below.scope
        try:
            bound = ExpressionBinder(self.binder.catalog, self.binder.source, scope).bind(node)
        except ContinuaError:
            return None  # what is wrong with it shows when it is bound in earnest
        return self.grouping.keys.index(bound) if bound in self.grouping.keys else None

    def _reject_ungrouped(self, node: exp.Column) -> None:
        span = span_of(node, self.binder.source)
        found = self.grouping.below.scope.resolve(node.name, node.table or None, span)
        if isinstance(found, ColumnRef):
            where = "outside GROUP BY" if self.grouping.keys else "beside an aggregate"
            raise ContinuaError(
                "AGGREGATE_MISUSE",
                f"the column {node.name} stands {where}",
                span,
                hint=f"add {node.name} to GROUP BY, or aggregate it",
            )
