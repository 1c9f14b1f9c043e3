"""Correlated subqueries: what ties a subquery to the query around it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeGuard

from sqlglot import exp

from continua.errors import Span
from continua.logical.expr.nodes import (
    TRUE,
    Call,
    ColumnRef,
    Expression,
    OuterRef,
    call,
    columns_of,
    map_columns,
)
from continua.logical.expr.operators import OPERATORS
from continua.logical.map import Map
from continua.logical.node import Node
from continua.sql.bind_expression import ExpressionBinder
from continua.sql.now import has_now
from continua.sql.places import unsupported
from continua.sql.scope import Scope

if TYPE_CHECKING:
    from continua.sql.binder import Binder


@dataclass(frozen=True)
class Correlated:
    """A subquery bound apart from the query around it.

    `conjuncts` are over outer references and the plan's columns, of which the first `width` are
    the subquery's own and the rest serve the conjuncts. `default` is the value that a correlated
    ungrouped aggregate has over nothing, None where it has none.
    """

    plan: Node
    conjuncts: tuple[Expression, ...]
    width: int
    default: Expression | None = None

    def correlation(self, width: int) -> Expression:
        """The conjuncts over `outer ∘ inner`, the outer tuple being `width` columns wide."""
        predicate: Expression = TRUE
        for conjunct in self.conjuncts:
            predicate = both_of(predicate, placed(conjunct, width))
        return predicate


def placed(expression: Expression, width: int) -> Expression:
    """Outer references and inner columns as columns of `outer ∘ inner`."""
    if isinstance(expression, OuterRef):
        return ColumnRef(expression.type, expression.index, expression.name, span=expression.span)
    if isinstance(expression, ColumnRef):
        return replace(expression, index=expression.index + width)
    if not expression.operands:
        return expression
    return expression.rebuild(tuple(placed(o, width) for o in expression.operands))


def reject_outer(expression: Expression) -> Expression:
    """The expression, which must not refer to the query around."""
    for part in expression.walk():
        if isinstance(part, OuterRef):
            raise unsupported(
                f"the outer column {part.name} here",
                part.span,
                "a subquery may refer to the query around it in its WHERE",
            )
    return expression


def has_outer(expression: Expression) -> bool:
    return any(isinstance(e, OuterRef) for e in expression.walk())


def split_correlated(
    binder: Binder, select: exp.Select, scope: Scope
) -> tuple[list[exp.Expr], list[Expression]]:
    """The conjuncts of WHERE: those of the query itself, and the bound correlated ones."""
    where = select.args.get("where")
    own = conjuncts(where.this) if where else []
    if scope.outer is None:
        return own, []
    candidates, own = own, []
    correlated: list[Expression] = []
    for conjunct in candidates:
        nested = next(conjunct.find_all(exp.Query, exp.Exists), None) is not None
        if nested or has_now(binder.catalog, conjunct):
            own.append(conjunct)
            continue
        bound = ExpressionBinder(binder.catalog, binder.source, scope).condition(conjunct)
        if has_outer(bound):
            correlated.append(bound)
        else:
            own.append(conjunct)
    return own, correlated


def carry(plan: Map, scope: Scope, correlated: list[Expression]) -> Correlated:
    """A plain subquery: the columns that correlated conjuncts read are carried along."""
    needed = sorted({i for conjunct in correlated for i in columns_of(conjunct)})
    at = {index: len(plan.outputs) + k for k, index in enumerate(needed)}
    by_index = {c.index: c for c in scope.columns}
    carried = tuple(ColumnRef(by_index[i].type, i, by_index[i].name) for i in needed)
    names = plan.names + carried_names(len(needed))
    moved = tuple(
        map_columns(conjunct, lambda c: replace(c, index=at[c.index])) for conjunct in correlated
    )
    wide = replace(plan, names=names, outputs=plan.outputs + carried)
    return Correlated(wide, moved, len(plan.outputs))


def equality_keys(
    correlated: list[Expression], span: Span | None
) -> list[tuple[Expression, Expression]]:
    """Pairs (inner, outer) of conjuncts `inner = outer`, the only ones an aggregate may have."""
    pairs = []
    for conjunct in correlated:
        sides = (
            conjunct.args if isinstance(conjunct, Call) and conjunct.function.name == "=" else ()
        )
        inner = [s for s in sides if not has_outer(s)]
        outer = [s for s in sides if has_outer(s) and not columns_of(s)]
        if len(inner) != 1 or len(outer) != 1:
            raise unsupported(
                "this correlation of an aggregated subquery",
                conjunct.span or span,
                "it may be correlated by equality: inner column = outer column",
            )
        pairs.append((inner[0], outer[0]))
    return pairs


def carried_names(count: int) -> tuple[str, ...]:
    """Names of columns that a subquery's plan has only for its correlation."""
    return tuple(f"_carried{k}" for k in range(count))


def conjuncts(node: exp.Expr) -> list[exp.Expr]:
    """The parts of a condition that AND connects."""
    found: list[exp.Expr] = []
    waiting = [node]
    while waiting:
        part = waiting.pop()
        if isinstance(part, exp.And):
            waiting += [part.expression, part.this]
        elif isinstance(part, exp.Paren):
            waiting.append(part.this)
        else:
            found.append(part)
    return found


def both_of(a: Expression, b: Expression) -> Expression:
    """What holds if both hold: one AND of all their parts, however many there are."""
    if a == TRUE:
        return b
    if b == TRUE:
        return a
    parts = [part for side in (a, b) for part in (side.args if _is_and(side) else (side,))]
    return call(OPERATORS["and"], *parts)


def _is_and(expression: Expression) -> TypeGuard[Call]:
    return isinstance(expression, Call) and expression.function.name == "and"
