"""Binds queries: from sqlglot's tree to a logical plan."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlglot import exp

from continua.errors import ContinuaError, Source, counted
from continua.logical.difference import Difference
from continua.logical.distinct import Distinct
from continua.logical.expr.nodes import ColumnRef, Expression
from continua.logical.intersection import Intersection
from continua.logical.map import Map
from continua.logical.node import Node
from continua.logical.now_window import without_now
from continua.logical.strict_difference import StrictDifference
from continua.logical.top_k import SortKey, TopK
from continua.logical.union import Union
from continua.model.types import Type, common_type
from continua.sql.bind_during import bind_during
from continua.sql.bind_expression import ExpressionBinder
from continua.sql.bind_from import bind_values
from continua.sql.bind_select import Bound, SelectBinder, output_name
from continua.sql.catalog import Catalog
from continua.sql.check_tree import check_tree
from continua.sql.coercion import coerce
from continua.sql.correlation import Correlated
from continua.sql.default_window import with_default_windows
from continua.sql.places import span_of, unsupported
from continua.sql.query_parser import clause_names, during_of
from continua.sql.scope import Scope, ScopeColumn


class Binder:
    """Binds one statement's query; remembers the catalog's names it uses.

    unbounded: whether streams without a window are by default.
    """

    def __init__(self, catalog: Catalog, source: Source, tree: exp.Expr, unbounded: bool) -> None:
        self.catalog = catalog
        self.source = source
        self._unbounded = unbounded
        self.used: set[str] = set()
        check_tree(tree, source)
        # A time attribute becomes a column where the statement names it at all.
        self.names = {identifier.name.lower() for identifier in tree.find_all(exp.Identifier)}
        self.names |= {name.text.lower() for name in clause_names(tree)}
        self._common: list[dict[str, Node]] = []

    def bind_query(self, node: exp.Expr) -> Bound:
        """A whole query, as it is to be evaluated."""
        bound = self.bind(node)
        return Bound(without_now(bound.plan), bound.order)

    def related(self, plan: Node) -> Node:
        """A plan as the input of an operator that relates its tuples to each other."""
        return with_default_windows(plan, self._unbounded)

    def bind(self, node: exp.Expr, in_expression: bool = False) -> Bound:
        """A query, with the order for display if it has one.

        In an expression SQL's rule holds: an ungrouped aggregate has a row also over nothing.
        """
        with self._common_tables(node):
            return self._bind(node, in_expression)

    @contextmanager
    def _common_tables(self, node: exp.Expr) -> Iterator[None]:
        """The WITH queries of a query, visible while it is bound."""
        with_ = node.args.get("with_")
        if with_ is None:
            yield
            return
        if with_.args.get("recursive"):
            raise unsupported("WITH RECURSIVE", span_of(with_, self.source))
        self._common.append({})
        try:
            for table in with_.expressions:
                if table.alias.lower() in self._common[-1]:
                    message = f"there are two queries named {table.alias} in WITH"
                    span = span_of(table.args["alias"], self.source)
                    raise ContinuaError("DUPLICATE_NAME", message, span)
                self._common[-1][table.alias.lower()] = self._common_plan(table)
            yield
        finally:
            self._common.pop()

    def _common_plan(self, table: exp.CTE) -> Node:
        plan = self.bind_subplan(table.this)
        names = [column.name for column in table.args["alias"].columns]
        if not names:
            return plan
        if len(names) != len(plan.schema):
            message = f"{counted(len(names), 'name')} for {counted(len(plan.schema), 'column')}"
            raise ContinuaError("COLUMN_COUNT", message, span_of(table.args["alias"], self.source))
        return Map(plan, tuple(names), _all_columns(plan))

    def common_table(self, name: str) -> Node | None:
        """The plan of a WITH query of that name, the innermost first."""
        for tables in reversed(self._common):
            if name.lower() in tables:
                return tables[name.lower()]
        return None

    def _bind(self, node: exp.Expr, in_expression: bool) -> Bound:
        if isinstance(node, (exp.Subquery, exp.Paren)):
            inner = self.bind(node.this, in_expression)
            if node.args.get("order") is None and node.args.get("limit") is None:
                return inner
            self.reject_order(inner.order, node)
            return Bound(*self.ordered(inner.plan, node))
        if (historic := during_of(node)) is not None:
            inner = self.bind(historic[0], in_expression)
            return Bound(bind_during(inner.plan, historic[1]), inner.order)
        if isinstance(node, exp.Select):
            return SelectBinder(self, node, in_expression=in_expression).bind()
        if isinstance(node, exp.SetOperation):
            return Bound(*self.ordered(self._set_operation(node, in_expression), node))
        if isinstance(node, exp.Values):
            return Bound(bind_values(self, node))
        raise unsupported("this kind of query", span_of(node, self.source))

    def bind_subplan(self, node: exp.Expr, in_expression: bool = False) -> Node:
        """A query inside another: an order by itself would mean nothing there."""
        bound = self.bind(node, in_expression)
        self.reject_order(bound.order, node)
        return bound.plan

    def bind_correlated(self, select: exp.Select, outer: Scope) -> Correlated:
        """A SELECT in an expression, which may refer to the query around it."""
        with self._common_tables(select):
            return SelectBinder(self, select, outer, in_expression=True).bind_correlated()

    # Set operations.

    def _set_operation(self, node: exp.SetOperation, in_expression: bool) -> Node:
        span = span_of(node, self.source)
        if node.args.get("by_name") or node.args.get("on"):
            raise unsupported("a set operation BY NAME", span)
        left = self.bind_subplan(node.this, in_expression)
        right = self.bind_subplan(node.expression, in_expression)
        if len(left.schema) != len(right.schema):
            columns = f"{len(left.schema)} and {counted(len(right.schema), 'column')}"
            hint = "both sides need the same number of columns"
            message = f"{node.key.upper()} of {columns}"
            raise ContinuaError("COLUMN_COUNT", message, span, hint=hint)
        types: list[Type] = []
        for a, b in zip(left.schema, right.schema, strict=True):
            wide = common_type(a.type, b.type)
            if wide is None:
                message = f"{node.key.upper()} of {a} and {b}: the types do not fit"
                raise ContinuaError("TYPE_MISMATCH", message, span)
            types.append(wide)
        left, right = _as_types(left, types), _as_types(right, types)
        distinct = bool(node.args.get("distinct"))
        if distinct or not isinstance(node, exp.Union):
            left, right = self.related(left), self.related(right)
        plan: Node
        if isinstance(node, exp.Union):
            plan = Union(left, right, span=span)
        elif isinstance(node, exp.Intersect):
            plan = Intersection(left, right, span=span)
        elif distinct:
            plan = StrictDifference(left, right, span=span)
        else:
            plan = Difference(left, right, span=span)
        return Distinct(plan, span=span) if distinct else plan

    # ORDER BY and LIMIT.

    def ordered(self, plan: Node, node: exp.Expr) -> tuple[Node, tuple[SortKey, ...]]:
        """ORDER BY over a query's outputs: top-k with LIMIT, else an order for display."""
        self.reject_offset(node)
        order, limit = node.args.get("order"), node.args.get("limit")
        if order is None:
            if limit is not None:
                raise unsupported(
                    "LIMIT without ORDER BY",
                    span_of(limit, self.source) or span_of(node, self.source),
                    "say which rows: ORDER BY … LIMIT is top-k at every instant",
                )
            return plan, ()
        keys = tuple(self.sort_key(self._output(key.this, plan), key) for key in order.expressions)
        if limit is None:
            return plan, keys
        limit_, span = self.limit_of(node), span_of(order, self.source)
        return TopK(self.related(plan), keys, limit_, span=span), ()

    def _output(self, target: exp.Expr, plan: Node) -> Expression:
        """What an item of ORDER BY means over a query's outputs, or an error."""
        found = self.output(target, plan)
        return found or self._over_outputs(target, plan)

    def output(self, target: exp.Expr, plan: Node) -> Expression | None:
        """The output an item of ORDER BY names: by its number, its name or its text.

        A qualified name is none: it means a column of FROM, whatever outputs are called.
        """
        names = plan.schema.names
        if isinstance(target, exp.Literal) and not target.is_string:
            position = int(target.this) if len(target.this) < 9 and target.this.isdigit() else 0
            if not 1 <= position <= len(names):
                span = span_of(target, self.source)
                raise ContinuaError("SYNTAX", f"there is no output number {target.this}", span)
        elif isinstance(target, exp.Column):
            same = [i for i, name in enumerate(names) if name.lower() == target.name.lower()]
            position = same[0] + 1 if len(same) == 1 and not target.table else 0
        else:
            position = names.index(output_name(target)) + 1 if output_name(target) in names else 0
        if position == 0:
            return None
        column = plan.schema.columns[position - 1]
        return ColumnRef(column.type, position - 1, column.name)

    def _over_outputs(self, target: exp.Expr, plan: Node) -> Expression:
        columns = tuple(ScopeColumn(None, c.name, c.type, i) for i, c in enumerate(plan.schema))
        return ExpressionBinder(self.catalog, self.source, Scope(columns)).bind(target)

    def sort_key(self, expression: Expression, key: exp.Ordered) -> SortKey:
        """A sort key; unless said otherwise NULLs are first ascending and last descending."""
        descending = bool(key.args.get("desc"))
        nulls_first = key.args.get("nulls_first")
        return SortKey(
            expression, descending, not descending if nulls_first is None else nulls_first
        )

    def limit_of(self, node: exp.Expr) -> int:
        limit = node.args["limit"]
        if isinstance(limit, exp.Fetch):
            raise unsupported("FETCH", span_of(node, self.source), "ORDER BY … LIMIT does the same")
        count = limit.expression
        if isinstance(count, exp.Literal) and str(count.this).isdigit() and len(count.this) < 19:
            return int(count.this)
        span = span_of(limit, self.source) or span_of(node, self.source)
        raise ContinuaError("SYNTAX", "LIMIT takes a whole number", span)

    def reject_offset(self, node: exp.Expr) -> None:
        if node.args.get("offset"):
            raise unsupported(
                "OFFSET",
                span_of(node.args["offset"], self.source) or span_of(node, self.source),
                "ORDER BY … LIMIT gives the first rows of every snapshot",
            )

    def reject_order(self, order: tuple[SortKey, ...], node: exp.Expr) -> None:
        if order:
            raise unsupported(
                "ORDER BY without LIMIT in a subquery",
                span_of(node, self.source),
                "a snapshot has no order; ORDER BY stands at the top level, or with LIMIT",
            )


def _all_columns(plan: Node) -> tuple[Expression, ...]:
    return tuple(ColumnRef(c.type, i, c.name) for i, c in enumerate(plan.schema))


def _as_types(plan: Node, types: list[Type]) -> Node:
    """The plan with its columns brought to the types given."""
    if list(plan.schema.types) == types:
        return plan
    outputs = tuple(coerce(c, t) for c, t in zip(_all_columns(plan), types, strict=True))
    return Map(plan, plan.schema.names, outputs, span=plan.span)
