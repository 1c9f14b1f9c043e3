"""A log of changes, of which those that do not fit are left out, or are an error."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from continua.logical.change_log import ChangeLog as LogicalChangeLog
from continua.model.change import DELETE, INSERT, OPERATIONS, UPDATE, UPSERT
from continua.physical.arrival import for_next_slab
from continua.physical.builder import Builder
from continua.physical.expression import all_of
from continua.physical.extent import CHRONON, Extent
from continua.physical.failures import AT_A_TIME
from continua.physical.operator import Outputs, WholeTuples
from continua.physical.relation import BEFORE_ROW, EMPTY, Rel, Window, typed
from continua.physical.slab import Slab
from continua.physical.sweep_area import Renewed, State, SweepArea, of_keys, unchanged
from continua.physical.validity import OWN, START

THERE = SweepArea("there", START, "same key", "a later insert or delete of the key")

_ORDER = f"{START}, id"
_LEAVES = f"IF(operation = '{UPDATE}', NULL, operation <> '{DELETE}')"
"""Whether a change leaves its row there; an update leaves things as they are."""


@dataclass(frozen=True, eq=False)
class ChangeLog(WholeTuples[LogicalChangeLog]):
    """Whether a row is there is what the last insert or delete of its key has left.

    Of each key that one is kept. A delete says no more than nothing does.
    """

    carries_out = (LogicalChangeLog,)

    @property
    def lasts(self) -> Extent:
        return CHRONON

    @property
    def areas(self) -> tuple[SweepArea, ...]:
        return (THERE,)

    def advance(self, builder: Builder, slab: Slab, inputs: Sequence[Rel], state: State) -> Outputs:
        (arrived,) = inputs
        key = tuple(dict.fromkeys(self.values[i] for i in self.node.key))
        if arrived is EMPTY:
            return EMPTY, unchanged(THERE, state, key)
        told = [*self.same(*self.inputs[0].carried, *OWN), ("operation", self._operation)]
        new = builder.select("new", arrived, [*told, ("new", "TRUE")])
        held = of_keys(builder, THERE, state, key, new)
        known = {*key, "id", START, "operation"}
        padded = [(name, name if name in known else "NULL") for name, _ in told]
        before = builder.select("before", held, [*padded, ("new", "FALSE")])
        rows = builder.union("rows", before, new)
        last = self._last(builder, rows, key)
        left = Renewed(last.columns, last, key, f"operation = '{DELETE}'")
        return self._fitting(builder, rows, key), for_next_slab(slab, THERE, left)

    @property
    def _operation(self) -> str:
        """SQL: the operation that the log's text means."""
        text = f"lower({self.values[self.node.operation]})"
        known = (
            f"WHEN {text} IN ({', '.join(map(repr, texts))}) THEN '{name}'"
            for name, texts in OPERATIONS.items()
        )
        return f"CASE {' '.join(known)} END"

    def _fitting(self, builder: Builder, rows: Rel, key: Sequence[str]) -> Rel:
        was = ("was", f"coalesce(last_value({_LEAVES}, TRUE) OVER before, FALSE)")
        before = Window(tuple(key), _ORDER, BEFORE_ROW)
        found = builder.windowed("found", rows, [*self.same(*rows.columns), was], before=before)
        fits = f"(operation = '{UPSERT}' OR was <> (operation = '{INSERT}'))"
        there = f"operation <> '{DELETE}'"
        if self.node.strict:
            there = f"IF({fits}, {there}, CAST({self._failure(builder)} AS BOOLEAN))"
        said = self.values[self.node.operation]
        outputs = [
            (name, typed(there, "BOOLEAN") if name == said else name) for name in self.columns
        ]
        some = "new" if self.node.strict else all_of("new", fits)
        return builder.select("changes", found, outputs, some)

    def _failure(self, builder: Builder) -> str:
        """SQL: fails as the operation and the time say."""
        marks = []
        for operation in (INSERT, UPDATE, DELETE):
            mark = f"{AT_A_TIME}{len(builder.failures)}:"
            builder.failures.append(partial(self.node.misfit, operation))
            marks.append(f"WHEN operation = '{operation}' THEN '{mark}'")
        return f"raise_error(concat(CASE {' '.join(marks)} END, CAST({START.t} AS STRING)))"

    def _last(self, builder: Builder, rows: Rel, key: Sequence[str]) -> Rel:
        """Of each key the last change that says whether its row is there."""
        telling = builder.where("telling", rows, f"operation <> '{UPDATE}'")
        columns = self.same(*key, "id", START, "operation")
        followed = ("followed", "lead(TRUE, 1, FALSE) OVER w")
        ranked = builder.windowed(
            "ranked", telling, [*columns, followed], w=Window(tuple(key), _ORDER)
        )
        return builder.select("last", ranked, columns, "NOT followed")
