"""Mark join: the three-valued truth of ANY, ALL, IN and EXISTS as a column."""

from __future__ import annotations

from dataclasses import dataclass

from continua.logical.expr.nodes import TRUE, call
from continua.logical.expr.operators import OPERATORS
from continua.logical.mark_join import MarkJoin as LogicalMarkJoin
from continua.model.types import BOOLEAN
from continua.physical.builder import Builder
from continua.physical.expression import compile_expression, literal
from continua.physical.match_join import ExtendingJoin
from continua.physical.matching import Question


@dataclass(frozen=True, eq=False)
class MarkJoin(ExtendingJoin[LogicalMarkJoin]):
    """ANY is TRUE if one pair is TRUE, ALL is FALSE if one is FALSE. Else one NULL makes it NULL.

    So pairs that are FALSE for ANY, or TRUE for ALL, need not be found.
    """

    carries_out = (LogicalMarkJoin,)

    def question(self, builder: Builder) -> Question:
        left, right = self.inputs
        pair = [*(f"l.{c}" for c in left.values), *(f"r.{c}" for c in right.values)]
        predicate, condition = self.node.correlation, self.node.condition
        decided, otherwise = ("FALSE", "TRUE") if self.node.universal else ("TRUE", "FALSE")
        if condition != TRUE:
            idle = call(OPERATORS[f"is {otherwise.lower()}"], condition)
            predicate = call(OPERATORS["and"], predicate, call(OPERATORS["not"], idle))
        truth = compile_expression(builder, condition, pair)
        return Question(
            predicate,
            {"decisive": f"({truth}) IS {decided}", "unknown": f"({truth}) IS NULL"},
            f"CASE WHEN decisive > 0 THEN {decided} "
            f"WHEN unknown > 0 THEN {literal(None, BOOLEAN)} ELSE {otherwise} END",
            otherwise,
        )
