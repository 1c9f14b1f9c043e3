"""Mark join: the three-valued truth of ANY, ALL, IN and EXISTS as a column."""

from __future__ import annotations

from dataclasses import dataclass

from continua.logical.mark_join import MarkJoin as LogicalMarkJoin
from continua.model.types import BOOLEAN
from continua.physical.expression import compile_expression, literal
from continua.physical.match_join import MatchJoin
from continua.physical.matching import Question
from continua.physical.script import Rel, Script


@dataclass(frozen=True, eq=False)
class MarkJoin(MatchJoin[LogicalMarkJoin]):
    """One truth decides: TRUE an ANY, FALSE an ALL; without it, one unknown leaves it unknown."""

    carries_out = (LogicalMarkJoin,)

    def question(self, script: Script) -> Question:
        condition = compile_expression(script, self.node.condition, self.pair)
        decided, otherwise = ("FALSE", "TRUE") if self.node.universal else ("TRUE", "FALSE")
        return Question(
            self.node.correlation,
            {"decisive": f"({condition}) IS {decided}", "unknown": f"({condition}) IS NULL"},
            f"CASE WHEN decisive > 0 THEN {decided} "
            f"WHEN unknown > 0 THEN {literal(None, BOOLEAN)} ELSE {otherwise} END",
            otherwise,
        )

    def output(self, script: Script, answered: Rel) -> Rel:
        return self.with_answer(script, answered, "answer")
