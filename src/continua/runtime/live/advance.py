"""A slab is computed: what has come is taken in, time moves on, operators advance (design §6, §7).

Nothing is committed here: to compute a slab again gives the same.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from continua.model.catalog import Relation
from continua.physical.builder import Builder
from continua.physical.expression import all_of
from continua.physical.instant import FOREVER, instant
from continua.physical.relation import EMPTY, Rel
from continua.physical.slab import Slab
from continua.physical.sweep_area import Content, grown
from continua.physical.validity import END, START
from continua.runtime.engine import Engine
from continua.runtime.live.compaction import compacted
from continua.runtime.live.keys import KeptKey, Key, OutputKey, StateKey, WaitingKey
from continua.runtime.live.manifest import Counts, Manifest, Origin
from continua.runtime.live.membership import Membership
from continua.runtime.live.segments import MOST_ROWS_REWRITTEN, Stored, with_segments
from continua.runtime.live.slab_input import SlabInput
from continua.runtime.live.slab_tables import SlabTables
from continua.runtime.live.timings import Timings
from continua.runtime.live.watermark import watermark
from continua.runtime.spark_errors import Lost

MOST_ROWS_FOR_ONE_TASK = 50_000
"""New rows of a slab up to which one task computes it faster than several."""

MOST_ROWS_IN_MEMORY = 500_000
"""Rows that such a slab may look at in all, new and kept: they are held in memory."""

MOST_BYTES_NOT_COMPILED = 1_000_000
"""Bytes of files whose rows are counted in less time than it takes to compile code for that."""


@dataclass(frozen=True)
class Planned:
    """What a slab is to compute: what is put out and what is kept, as relations.

    stays: what is kept of earlier slabs and is not touched.
    """

    outputs: Mapping[OutputKey, Rel]
    kept: Mapping[KeptKey, Content]
    stays: Mapping[KeptKey, Stored]


class Advance:
    """Computes the slabs of queries that run."""

    def __init__(self, engine: Engine, tables: SlabTables, timings: Timings) -> None:
        self._engine = engine
        self._tables = tables
        self._timings = timings

    def slab(self, members: Membership, before: Manifest, given: SlabInput) -> Manifest:
        """The slab after another, written, and yet to be committed."""
        try:
            return self._slab(members, before, given)
        except Lost:
            self._tables.drop_memory()
            return self._slab(members, before, given)

    def _slab(self, members: Membership, before: Manifest, given: SlabInput) -> Manifest:
        number, signal = before.number + 1, given.signal
        with self._timings.phase("count"):
            rows, counts = self._counted(members, before, given)
        # A stream that has brought something is not idle, however long it was.
        idle = {r for r in given.idle if counts.get(r.key) == before.sources.get(r.key)}
        counts |= _with_heartbeats(counts, signal.heartbeats)
        reached = FOREVER if signal.end else _watermark(members, before, counts, idle)
        small = rows <= MOST_ROWS_FOR_ONE_TASK and rows + _rows(before) <= MOST_ROWS_IN_MEMORY
        self._engine.set_up_for(few_rows=small)
        builder = Builder(one_task=small)
        with self._timings.phase("build"):
            slab = _slab_until(reached, members, before, counts)
            planned = self._planned(builder, slab, members, before, given)
            written, older = compacted(builder, self._tables, before.kept, planned.kept)
        with self._timings.phase("advance"):
            contents: dict[Key, Content] = dict([*planned.outputs.items(), *written.items()])
            seconds = self._timings.begin_operators()
            found = self._tables.write(builder, contents, number, small, seconds)
        kept = {key: with_segments(older.get(key), found.get(key)) for key in planned.kept}
        batch = signal.batch
        return replace(
            before,
            number=number,
            watermark=reached,
            batch=before.batch if batch is None else batch.number,
            query_id=before.query_id if batch is None else batch.query_id,
            ended=before.ended or signal.end,
            sources=counts,
            origins=_origins(members, before, number),
            queries=members.registered,
            statements=members.statements,
            kept=dict(planned.stays) | {key: s for key, s in kept.items() if s is not None},
            outputs={key: found[key] for key in planned.outputs if key in found},
        )

    def _counted(
        self, members: Membership, before: Manifest, given: SlabInput
    ) -> tuple[int, dict[str, Counts]]:
        """The rows that have come, and what the sources have brought so far, these included."""
        # Of few bytes, as many rows are expected as the slab before had.
        if given.arrivals.bytes > MOST_BYTES_NOT_COMPILED:
            self._engine.set_up_for(few_rows=False)
        # The counts of a stream that nobody reads any more are forgotten: it may be read again.
        known = {relation.key for relation in members.relations}
        counts = {name: found for name, found in before.sources.items() if name in known}
        rows, new = given.arrivals.counted(before)
        return rows, counts | new

    def _planned(
        self, builder: Builder, slab: Slab, members: Membership, before: Manifest, given: SlabInput
    ) -> Planned:
        outputs = given.arrivals.set_aside(builder, before)
        due, waiting = self._due(builder, slab.end, members, before, given)
        if slab.end == slab.start:
            # Time stands still, and operators with it.
            stays: dict[KeptKey, Stored] = {
                key: stored
                for key, stored in before.kept.items()
                if isinstance(key, StateKey) and members.graph.knows(key)
            }
            return Planned(outputs, waiting, stays)
        states: dict[StateKey, Content] = {
            key: self._tables.read(builder, key, stored)
            for key, stored in before.kept.items()
            if isinstance(key, StateKey) and members.graph.knows(key)
        }
        at_origin = given.valid_at_origin.items()
        begun = {relation: _clipped(builder, rel, slab.start) for relation, rel in at_origin}
        found, kept = members.graph.advance(builder, slab, due, begun, states)
        return Planned(outputs | found, waiting | kept, {})

    def _due(
        self, builder: Builder, until: int, members: Membership, before: Manifest, given: SlabInput
    ) -> tuple[dict[Relation, Rel], dict[KeptKey, Content]]:
        """The rows of the sources whose time has come, and those that wait."""
        due: dict[Relation, Rel] = {}
        waiting: dict[KeptKey, Content] = {}
        for relation in members.relations:
            key = WaitingKey(relation.key)
            new, placed = given.arrivals.timely(builder, relation, before.watermark)
            stored = before.kept.get(key)
            held = EMPTY if stored is None else self._tables.rows(builder, key, stored)
            here = builder.union("here", held, new)
            due[relation] = builder.where("due", here, START.before(instant(until)))
            if placed is not new:
                here = builder.union("here", held, placed)
            later = grown(builder, here, placed, START, until)
            if later is not None:
                waiting[key] = later
        return due, waiting


def _with_heartbeats(
    counts: Mapping[str, Counts], heartbeats: Mapping[Relation, int]
) -> dict[str, Counts]:
    """Streams that are known to have reached a time, as if a row had shown it."""
    found: dict[str, Counts] = {}
    for relation, t in heartbeats.items():
        was = counts.get(relation.key, Counts())
        found[relation.key] = replace(was, seen=max(was.seen, t + relation.slack))
    return found


def _watermark(
    members: Membership,
    before: Manifest,
    counts: Mapping[str, Counts],
    idle: Collection[Relation],
) -> int:
    """How far time has come; it never goes back."""
    seen = {relation: counts.get(relation.key, Counts()).seen for relation in members.live}
    return max(before.watermark, watermark(seen, idle))


def _slab_until(
    reached: int, members: Membership, before: Manifest, counts: Mapping[str, Counts]
) -> Slab:
    """The slab up to the watermark; what is sampled is sampled up to it, or the last row."""
    streams = [r.key for r in members.relations if r.is_stream and r.key in counts]
    seen = {key: (counts[key].least, counts[key].seen) for key in streams}
    return Slab(before.watermark, reached, seen)


def _origins(members: Membership, before: Manifest, number: int) -> dict[str, Origin]:
    """The slab since which each stream is read, and the watermark before it."""
    new = Origin(number, before.watermark)
    return {relation.key: before.origins.get(relation.key, new) for relation in members.live}


def _rows(before: Manifest) -> int:
    """How many rows a slab may have to read; large old versions are read for some keys only."""
    segments = (
        segment
        for stored in before.kept.values()
        for segment in stored.segments
        if not stored.keys or segment.rows <= MOST_ROWS_REWRITTEN
    )
    return sum(segment.rows for segment in segments)


def _clipped(builder: Builder, rel: Rel, since: int) -> Rel:
    """What is valid at an origin, as if it had begun there."""
    begins = instant(since)
    outputs = [(column, begins if column == START else column) for column in rel.columns]
    return builder.select("standing", rel, outputs, all_of(START.before(begins), END.after(begins)))
