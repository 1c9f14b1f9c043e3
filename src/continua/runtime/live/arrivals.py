"""The rows that have come for a slab: counted, and apart by whether they are on time."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame

from continua.errors import ContinuaError, counted
from continua.model.catalog import Relation
from continua.physical.hop_window import moment
from continua.physical.relation import EMPTY, Rel, View
from continua.physical.scan import delivered
from continua.physical.script import Script
from continua.physical.slab import time
from continua.physical.spark_internals.in_memory import freed, in_memory
from continua.runtime.engine import Engine
from continua.runtime.live.intake import Arrived
from continua.runtime.live.manifest import Counts, Manifest, Origin
from continua.runtime.spark_errors import translated

BAD = ("place", "reason", "text")


class Arrivals:
    """What has come of all sources; held until it is released, if it takes long to read."""

    def __init__(self, engine: Engine, arrived: Sequence[Arrived]) -> None:
        self._engine = engine
        self.rows = 0
        self.bytes = sum(file.bytes or 0 for source in arrived for file in source.files)
        self._frames: list[DataFrame] = []
        self._new: dict[Relation, View] = {}
        self._placed: dict[Relation, View] = {}
        self._bad: dict[Relation, View] = {}
        for source in arrived:
            frame = source.frame if source.columnar else self._held(source.frame)
            columns = delivered(source.relation)
            self._new[source.relation] = engine.view(columns, frame)
            if source.placed is not None:
                self._placed[source.relation] = engine.view(columns, source.placed)
            if source.bad is not None:
                self._bad[source.relation] = engine.view(BAD, self._held(source.bad))

    def counted(self, before: Manifest) -> dict[str, Counts]:
        """The counts of the sources with what has come."""
        counts: dict[str, Counts] = {}
        if not self._new:
            return counts
        reached, script = time(before.reached), Script()
        number = ("number", "count(*)")
        parts: list[Rel] = []
        for i, (relation, rel) in enumerate(self._new.items()):
            asked = [
                ("source", str(i)),
                number,
                ("late", f"count_if({_late(relation, before)})"),
                ("least", f"min(IF(start < {reached}, NULL, start))"),
                ("seen", "max(start)"),
            ]
            parts.append(script.group("counted", rel, (), asked))
        for i, rel in enumerate(self._bad.values()):
            nothing = [(name, "0L") for name in ("late", "least", "seen")]
            asked = [("source", str(-1 - i)), number, *nothing]
            parts.append(script.group("counted", rel, (), asked))
        all_counts = script.union("counted", *parts)
        with translated(script):
            found = {row[0]: row[1:] for row in self._engine.query(script, all_counts).collect()}
        bad = {relation: found[-1 - i][0] for i, relation in enumerate(self._bad)}
        for i, relation in enumerate(self._new):
            number, late, least, seen = found[i]
            self.rows += number
            if late and relation.late == "FAIL":
                raise _too_late(relation, late)
            was = before.sources.get(relation.name.lower(), Counts())
            counts[relation.name.lower()] = Counts(
                was.least if least is None else min(was.least, least),
                was.seen if seen is None else max(was.seen, seen),
                was.rows + number,
                was.late + late,
                was.bad + bad.get(relation, 0),
            )
        return counts

    def timely(self, script: Script, relation: Relation, reached: int) -> tuple[Rel, Rel]:
        """The rows of a relation that are not late; and the same with their positions."""
        rel = self._new.get(relation)
        if rel is None:
            return EMPTY, EMPTY
        columns = [(name, name) for name in rel.columns]
        on_time = f"start >= {time(reached)}"
        new = script.outside("timely", rel, columns, on_time)
        if relation not in self._placed:
            return new, new
        return new, script.outside("placed", self._placed[relation], columns, on_time)

    def set_aside(self, script: Script, before: Manifest) -> dict[str, Rel]:
        """The late and the bad rows that are to be kept."""
        found: dict[str, Rel] = {}
        for relation, rel in self._new.items():
            if relation.late == "KEEP":
                values = [(c, c) for c in delivered(relation) if c.startswith("c")]
                reason = f"concat('the time had reached ', {_shown(relation, before.reached)})"
                aside = [*values, ("reason", reason), ("place", "to_json(struct(phi))")]
                late = script.select("late", rel, aside, _late(relation, before))
                found[f"late {relation.name.lower()}"] = late
        for relation, rel in self._bad.items():
            if relation.on_error == "KEEP":
                found[f"bad {relation.name.lower()}"] = rel
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
    origin = before.origins.get(relation.name.lower(), Origin()).reached
    return f"start >= {time(origin)} AND start < {time(before.reached)}"


def _shown(relation: Relation, t: int) -> str:
    """SQL: a time as a text."""
    return f"string({moment(relation.time, time(t)) if relation.time else time(t)})"


def _too_late(relation: Relation, number: int) -> ContinuaError:
    rows = counted(number, "row")
    message = f"{rows} of {relation.name} came later than its SLACK allows"
    hint = "a larger SLACK, or LATE KEEP to set such rows aside"
    return ContinuaError("LATE_ROWS", message, relation.source.span, hint=hint)
