"""Binds FROM: stream references with their clauses, subqueries, literal rows, joins."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sqlglot import exp

from continua.errors import ContinuaError, Span, counted
from continua.logical.anti_join import AntiJoin
from continua.logical.expr.function import TypeProblem
from continua.logical.expr.nodes import TRUE, ColumnRef, Expression
from continua.logical.expr.operators import OPERATORS, unify
from continua.logical.map import Map
from continua.logical.node import Node
from continua.logical.outer_join import OuterJoin
from continua.logical.product import Product
from continua.logical.semi_join import SemiJoin
from continua.logical.theta_join import ThetaJoin
from continua.logical.values import Values
from continua.model.catalog import Relation
from continua.model.schema import Column, Schema
from continua.sql.batches import reference
from continua.sql.bind_as_of import (
    Latest,
    as_of_clause,
    as_written,
    at_own_batch,
    check_side,
    check_sides,
    reject_alone,
    window_clauses,
)
from continua.sql.bind_expression import ExpressionBinder
from continua.sql.bind_window import bind_clause
from continua.sql.catalog import Derived, kind_of
from continua.sql.coercion import coerce
from continua.sql.places import span_of, unsupported
from continua.sql.query_parser import is_inserted
from continua.sql.scope import Scope, ScopeColumn
from continua.sql.tokens import Name

if TYPE_CHECKING:
    from continua.sql.binder import Binder

Item = tuple[Node, Scope]


def bind_from(binder: Binder, select: exp.Select, outer: Scope | None) -> Item:
    """The plan of a FROM clause and the scope of its tuples."""
    clause = select.args.get("from_")
    if clause is None:
        return Values(Schema(()), ((),)), Scope((), outer)
    reject_alone(clause.this)
    plan, scope = _item(binder, clause.this)
    for join in [*(clause.this.args.get("joins") or ()), *(select.args.get("joins") or ())]:
        plan, scope = _join(binder, (plan, scope), join)
    return plan, replace(scope, outer=outer)


def _item(binder: Binder, node: exp.Expr) -> Item:
    alias = node.args.get("alias")
    name = alias.name if isinstance(alias, exp.TableAlias) else ""
    name = "" if alias is not None and is_inserted(alias.this) else name
    listed = node.this if isinstance(node, exp.Table) else node
    if isinstance(node, exp.Table) and isinstance(node.this, exp.Identifier):
        plan, hidden = _reference(binder, node)
        name = name or node.name
    elif isinstance(listed, exp.Values):
        plan, hidden = bind_values(binder, listed), 0
    elif isinstance(node, exp.Subquery):
        joined = isinstance(node.this, exp.Subquery) and node.this.args.get("joins")
        if joined or isinstance(node.this, exp.Table):
            return _bracketed(binder, node, name)
        plan, hidden = binder.bind_subplan(node), 0
    else:
        raise unsupported("this in FROM", span_of(node, binder.source))
    what = name or "the subquery"
    width = len(plan.schema)
    for clause in window_clauses(node):
        plan = bind_clause(plan, clause, what)
    columns = [
        # Window functions add columns after the time attributes, which stay hidden.
        ScopeColumn(name or None, c.name, c.type, i, hidden=width - hidden <= i < width)
        for i, c in enumerate(plan.schema)
    ]
    if isinstance(alias, exp.TableAlias) and alias.columns:
        columns = _renamed(binder, columns, alias)
    return plan, Scope(tuple(columns))


def _bracketed(binder: Binder, node: exp.Subquery, name: str) -> Item:
    """Brackets around a join, as in (a JOIN b) JOIN c, with a window or alias if there is one."""
    reject_alone(node.this)
    plan, scope = _item(binder, node.this)
    for join in node.this.args.get("joins") or ():
        plan, scope = _join(binder, (plan, scope), join)
    for clause in window_clauses(node):
        plan = bind_clause(plan, clause, name or "the join")
    added = enumerate(plan.schema.columns[len(scope.columns) :], len(scope.columns))
    columns = [*scope.columns, *(ScopeColumn(None, c.name, c.type, i) for i, c in added)]
    if name:
        columns = [replace(column, qualifier=name) for column in columns]
    return plan, Scope(tuple(columns))


def _renamed(
    binder: Binder, columns: list[ScopeColumn], alias: exp.TableAlias
) -> list[ScopeColumn]:
    """The columns under the names of `AS q(a, b)`; hidden ones keep theirs."""
    given = [column.name for column in alias.columns]
    shown = [column for column in columns if not column.hidden]
    if len(given) != len(shown):
        message = f"{counted(len(given), 'name')} for {counted(len(shown), 'column')}"
        raise ContinuaError("COLUMN_COUNT", message, span_of(alias, binder.source))
    names = dict(zip((column.index for column in shown), given, strict=True))
    return [replace(column, name=names.get(column.index, column.name)) for column in columns]


def _reference(binder: Binder, node: exp.Table) -> tuple[Node, int]:
    """A name in FROM: its plan, and how many of its last columns are time attributes."""
    span = span_of(node.this, binder.source)
    if node.args.get("db"):
        raise unsupported("a qualified name in FROM", span_of(node, binder.source))
    common = binder.common_table(node.name)
    if common is not None:
        return common, 0
    assert span is not None
    entry = binder.catalog.get(Name(node.name, span))
    binder.used.add(entry.name.lower())
    if isinstance(entry, Derived):
        return entry.plan, 0
    if not isinstance(entry, Relation):
        message = f"{entry.name} is a {kind_of(entry)}; nothing reads it"
        raise ContinuaError("UNKNOWN_STREAM", message, span)
    # A query that names a time attribute gets it as a column; others do not carry it.
    named = any(column.name.lower() in binder.names for column in entry.time_columns)
    plan = reference(binder.catalog, entry, named, span)
    return plan, len(entry.time_columns) if named else 0


def bind_values(binder: Binder, node: exp.Values) -> Values:
    expressions = ExpressionBinder(binder.catalog, binder.source, Scope(()))
    rows = [
        [
            expressions.bind(value)
            for value in (row.expressions if isinstance(row, exp.Tuple) else [row])
        ]
        for row in node.expressions
    ]
    span = span_of(node, binder.source)
    if len({len(row) for row in rows}) != 1:
        raise ContinuaError("COLUMN_COUNT", "the rows of VALUES differ in length", span)
    columns = []
    for number, column in enumerate(zip(*rows, strict=True), 1):
        try:
            columns.append(Column(f"col{number}", unify([v.type for v in column], "the values")))
        except TypeProblem as problem:
            raise ContinuaError("TYPE_MISMATCH", str(problem), span) from None
    types = [column.type for column in columns]
    return Values(
        Schema(tuple(columns)),
        tuple(
            tuple(coerce(v, t).evaluate(()) for v, t in zip(row, types, strict=True))
            for row in rows
        ),
        span=span,
    )


@dataclass(frozen=True)
class _Join:
    """How two items are joined. latest: what an ASOF JOIN makes of the right one."""

    side: str
    kind: str
    span: Span | None
    latest: Latest | None


def _join(binder: Binder, left: Item, node: exp.Join) -> Item:
    right = _item(binder, node.this)
    for inner in node.this.args.get("joins") or ():
        right = _join(binder, right, inner)
    span = span_of(node, binder.source)
    side, kind, method = (
        str(node.args.get(key) or "").upper() for key in ("side", "kind", "method")
    )
    version = as_of_clause(node.this)
    if version is None and method != "ASOF":
        left, right = ((binder.related(plan), scope) for plan, scope in (left, right))
        return _bound(binder, left, right, node, method, _Join(side, kind, span, None))
    check_side(side, span)
    latest = check_sides(left, right, version, method == "ASOF", span)
    method = "" if method == "ASOF" else method
    left = at_own_batch(left[0], right[0]), left[1]
    how = _Join(side, kind, span, latest)
    plan, scope = _bound(binder, left, right, node, method, how)
    return as_written(plan), scope


def _bound(
    binder: Binder, left: Item, right: Item, node: exp.Join, method: str, how: _Join
) -> Item:
    """A join of two items by its condition, whichever way that is written."""
    side, kind, span = how.side, how.kind, how.span
    taken = {q.lower() for q in left[1].qualifiers}
    for qualifier in right[1].qualifiers:
        if qualifier.lower() in taken:
            message = f"two items of FROM are named {qualifier}"
            hint = "give one of them another alias"
            place = span_of(node.this, binder.source)
            raise ContinuaError("DUPLICATE_NAME", message, place, hint=hint)
    if method == "NATURAL":
        names = [c.name for c in left[1].visible() if right[1].find(c.name, None)]
        common = [name for name in names if not right[1].find(name, None)[0].hidden]
        return _join_using(binder, left, right, common, how)
    if method:
        raise unsupported(f"{method} JOIN", span)
    if node.args.get("using"):
        common = [identifier.name for identifier in node.args["using"]]
        return _join_using(binder, left, right, common, how)
    scope = left[1].join(right[1])
    on = node.args.get("on")
    if on is None and how.latest is not None:
        return _joined(left, right, TRUE, how)
    if on is None:
        if kind in ("SEMI", "ANTI") or side in ("LEFT", "RIGHT", "FULL"):
            raise ContinuaError("SYNTAX", f"{side or kind} JOIN needs ON or USING", span)
        return Product(left[0], right[0], span=span), scope
    if next(on.find_all(exp.Query, exp.Exists), None) is not None:
        hint = "put the condition into WHERE"
        raise unsupported("a subquery in ON", span_of(on, binder.source), hint)
    predicate = ExpressionBinder(binder.catalog, binder.source, scope).condition(on)
    return _joined(left, right, predicate, how)


def _joined(left: Item, right: Item, predicate: Expression, how: _Join) -> Item:
    side, kind, span = how.side, how.kind, how.span
    plans = (left[0], right[0])
    if how.latest is not None:
        plans = (left[0], how.latest.of(right[0], predicate, len(left[0].schema)))
    scope = left[1].join(right[1])
    if kind == "SEMI":
        return SemiJoin(*plans, predicate, span=span), left[1]
    if kind == "ANTI":
        return AntiJoin(*plans, predicate, span=span), left[1]
    match side:
        case "LEFT":
            return OuterJoin(*plans, predicate, "left", span=span), scope
        case "RIGHT":
            return OuterJoin(*plans, predicate, "right", span=span), scope
        case "FULL":
            return OuterJoin(*plans, predicate, "full", span=span), scope
    if predicate == TRUE:
        return Product(*plans, span=span), scope
    return ThetaJoin(*plans, predicate, span=span), scope


def _join_using(binder: Binder, left: Item, right: Item, common: list[str], how: _Join) -> Item:
    """NATURAL JOIN and USING: equal columns become one, which comes first."""
    side, kind, span = how.side, how.kind, how.span
    expressions = ExpressionBinder(binder.catalog, binder.source, left[1].join(right[1]))
    width = len(left[1].columns)
    pairs: list[tuple[Expression, Expression]] = []
    predicate: Expression = TRUE
    for name in common:
        a = left[1].resolve(name, None, span)
        b = right[1].resolve(name, None, span)
        assert isinstance(a, ColumnRef)
        assert isinstance(b, ColumnRef)
        b = replace(b, index=b.index + width)
        pairs.append((a, b))
        equal = expressions.apply(OPERATORS["="], [a, b], span)
        both = expressions.apply(OPERATORS["and"], [predicate, equal], span)
        predicate = equal if predicate == TRUE else both
    plan, scope = _joined(left, right, predicate, how)
    if kind in ("SEMI", "ANTI") or not common:
        return plan, scope
    merged = []
    for a, b in pairs:
        present = {"RIGHT": [b], "FULL": [a, b]}.get(side, [a])
        one = present[0] if len(present) == 1 else None
        merged.append(one or expressions.apply(OPERATORS["coalesce"], list(present), span))
    gone = {c.index for pair in pairs for c in pair if isinstance(c, ColumnRef)}
    first = [
        ScopeColumn(None, name, expression.type, i)
        for i, (name, expression) in enumerate(zip(common, merged, strict=True))
    ]
    # The two columns that became one can still be named with their qualifiers.
    rest = [
        replace(
            c,
            index=len(merged) + c.index,
            hidden=c.hidden or c.index in gone,
            merged=c.index in gone,
        )
        for c in scope.columns
    ]
    outputs = (*merged, *(ColumnRef(c.type, c.index, c.name) for c in scope.columns))
    names = (*common, *(c.name for c in scope.columns))
    return Map(plan, names, outputs, span=span), Scope((*first, *rest))
