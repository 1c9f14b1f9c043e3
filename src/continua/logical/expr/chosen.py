"""An expression that several queries have, each with constants of its own."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from continua.logical.expr.nodes import ColumnRef, Expression, Literal
from continua.model.element import Values

TAG = "query"
"""The first column of tuples that belong to several queries: the name of theirs."""


@dataclass(frozen=True)
class Chosen(Expression):
    """The expression of the query that the first value of the tuple names.

    common: what the expressions have in common.
    """

    common: Expression = field(compare=False)
    choices: tuple[tuple[str, Expression], ...]

    @property
    def digested(self) -> tuple[object, ...]:
        """Without the choices: queries come and go, and the expression stays what it is."""
        return (self.common,)

    @property
    def operands(self) -> tuple[Expression, ...]:
        return tuple(expression for _, expression in self.choices)

    def rebuild(self, operands: tuple[Expression, ...]) -> Expression:
        tags = (tag for tag, _ in self.choices)
        return replace(self, choices=tuple(zip(tags, operands, strict=True)))

    def evaluate(self, row: Values) -> object:
        return dict(self.choices)[str(row[0])].evaluate(row)

    def __str__(self) -> str:
        return str(self.common)


def blank(expression: Expression) -> Expression:
    """The shape of an expression: in the place of every constant there is its type."""
    if isinstance(expression, Literal):
        return ColumnRef(expression.type, -1, f":{expression.type}")
    if not expression.operands:
        return expression
    return expression.rebuild(tuple(map(blank, expression.operands)))
