"""Materialise: changes to pieces, from the tuples that stand (design §6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from continua.physical.operator import Operator, Outputs
from continua.physical.relation import EMPTY, Rel
from continua.physical.script import Script
from continua.physical.slab import Slab, time
from continua.physical.sweep_area import State, SweepArea

STANDING = SweepArea("standing", "start", "equal tuple", "closed")


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
        touched = [
            *self.same(*self.carried),
            ("start", f"coalesce(start, {time(slab.start)})"),
            ("end", f"coalesce(end, {time(slab.end)})"),
        ]
        # What closes where the slab begins has had its last piece in the slab before.
        some = f"start IS NOT NULL OR end IS NULL OR end > {time(slab.start)}"
        pieces = script.select("pieces", changes, touched, some)
        opened = script.select(
            "opened", changes, self.same(*self.carried), "end IS NULL AND start IS NOT NULL"
        )
        before = STANDING.held(state)
        untouched = self._without_closed(script, before, changes)
        lasting = [*self.same(*self.carried), ("start", time(slab.start)), ("end", time(slab.end))]
        pieces = script.union("pieces", pieces, script.select("lasting", untouched, lasting))
        after = script.union("standing", untouched, opened)
        return pieces, {} if after is EMPTY else {STANDING.name: after}

    def _without_closed(self, script: Script, standing: Rel, changes: Rel) -> Rel:
        """The standing tuples, less one for every closing of an equal one."""
        if standing is EMPTY or changes is EMPTY:
            return standing
        same = self.same(*self.carried)
        there = script.select("there", standing, [*same, ("n", "1L")])
        closed = script.select("closed", changes, [*same, ("n", "-1L")], "start IS NULL")
        both = script.union("both", there, closed)
        left = script.group("left", both, self.carried, [("n", "sum(n)")], "sum(n) > 0")
        return script.exploded("untouched", left, "sequence(1L, n)", "copy", same)
