"""The rows that have come for a slab: they are counted, and late ones are separated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pyspark.sql import DataFrame

from continua.errors import ContinuaError, counted
from continua.model.catalog import Relation
from continua.physical.builder import Builder
from continua.physical.expression import all_of
from continua.physical.instant import instant
from continua.physical.relation import EMPTY, Rel, View
from continua.physical.scan import source_columns, value_columns
from continua.physical.shown_times import moment
from continua.physical.spark_internals.in_memory import freed, in_memory
from continua.physical.validity import START
from continua.runtime.engine import Engine
from continua.runtime.live.keys import BAD, LATE, AsideKey, OutputKey
from continua.runtime.live.manifest import Counts, Manifest, Origin
from continua.runtime.sources.live_source import Arrived
from continua.runtime.spark_errors import translated

BAD_COLUMNS = ("place", "reason", "text")


class _SourceCounts(NamedTuple):
    """What has come of a source: rows, those of them that are late, the least time that is not
    late, and the greatest."""

    rows: int
    late: int
    least: int | None
    seen: int | None


class Arrivals:
    """What has come of all sources; what takes long to read is held in memory until `release`."""

    def __init__(self, engine: Engine, arrived: Sequence[Arrived]) -> None:
        self._engine = engine
        self.bytes = sum(file.bytes or 0 for source in arrived for file in source.files)
        self._frames: list[DataFrame] = []
        self._new: dict[Relation, View] = {}
        self._placed: dict[Relation, View] = {}
        self._bad: dict[Relation, View] = {}
        for source in arrived:
            frame = source.frame if source.columnar else self._held(source.frame)
            columns = source_columns(source.relation)
            self._new[source.relation] = engine.view(columns, frame)
            if source.placed is not None:
                self._placed[source.relation] = engine.view(columns, source.placed)
            if source.bad is not None:
                self._bad[source.relation] = engine.view(BAD_COLUMNS, self._held(source.bad))

    def counted(self, before: Manifest) -> tuple[int, dict[str, Counts]]:
        """The rows that have come, and the counts of the sources that have brought some."""
        counts: dict[str, Counts] = {}
        new, bad = self._count(before)
        for relation, found in new.items():
            if found.late and relation.late == "FAIL":
                raise _too_late(relation, found.late)
            was = before.sources.get(relation.key, Counts())
            counts[relation.key] = Counts(
                was.least if found.least is None else min(was.least, found.least),
                was.seen if found.seen is None else max(was.seen, found.seen),
                was.rows + found.rows,
                was.late + found.late,
                was.bad + bad.get(relation, 0),
            )
        return sum(found.rows for found in new.values()), counts

    def _count(self, before: Manifest) -> tuple[dict[Relation, _SourceCounts], dict[Relation, int]]:
        """What has come of each source, and its bad rows, by one query."""
        if not self._new:
            return {}, {}
        builder = Builder()
        counted = [*self._new.items(), *self._bad.items()]
        parts: list[Rel] = []
        for number, (relation, rel) in enumerate(counted):
            of_rows = [
                ("late", f"count_if({_late(relation, before)})"),
                ("least", START.unless(START.before(instant(before.watermark))).earliest),
                ("seen", START.latest),
            ]
            of_bad = [(name, "0L") for name, _ in of_rows]
            asked = of_rows if number < len(self._new) else of_bad
            outputs = [("source", str(number)), ("number", "count(*)"), *asked]
            parts.append(builder.group("counted", rel, (), outputs))
        with translated(builder):
            rows = self._engine.query(builder, builder.union("counted", *parts)).collect()
        found = {number: _SourceCounts(*numbers) for number, *numbers in rows}
        new = {relation: found[i] for i, relation in enumerate(self._new)}
        bad = {r: found[i].rows for i, r in enumerate(self._bad, start=len(self._new))}
        return new, bad

    def timely(self, builder: Builder, relation: Relation, watermark: int) -> tuple[Rel, Rel]:
        """The rows of a relation that are not late; and the same with their positions."""
        rel = self._new.get(relation)
        if rel is None:
            return EMPTY, EMPTY
        columns = [(name, name) for name in rel.columns]
        on_time = START.not_before(instant(watermark))
        new = builder.outside("timely", rel, columns, on_time)
        if relation not in self._placed:
            return new, new
        return new, builder.outside("placed", self._placed[relation], columns, on_time)

    def set_aside(self, builder: Builder, before: Manifest) -> dict[OutputKey, Rel]:
        """The late and the bad rows that are to be kept."""
        found: dict[OutputKey, Rel] = {}
        for relation, rel in self._new.items():
            if relation.late == "KEEP":
                values = [(c, c) for c in value_columns(relation)]
                reason = f"concat('the time had reached ', {_text_of(relation, before.watermark)})"
                aside = [*values, ("reason", reason), ("place", "to_json(struct(phi))")]
                late = builder.select("late", rel, aside, _late(relation, before))
                found[AsideKey(LATE, relation.key)] = late
        for relation, rel in self._bad.items():
            if relation.on_error == "KEEP":
                found[AsideKey(BAD, relation.key)] = rel
        return found

    def release(self) -> None:
        for frame in self._frames:
            freed(frame)

    def _held(self, frame: DataFrame) -> DataFrame:
        held = in_memory(frame)
        self._frames.append(held)
        return held


def _late(relation: Relation, before: Manifest) -> str:
    """SQL: whether a row is late. One from before its stream was begun to be read is not."""
    origin = before.origins.get(relation.key, Origin()).watermark
    return all_of(START.not_before(instant(origin)), START.before(instant(before.watermark)))


def _text_of(relation: Relation, t: int) -> str:
    """SQL: a time as a text."""
    at = instant(t)
    return f"string({moment(relation.time, at) if relation.time else at})"


def _too_late(relation: Relation, number: int) -> ContinuaError:
    rows = counted(number, "row")
    message = f"{rows} of {relation.name} came later than its SLACK allows"
    hint = "a larger SLACK, or LATE KEEP to set such rows aside"
    return ContinuaError("LATE_ROWS", message, relation.source.span, hint=hint)
