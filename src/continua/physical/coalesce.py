"""Coalesce: pieces to changes, and the canonical form that users see (design §2, §6).

Per tuple value only net changes of its multiplicity count, and a decrease closes the oldest open
interval.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from continua.physical.boundaries import AT, boundaries
from continua.physical.builder import Builder
from continua.physical.operator import Form, Operator, Outputs
from continua.physical.pairing import levels, paired
from continua.physical.relation import EMPTY, Rel
from continua.physical.slab import Slab
from continua.physical.sweep_area import State, SweepArea
from continua.physical.validity import END, OWN, START, Validity

ENDING = SweepArea("ending", END, "end < w₁", "end < w₁")
OPEN = SweepArea("open", START, "equal tuple", "closed")


@dataclass(frozen=True, eq=False)
class Coalesce(Operator):
    """The net openings and closings of a slab; needs pieces."""

    @property
    def label(self) -> str:
        return "coalesce"

    @property
    def form(self) -> Form:
        return Form.CHANGES

    @property
    def areas(self) -> tuple[SweepArea, ...]:
        return ENDING, OPEN

    def advance(self, builder: Builder, slab: Slab, inputs: Sequence[Rel], state: State) -> Outputs:
        """The end of a piece at the end of the slab waits: another piece may continue it."""
        assert not self.identified, "canonical form is a matter of values"
        found = builder.union("ends", ENDING.held(state), self._boundaries(builder, inputs[0]))
        due = builder.where("due", found, AT.before(slab.until))
        later = builder.where("later", found, AT.not_before(slab.until))
        changes = builder.union("changes", due, OPEN.held(state))
        if changes is EMPTY:
            return EMPTY, {}
        pairs = paired(builder, self.values, self._levels(builder, changes))
        opened = Validity(START.unless("open"), END)
        outputs = [*self.same(*self.carried), *opened.outputs]
        result = builder.select("coalesced", pairs, outputs, f"NOT open OR {END.known}")
        stays = [*self.same(*self.carried), (AT, START), ("n", "1L"), ("open", "TRUE")]
        still = builder.select("still", pairs, stays, END.unknown)
        return result, {
            name: rel
            for name, rel in ((ENDING.name, later), (OPEN.name, still))
            if rel is not EMPTY
        }

    def _boundaries(self, builder: Builder, pieces: Rel) -> Rel:
        """+1 where a piece starts and -1 where it ends, from one reading of the input."""
        ends = {AT: OWN, "n": ("1L", "-1L")}
        passed, after = self.same(*self.values), [("open", "FALSE")]
        return boundaries(builder, pieces, passed, ends, after=after)

    def _levels(self, builder: Builder, changes: Rel) -> Rel:
        """The multiplicity from each boundary on.

        Openings before the slab carry their own time, so that the oldest is known.
        """
        return levels(builder, self.values, changes, ["open"])
