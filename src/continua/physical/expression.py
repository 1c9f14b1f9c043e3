"""Expressions as Spark SQL.

The binder has given every operand the type its function asks for, so an expression is written
with the casts it has; Spark finds nothing left to convert.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, timedelta

from continua.logical.expr.cast import to_text
from continua.logical.expr.chosen import Chosen
from continua.logical.expr.function import Function
from continua.logical.expr.nodes import Call, Cast, ColumnRef, Expression, Literal
from continua.model.schema import to_micros
from continua.model.types import BIGINT, BOOLEAN, INT, NULL, STRING, Type
from continua.physical.adjusted import (
    absolute,
    adjusted,
    cast,
    conditional,
    negative,
    quotient,
)
from continua.physical.builder import Builder
from continua.physical.relation import Typed, typed


def spark_type(type_: Type) -> str:
    """The name of a type in Spark SQL."""
    names = {"INTERVAL": "INTERVAL DAY TO SECOND", "NULL": "VOID"}
    return names.get(type_.name, str(type_))


def literal(value: object, type_: Type) -> Typed:
    """A value of a type as a Spark SQL literal."""
    return typed(_literal(value, type_), spark_type(type_))


def _literal(value: object, type_: Type) -> str:
    if value is None:
        return "NULL" if type_ == NULL else f"CAST(NULL AS {spark_type(type_)})"
    if type_ == BOOLEAN:
        return "TRUE" if value else "FALSE"
    if type_ in (INT, BIGINT):
        assert isinstance(value, int)
        suffix = "L" if type_ == BIGINT else ""
        # The least value of a type is the negation of a number that the type does not have.
        return f"{value}{suffix}" if value >= 0 else f"CAST('{value}' AS {type_})"
    if type_ == STRING:
        return _quoted(str(value))
    if isinstance(value, datetime):
        return f"timestamp_micros(CAST('{to_micros(value)}' AS BIGINT))"
    if isinstance(value, date):
        return f"DATE '{value}'"
    if isinstance(value, timedelta):
        micros = value // timedelta(microseconds=1)
        sign, (days, rest) = "-" * (micros < 0), divmod(abs(micros), 86_400 * 10**6)
        seconds = f"CAST('{sign}{rest // 10**6}.{rest % 10**6:06d}' AS DECIMAL(18,6))"
        return f"make_dt_interval({sign}{days}, 0, 0, {seconds})"
    return f"CAST('{to_text(value, type_)}' AS {spark_type(type_)})"


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def compile_expression(builder: Builder, expression: Expression, columns: Sequence[str]) -> Typed:
    """The expression over an input whose columns have these names."""
    text = typed(_text(builder, expression, columns), spark_type(expression.type))
    if expression.span is not None:
        builder.places.setdefault(text, expression.span)
    return text


def _text(builder: Builder, expression: Expression, columns: Sequence[str]) -> str:
    match expression:
        case ColumnRef(index=index):
            return columns[index]
        case Literal(type=type_, value=value):
            return literal(value, type_)
        case Cast(type=type_, operand=operand, safe=safe):
            inner = compile_expression(builder, operand, columns)
            return cast(inner, operand.type, type_, spark_type(type_), safe)
        case Chosen(choices=choices):
            branches = "".join(
                f" WHEN {literal(tag, STRING)} THEN {compile_expression(builder, e, columns)}"
                for tag, e in choices
            )
            return f"CASE {columns[0]}{branches} END"
        case Call(type=type_, function=function, args=args):
            parts = [compile_expression(builder, arg, columns) for arg in args]
            if function.python is not None:
                name = builder.python(function, type_)
                if expression.span is not None:
                    builder.places[name] = expression.span
                return f"{name}({', '.join(parts)})"
            return adjusted(function.name, type_, _call(function, type_, args, parts))
    raise AssertionError(f"no expression of a bound plan: {expression!r}")


def _call(
    function: Function, result: Type, args: Sequence[Expression], parts: Sequence[str]
) -> str:
    match function.name:
        case "case":
            return conditional(parts)
        case "neg":
            return negative(parts[0], result)
        case "abs":
            return absolute(parts[0], result)
        case "div":
            return quotient(parts[0], parts[1], args[0].type)
    return function.render(parts)


def all_of(*conditions: str) -> str:
    """The conjunction of conditions."""
    return " AND ".join(conditions) or "TRUE"
