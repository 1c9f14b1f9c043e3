"""Binds comparisons with NOW() over what lasts: temporal filters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import cast

from sqlglot import exp

from continua.errors import ContinuaError
from continua.logical.expr.nodes import Call, ColumnRef, Expression, columns_of, map_columns
from continua.logical.expr.operators import OPERATORS
from continua.logical.node import Node
from continua.logical.product import Product
from continua.logical.temporal_filter import Comparison, TemporalFilter
from continua.logical.theta_join import ThetaJoin
from continua.model.instant import LATEST
from continua.model.schema import INTEGER_TIME, TIMESTAMP_TIME, TimeDomain
from continua.model.types import DATE, STRING, TIMESTAMP
from continua.sql.bind_expression import ExpressionBinder
from continua.sql.correlation import reject_outer
from continua.sql.now import Compared
from continua.sql.scope import Scope


def bind_comparison(binder: ExpressionBinder, plan: Node, compared: Compared) -> Node:
    """The tuples of a plan while what they are compared with NOW() by holds."""
    value = reject_outer(binder.bind(compared.value))
    span = binder.span(compared.node)
    textual = value.type in (DATE, TIMESTAMP, STRING)
    time = plan.time or (TIMESTAMP_TIME if textual else INTEGER_TIME)
    now = ColumnRef(time.result_type, 0, "NOW()")
    call = binder.apply(OPERATORS[compared.comparison], [value, now], span)
    assert isinstance(call, Call)
    value = call.args[0]
    if value.type != time.result_type:
        message = f"NOW() is {time.result_type} here, and {compared.value} is {value.type}"
        hint = f"as in CAST(… AS {time.result_type})"
        raise ContinuaError("TYPE_MISMATCH", message, span, hint=hint)
    shift = _total(binder, compared.shifts or [], time)
    made = TemporalFilter(plan, value, cast(Comparison, compared.comparison), shift, span=span)
    return _lowered(plan, made)


def _lowered(plan: Node, made: TemporalFilter) -> Node:
    """The filter on a join as low as its columns allow, so that what is joined ends with it."""
    if not isinstance(plan, Product | ThetaJoin):
        return replace(made, input=plan)
    width, read = len(plan.left.schema), columns_of(made.value)
    if all(column < width for column in read):
        return replace(plan, left=_lowered(plan.left, made))
    if all(column >= width for column in read):
        moved = map_columns(made.value, lambda c: replace(c, index=c.index - width))
        return replace(plan, right=_lowered(plan.right, replace(made, value=moved)))
    return replace(made, input=plan)


def _total(
    binder: ExpressionBinder, shifts: Sequence[tuple[int, exp.Expr]], time: TimeDomain
) -> int:
    """How far NOW() is moved by constants, in units of time."""
    total = sum(sign * _units(binder, node, time) for sign, node in shifts)
    if abs(total) > LATEST:
        span = binder.span(shifts[0][1])
        raise ContinuaError("WRONG_WINDOW", f"a duration has at most {LATEST} units of time", span)
    return total


def _units(binder: ExpressionBinder, node: exp.Expr, time: TimeDomain) -> int:
    span = binder.span(node)
    if next(node.find_all(exp.Column, exp.Query), None) is not None:
        hint = "add it to the other side, as in a + b > NOW()"
        raise ContinuaError("UNSUPPORTED", "NOW() is moved by constants only", span, hint=hint)
    constants = ExpressionBinder(binder.catalog, binder.source, Scope(()))
    bound: Expression = constants.bind(node)
    found = bound.evaluate(())
    if time.integral and isinstance(found, int) and bound.type.integral:
        return found
    if not time.integral and isinstance(found, timedelta):
        return found // timedelta(microseconds=1)
    if time.integral:
        wanted, hint = "a whole number", "as in NOW() - 10"
    else:
        wanted, hint = "an interval", "as in NOW() - INTERVAL '10' SECOND"
    message = f"NOW() is {time.result_type} here, and is moved by {wanted}, not by {bound.type}"
    raise ContinuaError("TYPE_MISMATCH", message, span, hint=hint)
