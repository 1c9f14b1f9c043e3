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
from continua.physical.explain import explain_graph
from continua.physical.graph import Graph, graph_of
from continua.physical.plan import delivering_plan
from continua.physical.relation import Rel
from continua.physical.scan import Scan
from continua.physical.script import Script
from continua.physical.slab import BEGINNING, Slab
from continua.physical.sweep_area import Content, State
from continua.runtime.live.continuous import Continuous
from continua.runtime.live.manifest import Registered

OUT, MERGED = "out", "merged"
"""How the names of outputs begin: of a query, of several that have been merged."""


@dataclass(frozen=True)
class Unit:
    """A query, or several of one shape that have been merged; name: that of its output."""

    name: str
    queries: tuple[Continuous, ...]
    own: int | None

    @property
    def title(self) -> str:
        """Its queries, for people."""
        first, *more = (query.name for query in self.queries)
        return f"{first} and {len(more)} of its shape" if more else first

    @property
    def plan(self) -> Node:
        if self.own is None:
            return self.queries[0].plan
        return merged({query.name: query.plan for query in self.queries}, self.own)


class QueryGraph:
    """A graph for every origin."""

    def __init__(self, queries: Sequence[Continuous], origins: Mapping[str, Registered]) -> None:
        self._units: dict[int, list[Unit]] = {}
        for (since, own, name), found in _alike(queries, origins).items():
            self._units.setdefault(since, []).append(Unit(name, tuple(found), own))
        self.units = [unit for units in self._units.values() for unit in units]
        self._graphs: dict[int, Graph] = {
            since: graph_of(
                [delivering_plan(u.plan, u.queries[0].delivery) for u in units],
                [u.name for u in units],
            )
            for since, units in self._units.items()
        }
        scans = self._scans(*self._graphs)
        self.relations = _read(scans)
        """What the queries read."""
        self.positioned = set(_read([scan for scan in scans if scan.identified]))
        """That of which they need the positions of rows."""
        self.positioned |= {relation for relation in self.relations if relation.late == "KEEP"}

    def new_at(self, reached: int) -> list[Relation]:
        """The relations that are read by queries which begin here, where others have begun."""
        begun = reached > BEGINNING and reached in self._graphs
        return _read(self._scans(reached)) if begun else []

    def advance(
        self,
        script: Script,
        slab: Slab,
        sources: Mapping[Relation, Rel],
        standing: Mapping[Relation, Rel],
        kept: State,
    ) -> tuple[dict[str, Rel], dict[str, Content]]:
        """The outputs of the units, and what their operators keep, by names.

        standing: what was valid already when queries began that begin with this slab.
        """
        outputs: dict[str, Rel] = {}
        states: dict[str, Content] = {}
        for since, graph in self._graphs.items():

            def source(relation: Relation, first: bool = since == slab.start) -> Rel:
                before = standing.get(relation) if first else None
                rows = sources[relation]
                return rows if before is None else script.union("all", before, rows)

            held: dict[str, dict[str, Content]] = {}
            for name, rel in kept.items():
                origin, operator, area = name.split(" ")
                if int(origin) == since:
                    held.setdefault(operator, {})[area] = rel
            found, after = graph.advance(script, replace(slab, origin=since), source, held)
            for unit, rel in zip(self._units[since], found, strict=True):
                outputs[unit.name] = rel
            for operator, state in after.items():
                states |= {f"{since} {operator} {area}": rel for area, rel in state.items()}
        return outputs, states

    def knows(self, name: str) -> bool:
        """Whether something that is kept is kept for one of its operators."""
        origin, operator, _ = name.split(" ")
        return int(origin) in self._graphs and operator in self._graphs[int(origin)].operators

    def label(self, name: str) -> str:
        """What is kept, for people: the operator and its SweepArea."""
        origin, operator, area = name.split(" ")
        return f"{self._graphs[int(origin)].operators[operator].label}: {area}"

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


def is_output(name: str) -> bool:
    """Whether something that a slab puts out is the output of queries."""
    return name.split(" ")[0] in (OUT, MERGED)


def _alike(
    queries: Sequence[Continuous], origins: Mapping[str, Registered]
) -> dict[tuple[int, int | None, str], list[Continuous]]:
    """The queries by origin, operators of their own, and the name of the output they are in."""
    found: dict[tuple[int, int | None, str], list[Continuous]] = {}
    for query in queries:
        since, own = origins[query.name].since, origins[query.name].own
        name = f"{OUT} {query.name}"
        if own is not None:
            name = f"{MERGED} {digest((since, query.delivery, shape(query.plan)))}"
        found.setdefault((since, own, name), []).append(query)
    return found
