"""Coalesce: pieces to changes, and the canonical form that users see (design §2, §6).

Per tuple value only net changes of its multiplicity count, and a decrease closes the oldest open
interval. So the k-th opening of a value, in order of time, belongs to its k-th closing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from continua.physical.operator import Form, Operator, Outputs
from continua.physical.script import EMPTY, Rel, Script
from continua.physical.slab import Slab, time
from continua.physical.sweep_area import State, SweepArea

ENDING = SweepArea("ending", "end", "end < w₁", "end < w₁")
OPEN = SweepArea("open", "start", "equal tuple", "closed")


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

    def advance(self, script: Script, slab: Slab, inputs: Sequence[Rel], state: State) -> Outputs:
        """A piece that ends where the slab does may be continued: its end waits."""
        assert not self.identified, "canonical form is a matter of values"
        boundaries = self._boundaries(script, inputs[0])
        found = script.union("ends", ENDING.held(state), boundaries)
        due = script.where("due", found, f"at < {time(slab.end)}")
        later = script.where("later", found, f"at >= {time(slab.end)}")
        changes = script.union("changes", due, OPEN.held(state))
        if changes is EMPTY:
            return EMPTY, {}
        paired = self._paired(script, self._net(script, changes))
        outputs = [
            *self.same(),
            ("start", "IF(open, NULL, start)"),
            ("end", "end"),
        ]
        result = script.select("coalesced", paired, outputs, "NOT open OR end IS NOT NULL")
        stays = [*self.same(), ("at", "start"), ("n", "1L"), ("open", "TRUE")]
        still = script.select("still", paired, stays, "end IS NULL")
        return result, {
            name: rel
            for name, rel in ((ENDING.name, later), (OPEN.name, still))
            if rel is not EMPTY
        }

    def _boundaries(self, script: Script, pieces: Rel) -> Rel:
        """+1 where a piece starts and -1 where it ends, from one reading of the input."""
        if pieces is EMPTY:
            return EMPTY
        listed = "".join(f"{c}, " for c in self.values)
        text = (
            f"SELECT {listed}b.at, b.n, FALSE AS open FROM {pieces.name} LATERAL VIEW explode("
            "array(struct(start AS at, 1L AS n), struct(end AS at, -1L AS n))) AS b"
        )
        return script.define("boundaries", text, [*self.values, "at", "n", "open"], [pieces])

    def _net(self, script: Script, changes: Rel) -> Rel:
        """The net change at each boundary; what stood before the slab stays as it is.

        Openings before the slab carry their own time, so that the oldest is known.
        """
        by = ", ".join(self.values) or "1"
        listed = "".join(f"{c}, " for c in self.values)
        text = (
            f"SELECT {listed}at, n - coalesce(lag(n) OVER w, 0L) AS n, open FROM ("
            f"SELECT {listed}at, open, sum(n) OVER (PARTITION BY {by} ORDER BY at) AS n, "
            f"lead(at) OVER (PARTITION BY {by} ORDER BY at) AS next FROM {changes.name}) "
            f"WHERE next IS DISTINCT FROM at WINDOW w AS (PARTITION BY {by} ORDER BY at)"
        )
        return script.define("net", text, [*self.values, "at", "n", "open"], [changes])

    def _paired(self, script: Script, net: Rel) -> Rel:
        by = ", ".join(self.values) or "1"
        listed = "".join(f"{c}, " for c in self.values)
        numbered = script.define(
            "numbered",
            f"SELECT {listed}at, n, open, IF(n > 0, sum(greatest(n, 0L)) OVER w, "
            f"sum(greatest(-n, 0L)) OVER w) AS upto FROM {net.name} WHERE n <> 0 "
            f"WINDOW w AS (PARTITION BY {by} ORDER BY at)",
            [*self.values, "at", "n", "open", "upto"],
            [net],
        )
        text = (
            f"SELECT {listed}max(IF(n > 0, at, NULL)) AS start, max(IF(n < 0, at, NULL)) AS end, "
            f"bool_or(open) AS open FROM {numbered.name} "
            "LATERAL VIEW explode(sequence(upto - abs(n) + 1, upto)) AS number "
            f"GROUP BY {listed}number"
        )
        return script.define("paired", text, [*self.values, "start", "end", "open"], [numbered])
