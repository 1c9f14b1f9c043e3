"""Materialise: changes to pieces, from the tuples that stand (design §6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from continua.physical.operator import Operator, Outputs
from continua.physical.script import EMPTY, Rel, Script
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
        columns = ", ".join(self.carried)
        listed = f"{columns}, " if columns else ""
        closed = script.select("closed", changes, self.same(*self.carried), "start IS NULL")
        text = (
            f"SELECT {columns or '1 AS one'} FROM (SELECT {listed}sum(n) AS n FROM "
            f"(SELECT {listed}1L AS n FROM {standing.name} UNION ALL "
            f"SELECT {listed}-1L AS n FROM {closed.name}) GROUP BY {columns or '()'}) "
            "LATERAL VIEW explode(sequence(1L, n)) AS copy WHERE n > 0"
        )
        return script.define("untouched", text, self.carried, [standing, closed])
