"""Brings expressions to the types that functions ask for."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from continua.logical.expr.function import ArityProblem, Function, Refused, TypeProblem
from continua.logical.expr.nodes import Cast, Expression, Literal
from continua.model.types import DATE, STRING, TIMESTAMP, Type


def code_of(problem: TypeProblem) -> str:
    if isinstance(problem, Refused):
        return "UNSUPPORTED"
    return "WRONG_ARGUMENTS" if isinstance(problem, ArityProblem) else "TYPE_MISMATCH"


def hint_of(problem: TypeProblem) -> str | None:
    return problem.hint if isinstance(problem, Refused) else None


def coerce(expression: Expression, target: Type) -> Expression:
    """The expression as one of the target type."""
    if expression.type == target:
        return expression
    if isinstance(expression, Literal) and expression.value is None:
        return Literal(target, None, span=expression.span)
    return Cast(target, expression, span=expression.span)


def read_literals(function: Function, args: list[Expression]) -> list[Expression]:
    """Literals as the other operand suggests, as in Spark.

    A text compared with a time is read as a time (`ts > '2026-01-01'`); a whole number beside a
    DECIMAL is a DECIMAL of as many digits as it has.
    """
    types = {arg.type for arg in args}
    times = types & {DATE, TIMESTAMP}
    if function.name in ("=", "<>", "<", "<=", ">", ">=", "<=>") and times:
        return [coerce(arg, next(iter(times))) if _is_literal(arg, STRING) else arg for arg in args]
    if function.name in ("+", "-", "*", "/", "%") and any(t.name == "DECIMAL" for t in types):
        return [
            Literal(Type("DECIMAL", len(str(arg.value)), 0), Decimal(str(arg.value)), span=arg.span)
            if isinstance(arg, Literal) and arg.type.integral
            else arg
            for arg in args
        ]
    return args


def _is_literal(expression: Expression, type_: Type) -> bool:
    return isinstance(expression, Literal) and expression.type == type_


def cast_hint(args: Sequence[Expression]) -> str | None:
    if any(arg.type == STRING for arg in args) and any(arg.type.numeric for arg in args):
        return "CAST one side to the other's type"
    return None
