"""SweepAreas: what an operator keeps from one slab to the next (TODS §7.2, Table V).

The paper's SweepArea is a collection with an order and two predicates. Here it is a relation, and
its operations are set operations: insert is a union, query a join, extract and purge filters.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from continua.physical.script import EMPTY, Rel, Script
from continua.physical.slab import Slab, time

State = Mapping[str, Rel]
"""The content of an operator's SweepAreas by name; one that is missing is empty."""


@dataclass(frozen=True)
class SweepArea:
    """The three parameters of a SweepArea, for the operator that keeps it and for EXPLAIN.

    order: by what it is extracted.
    query: which of its elements belong to an incoming one.
    remove: which elements are no longer needed once progress has reached w₁.
    """

    name: str
    order: str
    query: str
    remove: str = "end <= w₁"

    def held(self, state: State) -> Rel:
        return state.get(self.name, EMPTY)

    def insert(self, script: Script, state: State, new: Rel) -> Rel:
        """Its content together with what has come."""
        return script.union(f"{self.name}_all", self.held(state), new)

    def purge(self, script: Script, slab: Slab, rel: Rel, new: Rel | None = None) -> State:
        """Its content for the next slab, without what can no longer be needed.

        `new` is what has been inserted in the slab, if nothing else has changed.
        """
        if slab.endless:
            return {}
        if new is not None:
            kept = grown(script, rel, new, "end", slab.end + 1)
        else:
            kept = script.where(f"{self.name}_kept", rel, f"end > {time(slab.end)}")
        return {} if kept is EMPTY else {self.name: kept}


@dataclass(frozen=True)
class Log(Rel):
    """The content of a SweepArea that has changed by insertion and by time alone.

    added: what has been inserted and stays. Of the earlier rows those stay whose `column`, a time,
    is not less than `since`. So it can be kept as a log, to which a slab adds no more than it has
    brought (design §6).
    """

    added: Rel
    column: str
    since: int


def grown(script: Script, rel: Rel, new: Rel, column: str, since: int) -> Rel:
    """What stays of a relation, in which `new` is what has been inserted."""
    stays = f"{column} >= {time(since)}"
    kept = script.where("kept", rel, stays)
    if kept is EMPTY:
        return EMPTY
    return Log(kept.name, kept.columns, script.where("added", new, stays), column, since)


def extract(
    script: Script, slab: Slab, area: SweepArea, state: State, rel: Rel
) -> tuple[Rel, State]:
    """Outputs whose start the slab has reached; the others wait in the SweepArea."""
    found = area.insert(script, state, rel)
    due = script.where("due", found, f"start < {time(slab.end)}")
    waiting = grown(script, found, rel, "start", slab.end)
    return due, {} if waiting is EMPTY else {area.name: waiting}
