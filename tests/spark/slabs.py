"""Runs a plan over any sequence of slabs and gives the logical stream that comes out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import pairwise
from typing import Any, NamedTuple, Protocol

import pyarrow as pa

from continua.logical.evaluate import context_of
from continua.logical.node import Node
from continua.model.catalog import Relation
from continua.model.element import SourceRow, Tuple
from continua.model.instant import BEGINNING as FIRST
from continua.model.instant import FOREVER as LAST
from continua.model.instant import INFINITY, Instant
from continua.model.timeline import Timeline
from continua.model.values import normal
from continua.physical.builder import Builder
from continua.physical.graph import Graph, graph_of
from continua.physical.instant import BEGINNING, FOREVER, PAIR
from continua.physical.operator import Form, Operator
from continua.physical.plan import physical_plan
from continua.physical.relation import EMPTY, Rel, View
from continua.physical.scan import source_columns
from continua.physical.slab import Slab
from continua.physical.sweep_area import Content, Log, Renewed, Versions, changes
from continua.physical.validity import START
from continua.runtime.engine import Engine, rows_table

Deltas = dict[Tuple, dict[Instant, int]]


class Machine(Protocol):
    """What computes relations: Spark, or DuckDB."""

    def view(self, columns: Sequence[str], table: pa.Table) -> View: ...

    def computed(self, builder: Builder, result: Rel, kept: Sequence[Rel]) -> Computed:
        """The rows of a result, and what is kept, as it can be read from now on."""


Computed = tuple[Sequence[Sequence[Any]], list[Rel]]


def on_spark(
    engine: Engine,
    plan: Node,
    rows: Mapping[Relation, Sequence[SourceRow]],
    cuts: Sequence[int] = (),
    form: Form = Form.PIECES,
) -> Timeline:
    """The result of a plan on Spark, advanced over the slabs between the cuts."""
    return over_slabs(_Spark(engine), plan, rows, cuts, form)


class _Spark:
    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.view = engine.view

    def computed(self, builder: Builder, result: Rel, kept: Sequence[Rel]) -> Computed:
        first, *others = _collected(self._engine, builder, [result, *kept])
        rows = [] if first is None else [tuple(row.values()) for row in first.to_pylist()]
        pairs = zip(kept, others, strict=True)
        return rows, [
            rel if table is None else self.view(tuple(map(str, rel.columns)), table)
            for rel, table in pairs
        ]


def over_slabs(
    machine: Machine,
    plan: Node,
    rows: Mapping[Relation, Sequence[SourceRow]],
    cuts: Sequence[int],
    form: Form,
) -> Timeline:
    deltas: Deltas = defaultdict(lambda: defaultdict(int))
    for advanced in slabs_of(machine, plan, physical_plan(plan, form), rows, cuts):
        _add(deltas, advanced.rows, advanced.slab, form, len(plan.schema))
    return Timeline({e: _accumulated(changes) for e, changes in deltas.items()})


class Advanced(NamedTuple):
    """What an operator, and all below it, have put out in a slab and keep for the next one.

    kept: by the names of the operators, then of their SweepAreas.
    """

    slab: Slab
    graph: Graph
    rows: Sequence[Sequence[Any]]
    kept: Mapping[str, Mapping[str, Content]]


def slabs_of(
    machine: Machine,
    plan: Node,
    operator: Operator,
    rows: Mapping[Relation, Sequence[SourceRow]],
    cuts: Sequence[int],
) -> Iterator[Advanced]:
    """The slabs between the cuts. The operator is the last of those that carry out the plan.

    Of the slabs in which a source has no rows, some know this when they are planned: the source is
    `EMPTY` there.
    """
    graph = graph_of([operator])
    views = {
        relation: machine.view(source_columns(relation), rows_table(relation, found))
        for relation, found in rows.items()
    }
    context = context_of(plan, lambda relation: rows[relation])
    seen = {relation.name.lower(): _sampled(context.first, context.last) for relation in rows}
    states: dict[str, dict[str, Content]] = {}
    for start, end in pairwise([BEGINNING, *sorted(set(cuts)), FOREVER]):
        slab = Slab(start, end, seen)
        builder = Builder()

        def source(relation: Relation, slab: Slab = slab, builder: Builder = builder) -> Rel:
            if slab.start // 2 % 2 == 0 and not _some_start(rows[relation], slab):
                return EMPTY
            inside = slab.starts_inside(also=START.before(slab.until))
            return builder.where("source", views[relation], inside)

        (result,), kept = graph.advance(builder, slab, source, states)
        areas = [(name, area) for name, state in kept.items() for area in state]
        found = [kept[name][area] for name, area in areas]
        out, added = machine.computed(builder, result, [changes(content) for content in found])
        before, states = states, defaultdict(dict)
        for (name, area), content, new in zip(areas, found, added, strict=True):
            held = before.get(name, {}).get(area, EMPTY)
            states[name][area] = _continued(content, held, new)
        yield Advanced(slab, graph, out, states)


def _some_start(rows: Sequence[SourceRow], slab: Slab) -> bool:
    """Whether a row starts in the slab. If not, a live run knows that before it plans the slab."""
    return any(slab.start <= max(row.start, BEGINNING) < slab.end for row in rows)


def _continued(content: Content, held: Content, added: Rel) -> Content:
    """What a SweepArea holds for the next slab: what is left of before, and what is new."""
    if isinstance(content, Renewed):
        if added is EMPTY:
            return held
        larger = held.parts[held.small :] if isinstance(held, Versions) else ()
        # All are large at first; then one of two is small, then both are.
        small = (held.small + 1) % 3 if isinstance(held, Versions) else 0
        return Versions(content.columns, (added, *larger), min(small, 1 + len(larger)))
    if not isinstance(content, Log) or held is EMPTY:
        return added
    assert isinstance(held, Rel)
    builder = Builder()
    alive = builder.where("alive", held, f"{content.column} >= {content.since}")
    return builder.union("both", alive, added)


def _sampled(first: float, last: float) -> tuple[int, int]:
    return (FOREVER, BEGINNING) if first == INFINITY else (int(first), int(last))


def _collected(engine: Engine, builder: Builder, rels: Sequence[Rel]) -> list[pa.Table | None]:
    """Several relations of a builder by one job: a union, each row in the column of its own."""
    wanted = [rel for rel in rels if rel is not EMPTY]
    columns = [f"r{i}" for i in range(len(wanted))]
    parts = []
    for number, rel in enumerate(wanted):
        # An array has no fields where it is empty; those of a NULL would be NULL, which Arrow
        # takes ill where Spark knows them not to be.
        row = f"array(struct({', '.join(_cells(rel))}))"
        cells = [row if i == number else "array()" for i in range(len(wanted))]
        parts.append(builder.select("part", rel, zip(columns, cells, strict=True)))
    if not parts:
        return [None] * len(rels)
    tagged = builder.union("tagged", *parts)
    with engine.computed_once(builder, [tagged]) as (frame,):
        table = frame.toArrow()
    found = iter(_of(table, i) for i in range(len(wanted)))
    return [None if rel is EMPTY else next(found) for rel in rels]


def _cells(rel: Rel) -> Iterator[str]:
    """Its columns. Pairs that may be NULL have numbers that may be: Arrow asks for it, and a cast
    gives it."""
    for column in rel.columns:
        pair = rel.types.get(column) == PAIR
        yield f"CAST({column} AS {PAIR}) AS {column}" if pair else str(column)


def _of(table: pa.Table, number: int) -> pa.Table:
    mine = table.column(f"r{number}").combine_chunks().flatten()
    if not len(mine):
        return pa.schema(list(mine.type)).empty_table()
    return pa.Table.from_struct_array(mine)


def _add(deltas: Deltas, rows: Sequence[Sequence[Any]], slab: Slab, form: Form, width: int) -> None:
    since, until = _time(slab.start), _time(slab.end)
    for row in rows:
        *values, opens, closes = row
        start, end = _instant(opens), _instant(closes)
        element = Tuple(tuple(map(_value, values[:width])))
        assert form is Form.CHANGES or None not in (start, end), row
        assert (start, end) != (None, None), row
        if start is not None:
            assert since <= start < until, (row, slab)
            deltas[element][start] += 1
        if end is not None:
            assert start is None or start < end, row
            assert form is Form.PIECES or since <= end < until, (row, slab)
            deltas[element][end] -= 1


def _value(value: object) -> object:
    if isinstance(value, float):
        return normal(value)
    if isinstance(value, datetime):
        return value.replace(tzinfo=None)
    return value


def _instant(found: Any) -> Instant | None:
    """An instant as an engine gives it: a time, or a time and the number of a batch."""
    if isinstance(found, dict):
        return _time(found["t"])._replace(i=found["i"])
    return None if found is None else _time(found)


def _time(t: int) -> Instant:
    return FIRST if t == BEGINNING else LAST if t == FOREVER else Instant(t)


def _accumulated(changes: Mapping[Instant, int]) -> list[tuple[Instant, int]]:
    total, steps = 0, []
    for instant in sorted(changes):
        total += changes[instant]
        if instant != LAST:
            steps.append((instant, total))
    return steps
