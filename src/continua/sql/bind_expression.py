"""Binds scalar expressions: names to positions, functions to their table, types to types."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from datetime import timedelta
from decimal import Decimal

from sqlglot import exp

from continua.errors import ContinuaError, Source, Span, did_you_mean
from continua.logical.expr.cast import ValueProblem, castable
from continua.logical.expr.function import Function, TypeProblem
from continua.logical.expr.nodes import Call, Cast, Expression, Literal
from continua.logical.expr.operators import OPERATORS, fit_interval
from continua.logical.expr.refused import refused
from continua.model.types import (
    BIGINT,
    BOOLEAN,
    DOUBLE,
    INT,
    INTERVAL,
    MAX_PRECISION,
    NULL,
    STRING,
    Type,
    parse_type,
)
from continua.model.values import WIDE
from continua.sql.catalog import Catalog
from continua.sql.clauses import MICROS
from continua.sql.coercion import cast_hint, code_of, coerce, hint_of, read_literals
from continua.sql.places import span_of, unsupported
from continua.sql.scope import Scope
from continua.sql.tokens import DIALECT

BINARY: dict[type[exp.Expr], str] = {
    exp.Add: "+",
    exp.Sub: "-",
    exp.Mul: "*",
    exp.Div: "/",
    exp.IntDiv: "div",
    exp.Mod: "%",
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
    exp.NullSafeEQ: "<=>",
    exp.And: "and",
    exp.Or: "or",
    exp.Like: "like",
    exp.RegexpLike: "rlike",
}

Interceptor = Callable[[exp.Expr], Expression | None]


class ExpressionBinder:
    """Binds expressions in a scope.

    `intercept` is asked first for every node: the query binder uses it for subqueries and, after
    GROUP BY, for aggregates and grouping expressions.
    """

    def __init__(
        self, catalog: Catalog, source: Source, scope: Scope, intercept: Interceptor | None = None
    ) -> None:
        self.catalog = catalog
        self.source = source
        self.scope = scope
        self.intercept = intercept

    def span(self, node: exp.Expr) -> Span | None:
        return span_of(node, self.source)

    def bind(self, node: exp.Expr) -> Expression:
        if self.intercept is not None and (found := self.intercept(node)) is not None:
            return found
        for kind in type(node).__mro__:
            if kind in _BINDERS:
                return _BINDERS[kind](self, node)
        if type(node) in BINARY:
            found = self.call(OPERATORS[BINARY[type(node)]], [node.this, node.expression], node)
            negated = bool(node.args.get("negate"))  # NOT LIKE, NOT RLIKE
            return self.apply(OPERATORS["not"], [found], found.span) if negated else found
        raise unsupported("this in an expression", self.span(node))

    def condition(self, node: exp.Expr) -> Expression:
        """An expression that must be BOOLEAN."""
        bound = self.bind(node)
        if bound.type not in (BOOLEAN, NULL):
            raise ContinuaError(
                "TYPE_MISMATCH", f"a condition must be BOOLEAN, this is {bound.type}", bound.span
            )
        return bound

    def call(self, function: Function, args: Sequence[exp.Expr], node: exp.Expr) -> Expression:
        return self.apply(function, [self.bind(arg) for arg in args], self.span(node))

    def apply(self, function: Function, args: list[Expression], span: Span | None) -> Expression:
        """A function of bound arguments, each brought to the type it asks for."""
        args = read_literals(function, args)
        try:
            wanted, result = function.resolve([arg.type for arg in args])
            if function.refine is not None:
                result = function.refine((wanted, result), [_in_text(arg) for arg in args])
        except TypeProblem as problem:
            message, hint = str(problem), hint_of(problem)
            if function.template is None and function.name != "case":
                message = f"{function.name.upper()} {message}"
            else:
                hint = cast_hint(args)
            raise ContinuaError(code_of(problem), message, span, hint=hint) from None
        converted = tuple(coerce(arg, type_) for arg, type_ in zip(args, wanted, strict=True))
        return Call(result, function, converted, span=span)

    # One method per kind of node.

    def _column(self, node: exp.Column) -> Expression:
        if isinstance(node.this, exp.Star):
            raise ContinuaError("SYNTAX", "* stands for columns in SELECT only", self.span(node))
        return self.scope.resolve(node.name, node.table or None, self.span(node))

    def _identifier(self, node: exp.Identifier) -> Expression:
        return self.scope.resolve(node.name, None, self.span(node))

    def _literal(self, node: exp.Literal) -> Expression:
        span = self.span(node)
        if node.is_string:
            return Literal(STRING, node.this, span=span)
        text = str(node.this)
        if sum(c.isdigit() for c in text) > MAX_PRECISION and "e" not in text.lower():
            message = f"a number has at most {MAX_PRECISION} digits"
            raise ContinuaError("TYPE_MISMATCH", message, span)
        if "e" in text.lower():
            if math.isinf(float(text)):
                raise ContinuaError("TYPE_MISMATCH", f"{text} is out of range", span)
            return Literal(DOUBLE, float(text), span=span)
        if "." in text:
            value = Decimal(text)
            digits, scale = len(value.as_tuple().digits), -int(value.as_tuple().exponent)
            return Literal(Type("DECIMAL", max(digits, scale), scale), value, span=span)
        whole = int(text)
        if whole < 1 << 63:
            return Literal(INT if whole < 1 << 31 else BIGINT, whole, span=span)
        return Literal(Type("DECIMAL", len(text), 0), Decimal(whole), span=span)

    def _null(self, node: exp.Null) -> Expression:
        return Literal(NULL, None, span=self.span(node))

    def _boolean(self, node: exp.Boolean) -> Expression:
        return Literal(BOOLEAN, bool(node.this), span=self.span(node))

    def _paren(self, node: exp.Paren) -> Expression:
        return self.bind(node.this)

    def _negative(self, node: exp.Neg) -> Expression:
        return self.call(OPERATORS["neg"], [node.this], node)

    def _not(self, node: exp.Not) -> Expression:
        return self.call(OPERATORS["not"], [node.this], node)

    def _is(self, node: exp.Is) -> Expression:
        test = node.expression
        negated = isinstance(test, exp.Not)
        test = test.this if negated else test
        if isinstance(test, exp.Null):
            name = "is null"
        elif isinstance(test, exp.Boolean):
            name = "is true" if test.this else "is false"
        else:
            raise unsupported("this IS test", self.span(node))
        found = self.call(OPERATORS[name], [node.this], node)
        return self.apply(OPERATORS["not"], [found], found.span) if negated else found

    def _distinct_from(self, node: exp.NullSafeNEQ) -> Expression:
        same = self.call(OPERATORS["<=>"], [node.this, node.expression], node)
        return self.apply(OPERATORS["not"], [same], same.span)

    def _between(self, node: exp.Between) -> Expression:
        value, low, high = (self.bind(node.args[key]) for key in ("this", "low", "high"))
        span = self.span(node)
        above = self.apply(OPERATORS[">="], [value, low], span)
        below = self.apply(OPERATORS["<="], [value, high], span)
        return self.apply(OPERATORS["and"], [above, below], span)

    def _in(self, node: exp.In) -> Expression:
        value, span = self.bind(node.this), self.span(node)
        equals = [
            self.apply(OPERATORS["="], [value, self.bind(candidate)], span)
            for candidate in node.expressions
        ]
        if not equals:
            raise ContinuaError("SYNTAX", "IN needs a list or a subquery", span)
        return equals[0] if len(equals) == 1 else self.apply(OPERATORS["or"], equals, span)

    def _connected(self, node: exp.And | exp.Or) -> Expression:
        """A chain of ANDs or ORs as one call, however long it is."""
        return self.call(OPERATORS[BINARY[type(node)]], _chained(node), node)

    def _case(self, node: exp.Case) -> Expression:
        args: list[Expression] = []
        operand = self.bind(node.this) if node.this else None
        for branch in node.args["ifs"]:
            test = self.bind(branch.this)
            if operand is not None:
                test = self.apply(OPERATORS["="], [operand, test], test.span)
            args += [test, self.bind(branch.args["true"])]
        default = node.args.get("default")
        args.append(self.bind(default) if default else Literal(NULL, None))
        return self.apply(OPERATORS["case"], args, self.span(node))

    def _cast(self, node: exp.Cast) -> Expression:
        operand = self.bind(node.this)
        name = node.to.sql(DIALECT)
        target = parse_type(name)
        if target is None:
            raise unsupported(f"the type {name}", self.span(node))
        if not castable(operand.type, target):
            message = f"{operand.type} cannot be cast to {target}"
            raise ContinuaError("TYPE_MISMATCH", message, self.span(node))
        return Cast(target, operand, isinstance(node, exp.TryCast), span=self.span(node))

    def _concat(self, node: exp.DPipe) -> Expression:
        concat = self.catalog.function("concat")
        assert concat is not None
        return self.call(concat, _chained(node), node)

    def _extract(self, node: exp.Extract) -> Expression:
        unit = node.this.name.lower()
        function = self.catalog.function(unit)
        if function is None or unit not in _FIELDS:
            hint = f"the fields are {', '.join(_FIELDS)}"
            raise unsupported(f"EXTRACT of {unit}", self.span(node), hint)
        return self.call(function, [node.expression], node)

    def _interval(self, node: exp.Interval) -> Expression:
        span = self.span(node)
        unit = node.args.get("unit")
        text = str(node.this.name if node.this else "")
        name = (unit.name if isinstance(unit, exp.Var) else "").upper().removesuffix("S")
        if name not in MICROS:
            hint = "DAYS, HOURS, MINUTES, SECONDS and smaller; months have no fixed length"
            raise unsupported("an interval of this unit", span, hint)
        try:
            micros = WIDE.multiply(Decimal(text), Decimal(MICROS[name]))
            length = fit_interval(timedelta(microseconds=int(micros)))
        except (ValueError, ArithmeticError, ValueProblem):
            raise ContinuaError("SYNTAX", f"{text!r} is no length of time", span) from None
        return Literal(INTERVAL, length, span=span)

    def _function(self, node: exp.Anonymous) -> Expression:
        name, span = str(node.this), self.span(node)
        function = self.catalog.function(name)
        if function is not None:
            return self.call(function, node.expressions, node)
        if self.catalog.aggregate(name) is not None:
            raise ContinuaError(
                "AGGREGATE_MISUSE",
                f"the aggregate {name} cannot stand here",
                span,
                hint="aggregates stand in SELECT, HAVING and ORDER BY; WHERE comes before them",
            )
        if name.upper() in _CLOCK:
            return self._clock(node)
        if name.upper() in NOW:
            where = "it stands in SELECT, WHERE, GROUP BY and HAVING"
            raise unsupported(f"{name}() here", span, f"{where}; a condition of ON fits into WHERE")
        if (problem := refused(name)) is not None:
            raise ContinuaError("UNSUPPORTED", f"{name} {problem}", span, hint=problem.hint)
        foreign = self.catalog.foreign(name)
        if foreign is not None:
            return self.call(foreign, node.expressions, node)
        names = [name for name, _ in self.catalog.function_names()]
        hint = did_you_mean(name.lower(), names, self.catalog.more_functions)
        raise ContinuaError("UNKNOWN_FUNCTION", f"there is no function {name}", span, hint=hint)

    def _tuple(self, node: exp.Tuple) -> Expression:
        hint = "compare its parts one by one, and connect them by AND"
        raise unsupported("a row in an expression", self.span(node), hint)

    def _filter(self, node: exp.Filter) -> Expression:
        self.bind(node.this)  # which says that an aggregate cannot stand here, if it is one
        raise unsupported("FILTER after something that is no aggregate", self.span(node))

    def _window(self, node: exp.Window) -> Expression:
        hint = "a window after the stream in FROM does this: ROWS n, PARTITION BY … ROWS n, RANGE"
        raise unsupported("OVER", self.span(node), hint)

    def _clock(self, node: exp.Expr) -> Expression:
        raise unsupported(
            "the time of the clock", self.span(node), "NOW() is the time of the instant"
        )


def _in_text(arg: Expression) -> object:
    """The value of an argument that the text gives, which may be a negative number."""
    if isinstance(arg, Call) and arg.function is OPERATORS["neg"]:
        return arg.evaluate(()) if isinstance(arg.args[0], Literal) else None
    return arg.value if isinstance(arg, Literal) else None


def _chained(node: exp.Expr) -> list[exp.Expr]:
    """The operands of an operator that stands between several, as in `a || b || c`."""
    parts: list[exp.Expr] = []
    rest = node
    while type(rest) is type(node):
        parts.append(rest.expression)
        rest = rest.this
    return [rest, *reversed(parts)]


_FIELDS = ("year", "quarter", "month", "day", "hour", "minute", "second")
_CLOCK = ("CURRENT_DATE", "CURRENT_TIME", "LOCALTIMESTAMP")
NOW = ("NOW", "CURRENT_TIMESTAMP")
"""What the time of the instant is called."""

_BINDERS: dict[type[exp.Expr], Callable[..., Expression]] = {
    exp.Column: ExpressionBinder._column,
    exp.Identifier: ExpressionBinder._identifier,
    exp.Literal: ExpressionBinder._literal,
    exp.Null: ExpressionBinder._null,
    exp.Boolean: ExpressionBinder._boolean,
    exp.Paren: ExpressionBinder._paren,
    exp.Neg: ExpressionBinder._negative,
    exp.Not: ExpressionBinder._not,
    exp.Is: ExpressionBinder._is,
    exp.NullSafeNEQ: ExpressionBinder._distinct_from,
    exp.And: ExpressionBinder._connected,
    exp.Or: ExpressionBinder._connected,
    exp.Between: ExpressionBinder._between,
    exp.In: ExpressionBinder._in,
    exp.Case: ExpressionBinder._case,
    exp.Cast: ExpressionBinder._cast,
    exp.DPipe: ExpressionBinder._concat,
    exp.Extract: ExpressionBinder._extract,
    exp.Filter: ExpressionBinder._filter,
    exp.Interval: ExpressionBinder._interval,
    exp.Anonymous: ExpressionBinder._function,
    exp.Tuple: ExpressionBinder._tuple,
    exp.Window: ExpressionBinder._window,
}
