"""Materialise: changes to pieces, from the tuples that stand (design §6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from continua.physical.expression import all_of
from continua.physical.operator import Operator, Outputs
from continua.physical.relation import EMPTY, Rel
from continua.physical.script import Script
from continua.physical.slab import Slab
from continua.physical.sweep_area import State, SweepArea
from continua.physical.validity import END, START, Validity

STANDING = SweepArea("standing", START, "equal tuple", "closed")


@dataclass(frozen=True, eq=False)
class Materialise(Operator):
    """What stands when the slab begins lasts from its beginning, what stays to its end."""

    @property
    def label(self) -> str:
        return "materialise"

    @property
    def areas(self) -> tuple[SweepArea, ...]:
        return (STANDING,)

    def advance(self, script: Script, slab: Slab, inputs: Sequence[Rel], state: State) -> Outputs:
        (changes,) = inputs
        piece = Validity(START.otherwise(slab.since), END.otherwise(slab.until))
        touched = [*self.same(*self.carried), *piece.outputs]
        # What closes where the slab begins has had its last piece in the slab before.
        some = f"{START.known} OR {END.unknown} OR {END.after(slab.since)}"
        pieces = script.select("pieces", changes, touched, some)
        stays = all_of(END.unknown, START.known)
        opened = script.select("opened", changes, self.same(*self.carried), stays)
        before = STANDING.held(state)
        untouched = self._without_closed(script, before, changes)
        lasting = [*self.same(*self.carried), *Validity(slab.since, slab.until).outputs]
        pieces = script.union("pieces", pieces, script.select("lasting", untouched, lasting))
        after = script.union("standing", untouched, opened)
        return pieces, {} if after is EMPTY else {STANDING.name: after}

    def _without_closed(self, script: Script, standing: Rel, changes: Rel) -> Rel:
        """The standing tuples, less one for every closing of an equal one."""
        if standing is EMPTY or changes is EMPTY:
            return standing
        same = self.same(*self.carried)
        there = script.select("there", standing, [*same, ("n", "1L")])
        closed = script.select("closed", changes, [*same, ("n", "-1L")], START.unknown)
        both = script.union("both", there, closed)
        left = script.group("left", both, self.carried, [("n", "sum(n)")], "sum(n) > 0")
        return script.exploded("untouched", left, "sequence(1L, n)", "copy", same)
