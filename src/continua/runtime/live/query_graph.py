"""The operators of all queries that run; those of one origin share what is equal (design §7).

Queries of one origin and one shape are one plan, whose outputs carry their names.

A query that was added later sees nothing from before its origin. So what it keeps differs from
what an equal query keeps that has been there for longer, and the two have operators of their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from continua.logical.merge import merged, shape
from continua.logical.node import Node
from continua.model.catalog import Relation
from continua.model.digest import digest
from continua.physical.builder import Builder
from continua.physical.explain import explain_graph
from continua.physical.graph import Graph, graph_of
from continua.physical.instant import BEGINNING
from continua.physical.plan import delivering_plan
from continua.physical.relation import Rel
from continua.physical.scan import Scan
from continua.physical.slab import Slab
from continua.physical.sweep_area import Content
from continua.runtime.live.continuous import Continuous
from continua.runtime.live.keys import (
    KeptKey,
    MergedKey,
    OutputKey,
    QueryKey,
    StateKey,
    UnitKey,
    column_of,
)
from continua.runtime.live.manifest import Registered


@dataclass(frozen=True)
class Unit:
    """A query, or several of one shape that have been merged, whose outputs are one.

    differing: how many operators of the merged plans differ; None if it is one query.
    """

    key: UnitKey
    queries: tuple[Continuous, ...]
    differing: int | None

    @property
    def title(self) -> str:
        """Its queries, for people."""
        first, *more = (query.name for query in self.queries)
        return f"{first} and {len(more)} of its shape" if more else first

    @property
    def plan(self) -> Node:
        if self.differing is None:
            return self.queries[0].plan
        return merged({query.name: query.plan for query in self.queries}, self.differing)


class QueryGraph:
    """A graph for every origin."""

    def __init__(self, queries: Sequence[Continuous], origins: Mapping[str, Registered]) -> None:
        self._units: dict[int, list[Unit]] = {}
        for (since, differing, key), found in _alike(queries, origins).items():
            self._units.setdefault(since, []).append(Unit(key, tuple(found), differing))
        self.units = [unit for units in self._units.values() for unit in units]
        self._graphs: dict[int, Graph] = {
            since: graph_of(
                [delivering_plan(u.plan, u.queries[0].delivery) for u in units],
                [column_of(u.key) for u in units],
            )
            for since, units in self._units.items()
        }
        scans = self._scans(*self._graphs)
        self.relations = _read(scans)
        """What the queries read."""
        self.positioned = set(_read([scan for scan in scans if scan.identified]))
        """That of which they need the positions of rows."""
        self.positioned |= {relation for relation in self.relations if relation.late == "KEEP"}

    def new_at(self, watermark: int) -> list[Relation]:
        """The relations that are read by queries which begin here, where others have begun."""
        begun = watermark > BEGINNING and watermark in self._graphs
        return _read(self._scans(watermark)) if begun else []

    def advance(
        self,
        builder: Builder,
        slab: Slab,
        sources: Mapping[Relation, Rel],
        standing: Mapping[Relation, Rel],
        states: Mapping[StateKey, Content],
    ) -> tuple[dict[OutputKey, Rel], dict[KeptKey, Content]]:
        """The outputs of the units, and what their operators keep.

        standing: what was valid already when queries began that begin with this slab.
        """
        outputs: dict[OutputKey, Rel] = {}
        kept: dict[KeptKey, Content] = {}
        for since, graph in self._graphs.items():

            def source(relation: Relation, first: bool = since == slab.start) -> Rel:
                before = standing.get(relation) if first else None
                rows = sources[relation]
                return rows if before is None else builder.union("all", before, rows)

            held: dict[str, dict[str, Content]] = {}
            for key, content in states.items():
                if key.origin == since:
                    held.setdefault(key.operator, {})[key.area] = content
            found, after = graph.advance(builder, replace(slab, origin=since), source, held)
            for unit, rel in zip(self._units[since], found, strict=True):
                outputs[unit.key] = rel
            for operator, state in after.items():
                for area, content in state.items():
                    kept[StateKey(since, operator, area)] = content
        return outputs, kept

    def knows(self, key: StateKey) -> bool:
        """Whether something that is kept is kept for one of its operators."""
        return key.origin in self._graphs and key.operator in self._graphs[key.origin].operators

    def label(self, key: StateKey) -> str:
        """What is kept, for people: the operator and its SweepArea."""
        if not self.knows(key):
            # After a query has left, its state is still there until the next slab.
            return f"{key.operator}: {key.area}"
        return f"{self._graphs[key.origin].operators[key.operator].label}: {key.area}"

    def explain(self) -> str:
        """The plans of the queries; what several share is shown once, and named elsewhere."""
        parts = []
        for since, graph in self._graphs.items():
            origin = "" if since == BEGINNING else f" since {since}"
            parts.append(explain_graph(graph, [f"{u.title}{origin}" for u in self._units[since]]))
        return "\n".join(parts)

    def _scans(self, *origins: int) -> list[Scan]:
        graphs = (self._graphs[since] for since in origins)
        return [o for graph in graphs for o in graph.operators.values() if isinstance(o, Scan)]


def _read(scans: Sequence[Scan]) -> list[Relation]:
    return list(dict.fromkeys(scan.node.relation for scan in scans))


def _alike(
    queries: Sequence[Continuous], origins: Mapping[str, Registered]
) -> dict[tuple[int, int | None, UnitKey], list[Continuous]]:
    """The queries by origin, the operators in which they differ, and the output they are in."""
    found: dict[tuple[int, int | None, UnitKey], list[Continuous]] = {}
    for query in queries:
        since, differing = origins[query.name].since, origins[query.name].differing
        key: UnitKey = QueryKey(query.name)
        if differing is not None:
            key = MergedKey(digest((since, query.delivery, shape(query.plan))))
        found.setdefault((since, differing, key), []).append(query)
    return found
