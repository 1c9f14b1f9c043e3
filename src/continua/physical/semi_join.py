"""Semi-join and anti-join: the left tuples that have, or have not, a match (TODS §5.3)."""

from __future__ import annotations

from dataclasses import dataclass

from continua.logical.anti_join import AntiJoin as LogicalAntiJoin
from continua.logical.semi_join import SemiJoin as LogicalSemiJoin
from continua.physical.match_join import MatchJoin
from continua.physical.matching import Question, exists
from continua.physical.script import Rel, Script


@dataclass(frozen=True, eq=False)
class SemiJoin(MatchJoin[LogicalSemiJoin | LogicalAntiJoin]):
    carries_out = (LogicalSemiJoin, LogicalAntiJoin)

    def question(self, script: Script) -> Question:
        return exists(self.node.predicate)

    def output(self, script: Script, answered: Rel) -> Rel:
        wanted = "answer" if isinstance(self.node, LogicalSemiJoin) else "NOT answer"
        return script.select("chosen", answered, self.same(*self.columns), wanted)
