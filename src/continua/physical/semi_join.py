"""Semi-join and anti-join: the left tuples that have, or have not, a match (TODS §5.3)."""

from __future__ import annotations

from dataclasses import dataclass

from continua.logical.anti_join import AntiJoin as LogicalAntiJoin
from continua.logical.semi_join import SemiJoin as LogicalSemiJoin
from continua.physical.builder import Builder
from continua.physical.match_join import MatchJoin
from continua.physical.matching import chosen
from continua.physical.relation import Rel
from continua.physical.slab import Slab
from continua.physical.time_buckets import Side


@dataclass(frozen=True, eq=False)
class SemiJoin(MatchJoin[LogicalSemiJoin | LogicalAntiJoin]):
    carries_out = (LogicalSemiJoin, LogicalAntiJoin)

    def matched(self, builder: Builder, slab: Slab, left: Side, right: Side) -> Rel:
        wanted = isinstance(self.node, LogicalSemiJoin)
        return chosen(builder, slab, left, right, self.node.predicate, wanted)
