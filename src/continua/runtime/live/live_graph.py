"""The graph of the running queries, and how it takes in rows and advances (design §7)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from time import perf_counter

from pyspark.sql import DataFrame

from continua.model.catalog import Relation
from continua.physical.printing.spark_sql import spark_sql
from continua.physical.relation import EMPTY, Rel
from continua.physical.script import Script
from continua.physical.slab import FOREVER, Slab, time
from continua.physical.sweep_area import Content, grown
from continua.runtime.engine import Engine
from continua.runtime.live.arrivals import Arrivals
from continua.runtime.live.checkpoint import Checkpoint
from continua.runtime.live.continuous import (
    LATE_COLUMNS,
    Continuous,
    check_relations,
    check_same,
    registered,
)
from continua.runtime.live.intake import is_live
from continua.runtime.live.logs import FEW, together
from continua.runtime.live.manifest import Area, Counts, Manifest, Origin
from continua.runtime.live.query_graph import QueryGraph, Unit
from continua.runtime.live.slab_file import SlabFiles
from continua.runtime.live.stored import stored
from continua.runtime.live.time_progress import progress
from continua.runtime.shown import order_of, shown, titles
from continua.runtime.spark_errors import Lost

SMALL = 50_000
"""New rows of a slab up to which one task computes it faster than several."""

HELD = 500_000
"""Rows that such a slab may look at in all, new and kept: they are held in memory."""

LITTLE = 1_000_000
"""Bytes of files up to which to count their rows takes less time than to compile code for it."""

STATE = "state "
"""How the names of what operators keep begin; the rest of them is the graph's."""


class LiveGraph:
    """Advances all queries together; every slab is committed, or has not been."""

    def __init__(
        self, engine: Engine, queries: Sequence[Continuous], checkpoint: Checkpoint
    ) -> None:
        self._engine = engine
        self._checkpoint = checkpoint
        self._files = SlabFiles(engine, checkpoint)
        self.seconds: dict[str, float] = {}
        self.operators: dict[str, float] | None = None
        """The seconds that operators take, if they are to be measured."""
        self.relations: list[Relation] = []
        """What the queries read."""
        self.manifest = checkpoint.latest
        if self.manifest.number:
            check_same(queries, self.manifest)
        self.change(queries)

    def change(self, queries: Sequence[Continuous], told: str | None = None) -> None:
        """Has other queries run from the next slab on; those that are new begin where it does."""
        origins = registered(queries, self.manifest)
        graph = QueryGraph(queries, origins)
        check_relations([*self.relations, *graph.relations])
        # From here on nothing is refused.
        self.queries, self._registered, self._graph = queries, origins, graph
        self._told = (*self.manifest.told, *([] if told is None else [told]))
        self.relations = graph.relations

    @property
    def explained(self) -> str:
        return self._graph.explain()

    def label(self, name: str) -> str:
        """What is kept, or put out, by a name, for people."""
        if name.startswith(STATE):
            # While queries join and leave, what is kept may yet be that of others.
            own = name.removeprefix(STATE)
            return self._graph.label(own) if self._graph.knows(own) else own
        return next((unit.title for unit in self._graph.units if unit.name == name), name)

    @property
    def units(self) -> list[Unit]:
        """The queries, those together that have been merged."""
        return self._graph.units

    @property
    def positioned(self) -> set[Relation]:
        """The relations whose rows must have their positions."""
        return self._graph.positioned

    @property
    def awaited(self) -> list[Relation]:
        """The relations of which queries that are about to begin want what stands already."""
        return self._graph.new_at(self.manifest.reached)

    def take(
        self,
        arrivals: Arrivals,
        batch: int | None = None,
        query_id: str | None = None,
        idle: Collection[Relation] = (),
        heard: Mapping[Relation, int] | None = None,
        end: bool = False,
        standing: Mapping[Relation, Rel] | None = None,
    ) -> Manifest:
        """Takes in what has come, and advances as far as time has; it is yet to be committed.

        heard: times that streams are known to have reached without a row to show it. With `end`,
        nothing more will come.
        """
        how = (batch, query_id, idle, heard or {}, end, standing or {})
        try:
            return self._take(arrivals, *how)
        except Lost:
            self._files.cool()
            return self._take(arrivals, *how)

    def _take(
        self,
        arrivals: Arrivals,
        batch: int | None,
        query_id: str | None,
        idle: Collection[Relation],
        heard: Mapping[Relation, int],
        end: bool,
        standing: Mapping[Relation, Rel],
    ) -> Manifest:
        before, number = self.manifest, self.manifest.number + 1
        with self.watch("count"):
            # Otherwise much is expected to come when much came before.
            if arrivals.bytes > LITTLE:
                self._engine.hurry(False)
            # A stream that nobody reads any more has come to no time: it may be read again.
            known = {_key(relation) for relation in self.relations}
            counts = {name: c for name, c in before.sources.items() if name in known}
            counts |= arrivals.counted(before)
        idle = [r for r in idle if counts.get(_key(r)) == before.sources.get(_key(r))]
        for relation, t in heard.items():
            was = counts.get(_key(relation), Counts())
            counts[_key(relation)] = replace(was, seen=max(was.seen, t + relation.slack))
        small = arrivals.rows <= SMALL and arrivals.rows + _rows(before) <= HELD
        self._engine.hurry(small)
        reached = FOREVER if end else max(before.reached, self._progress(counts, idle))
        with self.watch("build"):
            script = Script(one_task=small)
            outputs = arrivals.set_aside(script, before)
            if reached > before.reached:
                slab = self._slab(counts, reached)
                delivered, kept = self._advanced(script, slab, arrivals, standing)
                outputs |= delivered
                areas: dict[str, Area] = {}
            else:
                _, kept = self._due(script, arrivals, reached)
                areas = {name: area for name, area in before.areas.items() if self._knows(name)}
            written, earlier = stored(script, self._files, before.areas, kept)
        with self.watch("advance"):
            if self.operators is not None:
                self.operators = {}
            rels = {**outputs, **written}
            found = self._files.write(script, rels, number, small, self.operators)
        for name in kept:
            areas.pop(name, None)
            area = together(earlier.get(name), found.get(name))
            if area is not None:
                areas[name] = area
        return replace(
            before,
            number=number,
            reached=reached,
            batch=before.batch if batch is None else batch,
            query_id=query_id or before.query_id,
            ended=end,
            sources=counts,
            origins={
                _key(relation): before.origins.get(_key(relation), Origin(number, before.reached))
                for relation in self.relations
                if is_live(relation)
            },
            queries=self._registered,
            told=self._told,
            areas=areas,
            outputs={name: area for name, area in found.items() if name in outputs},
        )

    def commit(self, manifest: Manifest) -> None:
        """From here on the slab has been, whatever happens."""
        with self.watch("commit"):
            self.manifest = self._checkpoint.commit(manifest)
            self._files.forget(self.manifest.slabs)

    def cool(self) -> None:
        """Has everything read from the files from here on: what was in memory is lost."""
        self._files.cool()

    @contextmanager
    def watch(self, phase: str) -> Iterator[None]:
        """Notes how long a phase of the slab takes."""
        before = perf_counter()
        yield
        self.seconds[phase] = perf_counter() - before

    def output(self, unit: Unit) -> DataFrame | None:
        """The rows that the last slab has put out, as users see them.

        Those of queries that have been merged have the name of theirs in the first column.
        """
        area = self.manifest.outputs.get(unit.name)
        if area is None:
            return None
        script = Script()
        rel = self._files.rows(script, area)
        text = spark_sql(shown(script, rel, unit.plan.time))
        # What people may look at is in order; what nobody can look through is not sorted.
        if area.rows <= SMALL:
            text = f"{text} SORT BY {', '.join(order_of(rel.columns))}"
        return self._engine.spark.sql(text).toDF(*titles(rel, unit.plan.schema.names))

    def aside(self, name: str) -> DataFrame:
        """The late or bad rows that the last slab has set aside."""
        script = Script()
        rel = self._files.rows(script, self.manifest.outputs[name])
        kind, key = name.split(" ", 1)
        frame = self._engine.query(script, rel)
        if kind == "bad":
            return frame
        relation = next(r for r in self.relations if _key(r) == key)
        return frame.toDF(*(c.name for c in relation.columns), *LATE_COLUMNS)

    def _progress(self, counts: Mapping[str, Counts], idle: Collection[Relation]) -> int:
        streams = {
            relation: counts.get(_key(relation), Counts()).seen
            for relation in self.relations
            if is_live(relation)
        }
        return progress(streams, idle)

    def _slab(self, counts: Mapping[str, Counts], reached: int) -> Slab:
        """The slab up to the progress; what is sampled is sampled up to it, or the last row."""
        streams = [_key(r) for r in self.relations if r.is_stream and _key(r) in counts]
        seen = {key: (counts[key].least, counts[key].seen) for key in streams}
        return Slab(self.manifest.reached, reached, seen)

    def _advanced(
        self, script: Script, slab: Slab, arrivals: Arrivals, standing: Mapping[Relation, Rel]
    ) -> tuple[dict[str, Rel], dict[str, Content]]:
        """The outputs of the queries, and what they and the sources keep."""
        sources, kept = self._due(script, arrivals, slab.end)
        states = {
            name.removeprefix(STATE): self._files.read(script, area)
            for name, area in self.manifest.areas.items()
            if name.startswith(STATE) and self._knows(name)
        }
        at_origin = {r: _clipped(script, rel, slab.start) for r, rel in standing.items()}
        outputs, after = self._graph.advance(script, slab, sources, at_origin, states)
        return outputs, kept | {f"{STATE}{name}": rel for name, rel in after.items()}

    def _knows(self, name: str) -> bool:
        """Whether something that is kept belongs to a query that runs."""
        if name.startswith(STATE):
            return self._graph.knows(name.removeprefix(STATE))
        return any(name == _waiting(relation) for relation in self.relations)

    def _due(
        self, script: Script, arrivals: Arrivals, reached: int
    ) -> tuple[dict[Relation, Rel], dict[str, Content]]:
        """The rows of the sources whose time has come, and those that wait, by names."""
        due: dict[Relation, Rel] = {}
        waiting: dict[str, Content] = {}
        for relation in self.relations:
            new, placed = arrivals.timely(script, relation, self.manifest.reached)
            area = self.manifest.areas.get(_waiting(relation))
            held = EMPTY if area is None else self._files.rows(script, area)
            here = script.union("here", held, new)
            due[relation] = script.where("due", here, f"start < {time(reached)}")
            if placed is not new:
                here = script.union("here", held, placed)
            later = grown(script, here, placed, "start", reached)
            if later is not None:
                waiting[_waiting(relation)] = later
        return due, waiting


def came(before: Manifest, after: Manifest, relation: Relation) -> bool:
    """Whether something has come of a stream, between two slabs."""
    was, now = (m.sources.get(_key(relation), Counts()) for m in (before, after))
    return (now.rows, now.bad) != (was.rows, was.bad)


def _key(relation: Relation) -> str:
    return relation.name.lower()


def _waiting(relation: Relation) -> str:
    """The rows of a source whose time has not come."""
    return f"wait {_key(relation)}"


def _rows(manifest: Manifest) -> int:
    """The rows that a slab may have to look at; old versions of what is idle it need not."""
    pieces = (
        piece
        for area in manifest.areas.values()
        for piece in area.pieces
        if not area.keys or piece.rows <= FEW
    )
    return sum(piece.rows for piece in pieces)


def _clipped(script: Script, rel: Rel, since: int) -> Rel:
    """What is valid at an origin, as if it had begun there."""
    start = [(c, time(since) if c == "start" else c) for c in rel.columns]
    return script.select("standing", rel, start, f"start < {time(since)} AND end > {time(since)}")
