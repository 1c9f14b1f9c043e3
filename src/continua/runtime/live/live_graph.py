"""The graph of the running queries, and how it takes in rows and advances (design §7)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from time import perf_counter

from pyspark.sql import DataFrame

from continua.errors import ContinuaError
from continua.logical.explain import explain
from continua.logical.node import Node
from continua.model.catalog import Relation
from continua.physical.graph import States, graph_of
from continua.physical.hop_window import moment
from continua.physical.plan import delivering_plan
from continua.physical.scan import Scan
from continua.physical.script import EMPTY, Rel, Script
from continua.physical.slab import BEGINNING, FOREVER, Slab, time
from continua.physical.sweep_area import Log, grown
from continua.runtime.engine import Engine
from continua.runtime.live.arrivals import Arrivals
from continua.runtime.live.checkpoint import Checkpoint
from continua.runtime.live.intake import is_live
from continua.runtime.live.manifest import Area, Counts, Manifest
from continua.runtime.live.slab_file import SlabFiles
from continua.runtime.live.time_progress import progress
from continua.runtime.spark_errors import Lost

SMALL = 50_000
"""Rows of a slab, new and kept, up to which one task computes it faster than several."""

FEW = 10_000
"""Rows that are written anew in less time than it takes to find them in another slab."""

BOUNDS = {"start": BEGINNING, "at": BEGINNING, "end": FOREVER}
"""The columns of an output that are times, and what is no time in them."""

_ANEW = "begin with a new checkpoint, or go on with the queries it was made with"


@dataclass(frozen=True)
class Continuous:
    """A query that runs: its name, its plan, and the form in which its results are wanted."""

    name: str
    plan: Node
    delivery: str

    @property
    def fingerprint(self) -> str:
        """What must not change while a checkpoint is in use."""
        return f"{self.delivery}\n{explain(self.plan)}"


class LiveGraph:
    """Advances all queries together; every slab is committed, or has not been."""

    def __init__(
        self, engine: Engine, queries: Sequence[Continuous], checkpoint: Checkpoint
    ) -> None:
        self._engine = engine
        self._checkpoint = checkpoint
        self._files = SlabFiles(engine, checkpoint)
        self.queries = queries
        plans = (delivering_plan(query.plan, query.delivery) for query in queries)
        self._graph = graph_of(list(plans))
        self.relations: dict[Relation, bool] = {}
        """What the queries read, and whether they need the positions of rows."""
        for scan in self._graph.operators:
            if isinstance(scan, Scan):
                relation = scan.node.relation
                wanted = scan.identified or relation.late == "KEEP"
                self.relations[relation] = self.relations.get(relation, False) or wanted
        self.seconds: dict[str, float] = {}
        self.manifest = checkpoint.latest()
        self._check_plans()

    def take(
        self,
        arrivals: Arrivals,
        batch: int | None = None,
        query_id: str | None = None,
        idle: Collection[Relation] = (),
        heard: Mapping[Relation, int] | None = None,
        end: bool = False,
    ) -> Manifest:
        """Takes in what has come, and advances as far as time has; it is yet to be committed.

        heard: times that streams are known to have reached without a row to show it. With `end`,
        nothing more will come.
        """
        try:
            return self._take(arrivals, batch, query_id, idle, heard or {}, end)
        except Lost:
            self._files.cool()
            return self._take(arrivals, batch, query_id, idle, heard or {}, end)

    def _take(
        self,
        arrivals: Arrivals,
        batch: int | None,
        query_id: str | None,
        idle: Collection[Relation],
        heard: Mapping[Relation, int],
        end: bool,
    ) -> Manifest:
        before, number = self.manifest, self.manifest.number + 1
        with self.watch("count"):
            counts = {**before.sources, **arrivals.counted(before)}
        for relation, t in heard.items():
            was = counts.get(_key(relation), Counts())
            counts[_key(relation)] = replace(was, seen=max(was.seen, t + relation.slack))
        small = arrivals.rows + _rows(before) <= SMALL
        self._engine.hurry(small)
        reached = FOREVER if end else max(before.reached, self._progress(counts, idle))
        with self.watch("build"):
            script = Script(one_task=small)
            outputs = arrivals.set_aside(script, before.reached)
            if reached > before.reached:
                slab = self._slab(counts, reached)
                delivered, kept = self._advanced(script, slab, arrivals)
                outputs |= delivered
                areas: dict[str, Area] = {}
            else:
                kept = {
                    _waiting(r): self._waits(script, arrivals, r, reached) for r in self.relations
                }
                areas = dict(before.areas)
            stored, earlier = self._stored(script, kept)
        with self.watch("advance"):
            written = self._files.write(script, {**outputs, **stored}, number, small)
        for name in kept:
            areas.pop(name, None)
            area = _together(earlier.get(name), written.get(name))
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
            plans={query.name: query.fingerprint for query in self.queries},
            areas=areas,
            outputs={name: area for name, area in written.items() if name in outputs},
        )

    def commit(self, manifest: Manifest) -> None:
        """From here on the slab has been, whatever happens."""
        with self.watch("commit"):
            self.manifest = self._checkpoint.commit(manifest)
            self._files.forget(self.manifest.slabs)

    def _stored(
        self, script: Script, kept: Mapping[str, Rel]
    ) -> tuple[dict[str, Rel], dict[str, Area]]:
        """What has to be written of what is kept, and what lies in earlier slabs already.

        A log grows by what the slab adds to it. Slabs of it that are not much larger than what is
        newer are written anew, so that there are few, and what has died in them is forgotten.
        """
        stored: dict[str, Rel] = {}
        earlier: dict[str, Area] = {}
        for name, rel in kept.items():
            stored[name] = rel
            before = self.manifest.areas.get(name)
            if isinstance(rel, Log):
                added = rel.added
                if before is not None:
                    earlier[name], newer = _apart(before.alive(rel.column, rel.since))
                    added = script.union("log", self._files.read(script, newer), added)
                stored[name] = replace(rel, name=added.name)
                if added is EMPTY:
                    stored[name] = EMPTY
        return stored, earlier

    @contextmanager
    def watch(self, phase: str) -> Iterator[None]:
        """Notes how long a phase of the slab takes."""
        before = perf_counter()
        yield
        self.seconds[phase] = perf_counter() - before

    def output(self, query: Continuous) -> DataFrame | None:
        """The rows that the last slab has put out for a query, as users see them."""
        area = self.manifest.outputs.get(f"out {query.name}")
        if area is None:
            return None
        domain, script = query.plan.time, Script()
        rel = self._files.read(script, area)
        names = [*query.plan.schema.names, *rel.columns[len(query.plan.schema) :]]
        shown: list[tuple[str, str]] = []
        for i, column in enumerate(rel.columns):
            text = column
            if column in BOUNDS:
                names[i] = {"start": "valid_from", "end": "valid_to"}.get(column, column)
                finite = f"nullif({column}, {time(BOUNDS[column])})"
                text = moment(domain, finite) if domain else "CAST(NULL AS TIMESTAMP)"
            shown.append((f"o{i}", text))
        text = f"{script.text(script.select('shown', rel, shown))} SORT BY {_order(rel.columns)}"
        return self._engine.spark.sql(text).toDF(*names)

    def aside(self, name: str) -> DataFrame:
        """The late or bad rows that the last slab has set aside."""
        script = Script()
        rel = self._files.read(script, self.manifest.outputs[name])
        kind, key = name.split(" ")
        frame = self._engine.query(script, rel)
        if kind == "bad":
            return frame
        relation = next(r for r in self.relations if _key(r) == key)
        return frame.toDF(*(c.name for c in relation.columns), "reason", "place")

    def _progress(self, counts: Mapping[str, Counts], idle: Collection[Relation]) -> int:
        streams = {
            relation: counts.get(_key(relation), Counts()).seen
            for relation in self.relations
            if is_live(relation)
        }
        return progress(streams, idle)

    def _slab(self, counts: Mapping[str, Counts], reached: int) -> Slab:
        """The slab up to the progress; what is sampled is sampled up to it, or the last row."""
        streams = [counts[_key(r)] for r in self.relations if r.is_stream and _key(r) in counts]
        first = min((c.least for c in streams), default=FOREVER)
        seen = max((c.seen for c in streams), default=self.manifest.reached)
        return Slab(self.manifest.reached, reached, first, min(seen, reached - 1))

    def _advanced(
        self, script: Script, slab: Slab, arrivals: Arrivals
    ) -> tuple[dict[str, Rel], dict[str, Rel]]:
        """The outputs of the queries, and what they and the sources keep."""
        kept: dict[str, Rel] = {}
        sources: dict[Relation, Rel] = {}
        for relation in self.relations:
            new = arrivals.timely(script, relation, slab.start)
            here = script.union("here", self._held(script, _waiting(relation)), new)
            sources[relation] = script.where("due", here, f"start < {time(slab.end)}")
            kept[_waiting(relation)] = self._waits(script, arrivals, relation, slab.end)
        outputs, states = self._graph.advance(
            script, slab, sources.__getitem__, self._states(script)
        )
        for number, state in states.items():
            for area, rel in state.items():
                kept[f"state {number} {area}"] = rel
        named = {f"out {q.name}": rel for q, rel in zip(self.queries, outputs, strict=True)}
        return named, kept

    def _waits(self, script: Script, arrivals: Arrivals, relation: Relation, reached: int) -> Rel:
        """The rows of a source whose time has not come."""
        new = arrivals.timely(script, relation, self.manifest.reached)
        here = script.union("here", self._held(script, _waiting(relation)), new)
        return grown(script, here, new, "start", reached)

    def _states(self, script: Script) -> States:
        states: dict[int, dict[str, Rel]] = {}
        for name in self.manifest.areas:
            kind, *place = name.split(" ")
            if kind == "state":
                number, area = place
                states.setdefault(int(number), {})[area] = self._held(script, name)
        return states

    def _held(self, script: Script, name: str) -> Rel:
        area = self.manifest.areas.get(name)
        return EMPTY if area is None else self._files.read(script, area)

    def _check_plans(self) -> None:
        """A checkpoint continues the queries it was made by, and no others."""
        before = self.manifest.plans
        if not self.manifest.number:
            return
        for query in self.queries:
            if query.name not in before:
                message = f"the query {query.name} is not in the checkpoint"
                raise ContinuaError("CHECKPOINT", message, hint=_ANEW)
            if before[query.name] != query.fingerprint:
                then, now = (
                    _first_difference(a, b)
                    for a, b in (
                        (before[query.name], query.fingerprint),
                        (query.fingerprint, before[query.name]),
                    )
                )
                message = f"the query {query.name} has changed: it was {then}, and is now {now}"
                raise ContinuaError("CHECKPOINT", message, hint=_ANEW)
        gone = sorted(set(before) - {query.name for query in self.queries})
        if gone:
            message = f"the checkpoint was made with the query {gone[0]}, which is not there"
            raise ContinuaError("CHECKPOINT", message, hint=_ANEW)


def _order(columns: Sequence[str]) -> str:
    """By time; what ends makes room before what starts at the same time; then by the tuple."""
    ranks = {"change": 1, **dict.fromkeys(BOUNDS, 0)}
    order = sorted(range(len(columns)), key=lambda i: ranks.get(columns[i], 2))
    return ", ".join(f"o{i} DESC" if columns[i] == "change" else f"o{i}" for i in order)


def _key(relation: Relation) -> str:
    return relation.name.lower()


def _waiting(relation: Relation) -> str:
    """The rows of a source whose time has not come."""
    return f"wait {_key(relation)}"


def _rows(manifest: Manifest) -> int:
    return sum(area.rows for area in manifest.areas.values())


def _apart(area: Area) -> tuple[Area, Area]:
    """A log, apart: the pieces that stay as they are, and those to be written anew."""
    number, newer = len(area.pieces), 0
    while number and area.pieces[number - 1].rows <= max(FEW, newer):
        number -= 1
        newer += area.pieces[number].rows
    return replace(area, pieces=area.pieces[:number]), replace(area, pieces=area.pieces[number:])


def _together(earlier: Area | None, new: Area | None) -> Area | None:
    """A relation that was there and has grown."""
    pieces = tuple(piece for area in (earlier, new) if area is not None for piece in area.pieces)
    found = earlier or new
    return replace(found, pieces=pieces) if found is not None and pieces else None


def _first_difference(text: str, other: str) -> str:
    """The first line of a plan that the other has not."""
    others = set(other.split("\n"))
    found = (line.strip(" ├└│─") for line in text.split("\n") if line not in others)
    return next(found, "longer")
