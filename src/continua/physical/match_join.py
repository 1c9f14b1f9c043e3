"""What semi-, anti-, mark and scalar joins have in common: they ask about matches."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from continua.physical.extent import Extent
from continua.physical.matching import Question, answered
from continua.physical.operator import N, NodeOperator, Outputs
from continua.physical.script import Rel, Script
from continua.physical.slab import Slab
from continua.physical.sweep_area import State, SweepArea
from continua.physical.theta_join import LEFT, RIGHT, kept, lasting_areas, side_of


@dataclass(frozen=True, eq=False)
class MatchJoin(NodeOperator[N]):
    """The pieces of a slab: of what started in it, and of what still lasts from before."""

    @property
    def extent(self) -> Extent:
        extent = self.inputs[0].extent
        return extent if extent.uniform == 1 else extent.cut

    @property
    def areas(self) -> tuple[SweepArea, ...]:
        left, right = self.inputs
        return lasting_areas(left, right)

    def advance(self, script: Script, slab: Slab, inputs: Sequence[Rel], state: State) -> Outputs:
        left, right = self.inputs
        found = answered(
            script,
            slab,
            side_of(left, LEFT.insert(script, state, inputs[0])),
            side_of(right, RIGHT.insert(script, state, inputs[1])),
            self.question(script),
        )
        return self.output(script, found), kept(script, slab, self.inputs, inputs, state)

    @abstractmethod
    def question(self, script: Script) -> Question:
        """What is asked about the matches of a left tuple."""

    @abstractmethod
    def output(self, script: Script, answered: Rel) -> Rel:
        """The elements that the answers make."""

    def with_answer(self, script: Script, answered: Rel, answer: str) -> Rel:
        """The left tuples with one more column."""
        *values, last = self.values
        rest = self.same(*self.columns[len(self.values) :])
        outputs = [*((c, c) for c in values), (last, answer), *rest]
        return script.select("extended", answered, outputs)

    @property
    def pair(self) -> list[str]:
        """The columns of a match: a left tuple and a right one."""
        left, right = self.inputs
        return [*(f"l.{c}" for c in left.values), *(f"r.{c}" for c in right.values)]
