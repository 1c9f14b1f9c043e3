"""Expressions over a tuple, bound to positions and typed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime

from continua.errors import ContinuaError, Span
from continua.logical.expr.cast import ValueProblem, convert
from continua.logical.expr.function import Function
from continua.model.element import Values
from continua.model.types import BOOLEAN, STRING, Type


@dataclass(frozen=True)
class Expression(ABC):
    """A function of a tuple. The place in the text is for messages and no part of equality."""

    span: Span | None = field(default=None, compare=False, repr=False, kw_only=True)
    type: Type

    @abstractmethod
    def evaluate(self, row: Values) -> object:
        """The value for a tuple; None is NULL."""

    @property
    def operands(self) -> tuple[Expression, ...]:
        return ()

    def rebuild(self, operands: tuple[Expression, ...]) -> Expression:
        """The same expression over other operands."""
        assert not operands
        return self

    def walk(self) -> Iterator[Expression]:
        yield self
        for operand in self.operands:
            yield from operand.walk()


@dataclass(frozen=True)
class Literal(Expression):
    value: object

    def evaluate(self, row: Values) -> object:
        return self.value

    def __str__(self) -> str:
        if self.value is None:
            return "NULL"
        if self.type == STRING:
            return "'" + str(self.value).replace("'", "''") + "'"
        if isinstance(self.value, datetime):
            return f"TIMESTAMP '{self.value}'"
        return str(self.value).upper() if isinstance(self.value, bool) else str(self.value)


@dataclass(frozen=True)
class ColumnRef(Expression):
    """The column at a position of the input tuple."""

    index: int
    name: str = field(compare=False)

    def evaluate(self, row: Values) -> object:
        return row[self.index]

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Cast(Expression):
    """CAST; with `safe` (TRY_CAST) a value that does not convert becomes NULL."""

    operand: Expression
    safe: bool = False

    @property
    def operands(self) -> tuple[Expression, ...]:
        return (self.operand,)

    def rebuild(self, operands: tuple[Expression, ...]) -> Expression:
        return replace(self, operand=operands[0])

    def evaluate(self, row: Values) -> object:
        try:
            return convert(self.operand.evaluate(row), self.operand.type, self.type)
        except ValueProblem as problem:
            if self.safe:
                return None
            hint = problem.hint or "TRY_CAST gives NULL instead"
            raise ContinuaError("EVALUATION", str(problem), self.span, hint=hint) from None

    def __str__(self) -> str:
        return f"{'TRY_CAST' if self.safe else 'CAST'}({self.operand} AS {self.type})"


@dataclass(frozen=True)
class Call(Expression):
    """A function applied to operands of the types it asked for."""

    function: Function
    args: tuple[Expression, ...]

    @property
    def operands(self) -> tuple[Expression, ...]:
        return self.args

    def rebuild(self, operands: tuple[Expression, ...]) -> Expression:
        return replace(self, args=operands)

    def evaluate(self, row: Values) -> object:
        try:
            if self.function.lazy is not None:
                return self.function.lazy(*(_later(arg, row) for arg in self.args))
            values = [arg.evaluate(row) for arg in self.args]
            if self.function.strict and any(value is None for value in values):
                return None
            return self.function.apply(self.type, *values)
        except ContinuaError as error:
            raise error.at(self.span) from None
        except ValueProblem as problem:
            raise ContinuaError("EVALUATION", str(problem), self.span, hint=problem.hint) from None
        except (ValueError, ArithmeticError):
            raise ContinuaError("EVALUATION", f"{self} is out of range", self.span) from None

    def __str__(self) -> str:
        return self.function.render([str(arg) for arg in self.args])


def _later(expression: Expression, row: Values) -> Callable[[], object]:
    return lambda: expression.evaluate(row)


@dataclass(frozen=True)
class OuterRef(Expression):
    """A column of the query around a subquery; the binder makes it part of a join predicate."""

    index: int
    name: str = field(compare=False)

    def evaluate(self, row: Values) -> object:
        raise AssertionError("an outer reference is resolved by the binder")

    def __str__(self) -> str:
        return self.name


def map_columns(expression: Expression, change: Callable[[ColumnRef], Expression]) -> Expression:
    """The expression with every column reference replaced."""
    if isinstance(expression, ColumnRef):
        return change(expression)
    if not expression.operands:
        return expression
    return expression.rebuild(tuple(map_columns(o, change) for o in expression.operands))


def call(function: Function, *args: Expression, type_: Type = BOOLEAN) -> Call:
    """A call whose arguments already have the types the function wants."""
    return Call(type_, function, args, span=args[0].span if args else None)


TRUE = Literal(BOOLEAN, True)


def columns_of(expression: Expression) -> set[int]:
    """The positions an expression reads."""
    return {e.index for e in expression.walk() if isinstance(e, ColumnRef)}
