"""Where batches are made: SIMULTANEITY of a stream or of a group, and SPREAD (Jain §4.2, §5)."""

from __future__ import annotations

from collections.abc import Sequence

from continua.errors import ContinuaError, Span, counted
from continua.logical.node import Node
from continua.logical.scan import Scan
from continua.logical.spread import Spread
from continua.model.catalog import Relation, Simultaneity
from continua.model.types import Type
from continua.sql import statements as s
from continua.sql.bind_table import relation_plan
from continua.sql.bind_window import position_of
from continua.sql.catalog import Catalog, Derived, Group, kind_of
from continua.sql.tokens import Name

Positions = tuple[tuple[int, ...], ...]
"""Of each stream, those of the columns that order its batches."""


def simultaneity(relation: Relation, batching: s.Batching) -> Simultaneity | None:
    """What a stream says of its batches; None if every time is one."""
    if batching.kind == "TIME":
        return None
    if relation.end is not None:
        message = "tuples with a validity of their own are not in batches"
        raise ContinuaError("TIME_ATTRIBUTE", message, batching.span, hint="leave out UNTIL")
    (by,) = _positions([Scan(relation)], batching.by)
    return Simultaneity(batching.kind == "TUPLE", by)


def reference(catalog: Catalog, relation: Relation, with_time: bool, span: Span | None) -> Node:
    """A stream or table as it is read, in the batches that have been declared."""
    scan = relation_plan(relation, with_time, span)
    declared, group = relation.simultaneity, catalog.group_of(relation)
    if declared is not None:
        return Spread((scan,), 0, (declared.by,), declared.each, True, span=span)
    if group is None or not (group.each or any(group.by)):
        return scan
    members = [catalog.find(key) for key in group.streams]
    scans = [Scan(m, with_time, span=span) for m in members if isinstance(m, Relation)]
    number = group.streams.index(relation.key)
    return Spread(tuple(scans), number, group.by, group.each, True, span=span)


def declare_group(catalog: Catalog, statement: s.CreateGroup) -> Group:
    """A group of streams, none of which has batches yet."""
    members = []
    for name in statement.streams:
        entry = catalog.get(name)
        if not isinstance(entry, Relation) or entry.is_table or entry.end is not None:
            message = f"a group is made of streams that are read, and {entry.name} is none"
            raise ContinuaError("NOT_A_STREAM", message, name.span, hint="SPREAD takes any stream")
        known = catalog.group_of(entry)
        if known is not None and known.name.lower() != statement.name.text.lower():
            message = f"{entry.name} is in the group {known.name} already"
            hint = f"DROP GROUP {known.name} first"
            raise ContinuaError("IN_USE", message, name.span, hint=hint)
        if entry.simultaneity is not None:
            message = f"{entry.name} is declared with batches of its own"
            hint = "declare it without SIMULTANEITY, or SPREAD ALL it with the others"
            raise ContinuaError("IN_USE", message, name.span, hint=hint)
        if known is None:
            catalog.check_not_read(entry.key, name)
        if entry in members:
            message = f"{entry.name} is named twice"
            raise ContinuaError("DUPLICATE_NAME", message, name.span)
        members.append(entry)
    by = _positions([Scan(member) for member in members], statement.batching.by)
    keys = tuple(member.key for member in members)
    each = statement.batching.kind == "TUPLE"
    return Group(statement.name.text, keys, each, by, statement.span.text)


def declare_spread(catalog: Catalog, statement: s.SpreadInto) -> list[tuple[Name, Derived]]:
    """One derived stream per output; all of them are batched together."""
    if len(statement.outputs) != len(statement.streams):
        raise ContinuaError(
            "SYNTAX",
            f"SPREAD of {counted(len(statement.streams), 'stream')} into {len(statement.outputs)}",
            statement.outputs[0].span.to(statement.outputs[-1].span),
            hint="name one output for each stream",
        )
    plans = tuple(_stream(catalog, name) for name in statement.streams)
    # The tuples of one batch have one time, which so refines nothing.
    on = [name for name in statement.on if not all(_is_time(plan, name) for plan in plans)]
    by, each = _positions(plans, on), not statement.on
    uses = frozenset(name.text.lower() for name in statement.streams)
    return [
        (
            output,
            Derived(
                output.text,
                Spread(plans, number, by, each, statement.anew, span=statement.span),
                uses,
                statement.span.text,
            ),
        )
        for number, output in enumerate(statement.outputs)
    ]


def _positions(plans: Sequence[Node], names: Sequence[Name]) -> Positions:
    """Where the columns that order batches stand in each of several streams."""
    found = tuple(
        tuple(position_of(plan, name, "to order batches by") for name in names) for plan in plans
    )
    for number, name in enumerate(names):
        types = [plan.schema.types[by[number]] for plan, by in zip(plans, found, strict=True)]
        if not all(_ordered_together(type_, types[0]) for type_ in types):
            listed = " and ".join(dict.fromkeys(map(str, types)))
            message = f"{name} is of the types {listed}, which are not ordered together"
            hint = "give it one type, in a derived stream with a CAST"
            raise ContinuaError("TYPE_MISMATCH", message, name.span, hint=hint)
    return found


def _ordered_together(a: Type, b: Type) -> bool:
    return a == b or (a.integral and b.integral)


def _stream(catalog: Catalog, name: Name) -> Node:
    """What SPREAD is to put into batches."""
    entry = catalog.get(name)
    plan: Node | None = None
    if isinstance(entry, Derived):
        plan = entry.plan
    elif isinstance(entry, Relation):
        plan = reference(catalog, entry, False, name.span)
    if plan is not None and plan.chronon:
        return plan
    what = "a relation" if plan is not None and plan.streaming else f"a {kind_of(entry)}"
    message = f"SPREAD takes streams, and {entry.name} is {what}"
    hint = f"CREATE STREAM i AS ISTREAM (SELECT * FROM {entry.name}) makes one of its insertions"
    hint = hint if plan is not None else "SPREAD s1, s2 INTO o1, o2"
    raise ContinuaError("NOT_A_STREAM", message, name.span, hint=hint)


def _is_time(plan: Node, on: Name) -> bool:
    """Whether a name means the stream's time: the time attribute of what it is made from."""
    if on.text.lower() in (name.lower() for name in plan.schema.names):
        return False
    relations = [node.relation for node in plan.walk() if isinstance(node, Scan)]
    return any((relation.start or "").lower() == on.text.lower() for relation in relations)
