"""What semi-, anti-, mark and scalar joins have in common: they ask about matches."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from continua.logical.node import Binary
from continua.physical.builder import Builder
from continua.physical.extent import Extent
from continua.physical.matching import Question, answered
from continua.physical.operator import NodeOperator, Outputs
from continua.physical.relation import Rel
from continua.physical.slab import Slab
from continua.physical.sweep_area import State, SweepArea
from continua.physical.theta_join import is_static, lasting_areas, sides, still_valid, whole
from continua.physical.time_buckets import Side

B = TypeVar("B", bound=Binary)


@dataclass(frozen=True, eq=False)
class MatchJoin(NodeOperator[B]):
    """The pieces of a slab: of what started in it, and of what still lasts from before.

    Where the right side is static, a left tuple is asked about once, for all its time.
    """

    @property
    def lasts(self) -> Extent:
        left, right = self.inputs
        whole = left.extent.uniform == 1 or is_static(self.node.right, right)
        return left.extent if whole else left.extent.cut

    @property
    def areas(self) -> tuple[SweepArea, ...]:
        return lasting_areas(self.node, self.inputs, asked=(0,))

    def advance(self, builder: Builder, slab: Slab, inputs: Sequence[Rel], state: State) -> Outputs:
        alive = whole(builder, *sides(self.node, self.inputs, inputs, state))
        scope = Slab() if alive[1].static else slab
        found = self.matched(builder, scope, *alive)
        return found, still_valid(builder, slab, self.areas, inputs, state)

    @abstractmethod
    def matched(self, builder: Builder, slab: Slab, left: Side, right: Side) -> Rel:
        """What the matches of the left tuples make of them."""


@dataclass(frozen=True, eq=False)
class ExtendingJoin(MatchJoin[B]):
    """A join that adds the answer to a question."""

    @abstractmethod
    def question(self, builder: Builder) -> Question: ...

    @property
    def answers(self) -> list[str]:
        """SQL over `answer`: the columns that it adds."""
        return ["answer"]

    def matched(self, builder: Builder, slab: Slab, left: Side, right: Side) -> Rel:
        found = answered(builder, slab, left, right, self.question(builder))
        given = len(self.values) - len(self.answers)
        added = zip(self.values[given:], self.answers, strict=True)
        rest = self.same(*self.columns[len(self.values) :])
        outputs = [*self.same(*self.values[:given]), *added, *rest]
        return builder.select("extended", found, outputs)
