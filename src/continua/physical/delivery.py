"""What sinks are given, from the result of a slab: net changes, inserted rows, closed intervals.

Per tuple value only net changes of its multiplicity count (design §2). All that happens at one
time happens in one slab, so what cancels out does so inside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from continua.physical.coalesce import ENDING
from continua.physical.operator import Form, Operator, Outputs
from continua.physical.pairing import paired
from continua.physical.script import EMPTY, Rel, Script
from continua.physical.slab import BEGINNING, FOREVER, Slab, time
from continua.physical.sweep_area import State, SweepArea, grown

OPEN = SweepArea("open", "start", "equal tuple", "closed")


@dataclass(frozen=True, eq=False)
class Delivery(Operator):
    """The end of a plan: takes changes or pieces, and gives rows as a sink has asked for them."""

    @property
    def areas(self) -> tuple[SweepArea, ...]:
        return () if self.inputs[0].form is Form.CHANGES else (ENDING,)

    def counted(
        self, script: Script, slab: Slab, stream: Rel, state: State
    ) -> tuple[Rel, dict[str, Rel]]:
        """By how much (`n`) the multiplicity of a tuple changes at a time (`at`), and the ends
        that are not yet final: what ends where the slab does may be continued."""
        found = self._boundaries(script, stream)
        kept: dict[str, Rel] = {}
        if self.inputs[0].net:
            return found, kept
        if self.inputs[0].form is Form.PIECES:
            new, found = found, script.union("ends", ENDING.held(state), found)
            later = grown(script, found, new, "at", slab.end)
            if later is not EMPTY and not slab.endless:
                kept[ENDING.name] = later
            found = script.where("due", found, f"at < {time(slab.end)}")
        if found is EMPTY:
            return EMPTY, kept
        listed = "".join(f"{c}, " for c in self.values)
        text = (
            f"SELECT {listed}at, sum(n) AS n FROM {found.name} "
            f"GROUP BY {listed}at HAVING sum(n) <> 0"
        )
        return script.define("net", text, [*self.values, "at", "n"], [found]), kept

    def _boundaries(self, script: Script, stream: Rel) -> Rel:
        if stream is EMPTY:
            return EMPTY
        listed = "".join(f"{c}, " for c in self.values)
        text = (
            f"SELECT {listed}b.at, b.n FROM {stream.name} LATERAL VIEW explode(array("
            "struct(start AS at, 1L AS n), struct(end AS at, -1L AS n))) AS b "
            "WHERE b.at IS NOT NULL"
        )
        return script.define("boundaries", text, [*self.values, "at", "n"], [stream])


@dataclass(frozen=True, eq=False)
class Changes(Delivery):
    """`+` when a tuple becomes valid, `-` when it ceases to be."""

    @property
    def label(self) -> str:
        return "deliver changes"

    @property
    def columns(self) -> tuple[str, ...]:
        return (*self.values, "change", "at")

    def advance(self, script: Script, slab: Slab, inputs: Sequence[Rel], state: State) -> Outputs:
        net, kept = self.counted(script, slab, inputs[0], state)
        if net is EMPTY:
            return EMPTY, kept
        listed = "".join(f"{c}, " for c in self.values)
        text = (
            f"SELECT {listed}IF(n > 0, '+', '-') AS change, at FROM {net.name} "
            "LATERAL VIEW explode(sequence(1L, abs(n))) AS copy"
        )
        return script.define("delivered", text, self.columns, [net]), kept


@dataclass(frozen=True, eq=False)
class Inserts(Delivery):
    """Tuples that become valid; what is valid from the beginning is no insertion."""

    @property
    def label(self) -> str:
        return "deliver inserts"

    @property
    def columns(self) -> tuple[str, ...]:
        return (*self.values, "at")

    def advance(self, script: Script, slab: Slab, inputs: Sequence[Rel], state: State) -> Outputs:
        net, kept = self.counted(script, slab, inputs[0], state)
        if net is EMPTY:
            return EMPTY, kept
        listed = "".join(f"{c}, " for c in self.values)
        text = (
            f"SELECT {listed}at FROM {net.name} LATERAL VIEW explode(sequence(1L, n)) AS copy "
            f"WHERE n > 0 AND at > {time(BEGINNING)}"
        )
        return script.define("delivered", text, self.columns, [net]), kept


@dataclass(frozen=True, eq=False)
class Intervals(Delivery):
    """Tuples with their validity, when they have closed; at the end of time all have."""

    @property
    def label(self) -> str:
        return "deliver intervals"

    @property
    def areas(self) -> tuple[SweepArea, ...]:
        return (*super().areas, OPEN)

    def advance(self, script: Script, slab: Slab, inputs: Sequence[Rel], state: State) -> Outputs:
        stream, held = inputs[0], OPEN.held(state)
        passing: Rel = EMPTY
        if self.inputs[0].net:
            # What opens and closes in the slab is an interval already.
            whole = "start IS NOT NULL AND end IS NOT NULL"
            passing = script.where("passing", stream, whole)
            stream = script.where("others", stream, f"NOT ({whole})")
        net, kept = self.counted(script, slab, stream, state)
        touched, untouched = self._split(script, held, net)
        boundaries = script.union("boundaries", net, touched)
        stands = untouched
        closed: Rel = EMPTY
        if boundaries is not EMPTY:
            pairs = paired(script, self.values, self._levels(script, boundaries))
            outputs = self.same(*self.values, "start", "end")
            found = script.select("closed", pairs, outputs, "end IS NOT NULL")
            closed = script.union("closed", passing, found)
            still = [*self.same(*self.values), ("at", "start"), ("n", "1L")]
            opened = script.select("opened", pairs, still, "end IS NULL")
            stands = script.union("stands", untouched, opened)
        if not slab.endless:
            return closed, kept if stands is EMPTY else {**kept, OPEN.name: stands}
        ever = [*self.same(*self.values), ("start", "at"), ("end", time(FOREVER))]
        return script.union("closed", closed, script.select("ever", stands, ever)), kept

    def _split(self, script: Script, held: Rel, net: Rel) -> tuple[Rel, Rel]:
        """What is open, apart by whether its value changes in the slab."""
        if held is EMPTY or net is EMPTY:
            return EMPTY, held
        equal = " AND ".join(f"o.{c} <=> n.{c}" for c in self.values) or "TRUE"
        columns = [*self.values, "at", "n"]

        def kept(kind: str) -> Rel:
            listed = ", ".join(f"o.{c}" for c in columns)
            text = f"SELECT {listed} FROM {held.name} o LEFT {kind} JOIN {net.name} n ON {equal}"
            return script.define(kind.lower(), text, columns, [held, net])

        return kept("SEMI"), kept("ANTI")

    def _levels(self, script: Script, boundaries: Rel) -> Rel:
        """The multiplicity from each boundary on."""
        by, listed = ", ".join(self.values) or "1", "".join(f"{c}, " for c in self.values)
        text = (
            f"SELECT {listed}at, n, FALSE AS open FROM ("
            f"SELECT {listed}at, sum(n) OVER (PARTITION BY {by} ORDER BY at) AS n, "
            f"lead(at) OVER (PARTITION BY {by} ORDER BY at) AS next FROM {boundaries.name}) "
            "WHERE next IS DISTINCT FROM at"
        )
        return script.define("levels", text, [*self.values, "at", "n", "open"], [boundaries])


@dataclass(frozen=True, eq=False)
class Elements(Operator):
    """The elements of a chronon stream, one by one: they are neither counted nor sorted.

    Each ends in the slab in which it starts. delivery: INSERTS, or INTERVALS with their ends.
    """

    delivery: str

    @property
    def label(self) -> str:
        return "deliver elements"

    @property
    def columns(self) -> tuple[str, ...]:
        times = ("at",) if self.delivery == "INSERTS" else ("start", "end")
        return (*self.values, *times)

    def advance(self, script: Script, slab: Slab, inputs: Sequence[Rel], state: State) -> Outputs:
        outputs = [(name, "start" if name == "at" else name) for name in self.columns]
        return script.select("delivered", inputs[0], outputs), {}


DELIVERIES: dict[str, type[Delivery]] = {
    "CHANGES": Changes,
    "INSERTS": Inserts,
    "INTERVALS": Intervals,
}
