"""The queries that run, from one change to the next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from continua.model.catalog import Relation
from continua.runtime.live.continuous import Continuous, check_relations, registered
from continua.runtime.live.intake import is_live
from continua.runtime.live.keys import Key, StateKey, WaitingKey, column_of
from continua.runtime.live.manifest import Manifest, Registered
from continua.runtime.live.query_graph import QueryGraph


@dataclass(frozen=True)
class Membership:
    """Queries with their origins and the graph of their operators.

    statements: the texts that have added and dropped queries while others ran.
    """

    queries: Sequence[Continuous]
    registered: Mapping[str, Registered]
    graph: QueryGraph
    statements: tuple[str, ...]

    @property
    def relations(self) -> list[Relation]:
        """What the queries read."""
        return self.graph.relations

    @cached_property
    def live(self) -> list[Relation]:
        """That of which rows may come."""
        return [relation for relation in self.relations if is_live(relation)]

    def label(self, key: Key) -> str:
        """What is kept or put out, for people."""
        match key:
            case StateKey():
                return self.graph.label(key)
            case WaitingKey(source):
                return f"waiting rows of {source}"
        titles: dict[Key, str] = {unit.key: unit.title for unit in self.graph.units}
        return titles.get(key) or column_of(key)


def membership(
    queries: Sequence[Continuous],
    manifest: Manifest,
    read: Sequence[Relation] = (),
    statement: str | None = None,
) -> Membership:
    """Queries that run from the next slab on; those that are new begin where it does.

    read: what the queries before them have read.
    """
    known = registered(queries, manifest)
    graph = QueryGraph(queries, known)
    check_relations([*read, *graph.relations])
    added = () if statement is None else (statement,)
    return Membership(queries, known, graph, (*manifest.statements, *added))
