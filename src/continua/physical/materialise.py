"""Materialise: changes to pieces, from the tuples that stand (design §6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from continua.physical.builder import Builder
from continua.physical.expression import all_of
from continua.physical.operator import Operator, Outputs
from continua.physical.relation import EMPTY, Rel
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

    def advance(self, builder: Builder, slab: Slab, inputs: Sequence[Rel], state: State) -> Outputs:
        (changes,) = inputs
        piece = Validity(START.otherwise(slab.since), END.otherwise(slab.until))
        touched = [*self.same(*self.carried), *piece.outputs]
        # What closes where the slab begins has had its last piece in the slab before.
        some = f"{START.known} OR {END.unknown} OR {END.after(slab.since)}"
        pieces = builder.select("pieces", changes, touched, some)
        stays = all_of(END.unknown, START.known)
        opened = builder.select("opened", changes, self.same(*self.carried), stays)
        before = STANDING.held(state)
        untouched = self._without_closed(builder, before, changes)
        lasting = [*self.same(*self.carried), *Validity(slab.since, slab.until).outputs]
        pieces = builder.union("pieces", pieces, builder.select("lasting", untouched, lasting))
        after = builder.union("standing", untouched, opened)
        return pieces, {} if after is EMPTY else {STANDING.name: after}

    def _without_closed(self, builder: Builder, standing: Rel, changes: Rel) -> Rel:
        """The standing tuples, less one for every closing of an equal one."""
        if standing is EMPTY or changes is EMPTY:
            return standing
        same = self.same(*self.carried)
        there = builder.select("there", standing, [*same, ("n", "1L")])
        closed = builder.select("closed", changes, [*same, ("n", "-1L")], START.unknown)
        both = builder.union("both", there, closed)
        left = builder.group("left", both, self.carried, [("n", "sum(n)")], "sum(n) > 0")
        return builder.exploded("untouched", left, "sequence(1L, n)", "copy", same)
