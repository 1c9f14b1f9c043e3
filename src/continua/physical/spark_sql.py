"""A graph of relations as one text for Spark.

Spark parses and analyses one text in a fraction of the time that building the same plan by
DataFrame calls takes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from continua.physical.relation import (
    Exploded,
    Group,
    Join,
    Moved,
    Output,
    Rel,
    Select,
    Union,
    Values,
    View,
    Window,
    Windowed,
    below,
    uses,
)

DEEPEST = 24
"""How deep queries are nested; Spark's parser and analyzer descend by recursion."""
_TOGETHER = "/*+ COALESCE(1) */ "

Refer = Callable[[Rel, str], str]
"""A relation where it is read, with the name it has there."""


class _Written(NamedTuple):
    text: str
    depth: int


def spark_sql(rel: Rel, views: Mapping[Rel, str] | None = None) -> str:
    """The query of a relation, with what it is made from. views: what is there already, by name.

    What is used once is written where it is used: Spark analyses a chain of named queries a step
    at a time, and nested queries at once.
    """
    views = views or {}
    if rel in views:
        return f"SELECT {', '.join(rel.columns) or '1 AS one'} FROM {views[rel]}"
    needed = below(rel, views)
    used = uses(needed)
    nested: dict[Rel, _Written] = {}
    named: dict[Rel, str] = {}
    written: list[str] = []

    def refer(read: Rel, alias: str) -> str:
        if read in nested:
            return f"({nested[read].text}) {alias}"
        name = read.name if isinstance(read, View) else views.get(read) or named[read]
        return f"{name} {alias}"

    for node in needed:
        if isinstance(node, View):
            continue
        text = _query(node, refer)
        depth = 1 + max((nested[x].depth for x in node.inputs if x in nested), default=0)
        if node is rel:
            head = "WITH " + ",\n".join(written) + "\n" if written else ""
            return head + text
        if used[node] == 1 and depth < DEEPEST:
            nested[node] = _Written(text, depth)
        else:
            named[node] = f"{node.hint}_{len(named)}"
            written.append(f"{named[node]} AS (\n  {text})")
    assert isinstance(rel, View)
    return f"SELECT {', '.join(rel.columns) or '1 AS one'} FROM {rel.name}"


def _query(rel: Rel, refer: Refer) -> str:
    match rel:
        case Select(input=read, outputs=outputs, where=where, together=together):
            hint = _TOGETHER if together else ""
            return f"SELECT {hint}{_listed(outputs)} FROM {refer(read, 't')}{_where(where)}"
        case Moved(input=read, by=by):
            return f"SELECT * FROM {refer(read, 't')} DISTRIBUTE BY {', '.join(by)}"
        case Windowed(input=read, outputs=outputs, windows=windows, where=where):
            defined = ", ".join(f"{name} AS ({_window(window)})" for name, window in windows)
            source = f"{refer(read, 't')}{_where(where)}"
            return f"SELECT {_listed(outputs)} FROM {source} WINDOW {defined}"
        case Exploded(input=read, array=array, each=each, outputs=outputs, where=where):
            source = f"{refer(read, 't')} LATERAL VIEW explode({array}) AS {each}"
            return f"SELECT {_listed(outputs)} FROM {source}{_where(where)}"
        case Group(input=read, by=by, outputs=outputs, having=having):
            return _grouped(refer(read, "t"), by, outputs, having)
        case Union(parts=parts, together=together):
            listed = ", ".join(rel.columns) or "1 AS one"
            text = " UNION ALL ".join(f"SELECT {listed} FROM {refer(part, 't')}" for part in parts)
            return f"SELECT {_TOGETHER}{listed} FROM ({text})" if together else text
        case Join(kind=kind, left=left, right=right, on=on, outputs=outputs, hashed=hashed):
            hint = "/*+ SHUFFLE_HASH(r) */ " if hashed else ""
            sides = f"{refer(left, 'l')} {kind} JOIN {refer(right, 'r')}"
            condition = f" ON {on}" if on else ""
            return f"SELECT {hint}{_listed(outputs)} FROM {sides}{condition}"
        case Values(given=given, rows=(row,)):
            return f"SELECT {_listed(list(zip(given, row, strict=True)))}"
        case Values(given=given, rows=rows):
            listed = ", ".join(f"({', '.join(row)})" for row in rows)
            return f"SELECT * FROM VALUES {listed} AS v({', '.join(given)})"
    raise AssertionError(f"no relation that is computed: {rel}")


def _listed(outputs: Sequence[Output]) -> str:
    return ", ".join(name if e == name else f"{e} AS {name}" for name, e in outputs) or "1 AS one"


def _where(condition: str | None) -> str:
    return f" WHERE {condition}" if condition else ""


def _window(window: Window) -> str:
    order = f" ORDER BY {window.order}" if window.order else ""
    frame = f" {window.frame}" if window.frame else ""
    return f"PARTITION BY {', '.join(window.by) or '1'}{order}{frame}"


def _grouped(source: str, by: Sequence[str], outputs: Sequence[Output], having: str | None) -> str:
    if not outputs and not having:
        return f"SELECT DISTINCT {', '.join(by) or '1 AS one'} FROM {source}"
    listed = _listed([*((name, name) for name in by), *outputs])
    grouped = f" GROUP BY {', '.join(by)}" if by else ""
    return f"SELECT {listed} FROM {source}{grouped}{f' HAVING {having}' if having else ''}"
