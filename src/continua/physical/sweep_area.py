"""SweepAreas: what an operator keeps from one slab to the next (TODS §7.2, Table V).

The paper's SweepArea is a collection with an order and two predicates. Here it is a relation, and
its operations are set operations: insert is a union, query a join, extract and purge filters.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from continua.physical.builder import Builder
from continua.physical.instant import Instant, instant
from continua.physical.relation import EMPTY, Rel
from continua.physical.slab import Slab
from continua.physical.validity import END, START


@dataclass(frozen=True)
class SweepArea:
    """The three parameters of a SweepArea, for the operator that keeps it and for EXPLAIN.

    order: by what it is extracted.
    query: which of its elements belong to an incoming one.
    remove: which elements are no longer needed once the watermark has reached w₁.
    """

    name: str
    order: str
    query: str
    remove: str = "end <= w₁"

    def held(self, state: State) -> Rel:
        """Its content, as one relation."""
        found = state.get(self.name, EMPTY)
        assert isinstance(found, Rel), f"{self.name} is kept in versions"
        return found

    def insert(self, builder: Builder, state: State, new: Rel) -> Rel:
        """Its content together with what has come."""
        return builder.union(f"{self.name}_all", self.held(state), new)

    def purge(self, builder: Builder, slab: Slab, rel: Rel, new: Rel | None = None) -> State:
        """Its content for the next slab, without what can no longer be needed.

        `new` is what has been inserted in the slab, if nothing else has changed.
        """
        if slab.endless:
            return {}
        if new is not None:
            log = grown(builder, rel, new, END, END.first_time_after(slab.end))
            return {} if log is None else {self.name: log}
        needed = builder.where(f"{self.name}_kept", rel, END.after(slab.until))
        return {} if needed is EMPTY else {self.name: needed}


@dataclass(frozen=True)
class Log:
    """The content of a SweepArea that has changed by insertion and by time alone.

    added: what has been inserted and stays. Of the earlier rows those stay whose `column`, the time
    of an instant, is not less than `since`. So it can be kept as a log, to which a slab adds no
    more than it has brought (design §6).
    """

    columns: tuple[str, ...]
    added: Rel
    column: str
    since: int


def grown(builder: Builder, rel: Rel, new: Rel, column: Instant, since: int) -> Log | None:
    """What stays of a relation, in which `new` is what has been inserted; None if nothing does."""
    if rel is EMPTY:
        return None
    added = builder.where("added", new, column.not_before(instant(since)))
    return Log(rel.columns, added, column.t, since)


@dataclass(frozen=True)
class Versions:
    """The content of a SweepArea in versions by key: what a newer one says of a key holds.

    parts: the versions, the newest first. small: how many of the newest are
    read and written in less time than it takes to find some rows of them.
    """

    columns: tuple[str, ...]
    parts: tuple[Rel, ...]
    small: int


@dataclass(frozen=True)
class Renewed:
    """The content of a SweepArea that has changed for some keys: all that there is of them now.

    now: EMPTY if nothing has been touched. It takes the place of the small versions. gone: SQL,
    true for rows that only say that there is nothing of a key any more. So a slab costs what it
    touches, and idle keys are not written again (design §6).
    """

    columns: tuple[str, ...]
    now: Rel
    keys: tuple[str, ...]
    gone: str


Content = Rel | Log | Renewed | Versions
State = Mapping[str, Content]
"""The content of an operator's SweepAreas by name; one that is missing is empty."""


def unchanged(area: SweepArea, state: State, keys: Sequence[str]) -> State:
    """The content of a SweepArea in which nothing has changed. If it is kept by keys, it is neither
    read nor written."""
    held = state.get(area.name)
    if held is None:
        return {}
    return {area.name: Renewed(held.columns, EMPTY, tuple(keys), "FALSE") if keys else held}


def of_keys(
    builder: Builder, area: SweepArea, state: State, keys: Sequence[str], touched: Rel
) -> Rel:
    """What a SweepArea holds of the keys that rows have, and all that is in small versions.

    Older versions are searched only for keys that newer ones do not have: what changes often is
    found in the small versions, which are new.
    """
    held = state.get(area.name)
    if not isinstance(held, Versions):
        return area.held(state)
    found: list[Rel] = []
    for number, part in enumerate(held.parts[: held.small]):
        rel = part
        for newer in held.parts[:number]:
            rel = _joined(builder, "ANTI", rel, newer, keys)
        found.append(rel)
    if held.small < len(held.parts) and touched is not EMPTY:
        wanted = builder.group("wanted", touched, keys)
        for number, part in enumerate(held.parts):
            if number >= held.small:
                found.append(_joined(builder, "SEMI", part, wanted, keys))
            wanted = _joined(builder, "ANTI", wanted, part, keys)
    return builder.union("of_keys", *found)


def _joined(builder: Builder, kind: str, rel: Rel, other: Rel, keys: Sequence[str]) -> Rel:
    if rel is EMPTY:
        return EMPTY
    same = " AND ".join(f"l.{key} <=> r.{key}" for key in keys)
    outputs = [(column, f"l.{column}") for column in rel.columns]
    # With one task the other relation is small. If it is empty, this one is not read.
    hashed = builder.one_task
    return builder.join(kind.lower(), f"LEFT {kind}", rel, other, same, outputs, hashed)


def extract(
    builder: Builder, slab: Slab, area: SweepArea, state: State, rel: Rel
) -> tuple[Rel, State]:
    """Outputs whose start the slab has reached; the others wait in the SweepArea."""
    found = area.insert(builder, state, rel)
    due = builder.where("due", found, START.before(slab.until))
    waiting = grown(builder, found, rel, START, slab.end)
    return due, {} if waiting is None else {area.name: waiting}


def changes(content: Content) -> Rel:
    """The rows that a slab has to write for what is kept after it."""
    match content:
        case Log(added=rows) | Renewed(now=rows):
            return rows
        case Versions():
            raise AssertionError("versions are what is read, and never what a slab leaves")
    return content
