"""Queries that run: what they are called, and whether they are those of a checkpoint."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from continua.errors import ContinuaError
from continua.logical.explain import explain
from continua.logical.merge import differing, shape
from continua.logical.node import Node
from continua.model.catalog import Relation
from continua.model.digest import digest
from continua.runtime.live.manifest import Manifest, Registered

LATE_COLUMNS = ("reason", "place")
"""What is added to rows that came too late and are set aside."""

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
        return digest((self.delivery, self.plan.digest))

    @property
    def text(self) -> str:
        """The same as a text for people; plans with equal texts may have different fingerprints."""
        return f"{self.delivery}\n{explain(self.plan)}"


def check_same(queries: Iterable[Continuous], manifest: Manifest) -> None:
    """A checkpoint continues the queries it was made by, and no others."""
    before = manifest.queries
    for query in queries:
        if query.name not in before:
            message = f"the query {query.name} is not in the checkpoint"
            hint = f"{_ANEW}; a query is added to those that run already"
            raise ContinuaError("CHECKPOINT", message, hint=hint)
        if before[query.name].fingerprint != query.fingerprint:
            change = _change(before[query.name].plan, query.text)
            message = f"the query {query.name} has changed: {change}"
            raise ContinuaError("CHECKPOINT", message, hint=_ANEW)
    gone = sorted(set(before) - {query.name for query in queries})
    if gone:
        message = f"the checkpoint was made with the query {gone[0]}, which is not there"
        raise ContinuaError("CHECKPOINT", message, hint=_ANEW)


def check_relations(relations: Iterable[Relation]) -> None:
    """Refuses two relations of one name, and columns that late rows get when they are set aside."""
    known: dict[str, Relation] = {}
    for relation in relations:
        if known.setdefault(relation.name.lower(), relation) != relation:
            message = f"{relation.name} is not what it was for other queries that run"
            hint = "take another name for it, or drop those queries first"
            raise ContinuaError("IN_USE", message, relation.source.span, hint=hint)
        taken = [c.name for c in relation.columns if c.name.lower() in LATE_COLUMNS]
        if relation.late == "KEEP" and taken:
            message = f"LATE KEEP of {relation.name} has a column {taken[0]} of its own"
            hint = f"call the stream's otherwise; LATE KEEP adds {' and '.join(LATE_COLUMNS)}"
            raise ContinuaError("DUPLICATE_NAME", message, relation.source.span, hint=hint)


def registered(queries: Iterable[Continuous], manifest: Manifest) -> Mapping[str, Registered]:
    """The queries with their origins: that of a new one is where the graph stands.

    Queries that begin together, and are of one shape, are merged, and stay so when some leave.
    """
    begun = {
        query.name: known
        for query in queries
        if (known := manifest.queries.get(query.name)) is not None
        # A query that has taken the name of another one is new.
        and known.fingerprint == query.fingerprint
        and known.since < manifest.watermark
    }
    alike: dict[tuple[str, str], list[Continuous]] = {}
    for query in queries:
        if query.name not in begun:
            alike.setdefault((query.delivery, shape(query.plan)), []).append(query)
    new = {
        query.name: Registered(
            query.fingerprint,
            query.text,
            manifest.watermark,
            differing([q.plan for q in found]) or None,
        )
        for found in alike.values()
        for query in found
    }
    return {query.name: begun.get(query.name) or new[query.name] for query in queries}


def _change(was: str, now: str) -> str:
    """How a plan has changed."""
    if was == now:
        return "it takes other columns, or what it reads is declared in another way"
    return f"it was {_first_difference(was, now)}, and is now {_first_difference(now, was)}"


def _first_difference(text: str, other: str) -> str:
    """The first line of a plan that the other has not."""
    others = set(other.split("\n"))
    found = (line.strip(" ├└│─") for line in text.split("\n") if line not in others)
    return next(found, "longer")
