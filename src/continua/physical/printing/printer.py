"""What is alike in every SQL: how relations are nested or named, and most kinds of queries.

A relation that is used once is written where it is used, one that is used more often gets a name.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, NamedTuple

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

Refer = Callable[[Rel, str], str]
"""A relation where it is read, with the name it has there."""

NOTHING = "1 AS one"
"""What is selected of a relation without columns."""


class _Written(NamedTuple):
    text: str
    depth: int


class Printer(ABC):
    """Writes relations in one dialect of SQL."""

    deepest: ClassVar[int]
    """How deep queries are nested at most."""

    def text(self, rel: Rel, views: Mapping[Rel, str] | None = None) -> str:
        """The query of a relation, with all that it is made from.

        views: relations that have been computed already, by the names of their views.
        """
        views = views or {}
        if isinstance(rel, View):
            return self._all_of(rel, rel.name)
        if rel in views:
            return self._all_of(rel, views[rel])
        needed = below([rel], views)
        used = uses(needed)
        nested: dict[Rel, _Written] = {}
        named: dict[Rel, str] = {}
        written: list[str] = []

        def refer(read: Rel, alias: str) -> str:
            if read in nested:
                return f"({nested[read].text}) {alias}"
            name = read.name if isinstance(read, View) else views.get(read) or named[read]
            return f"{name} {alias}"

        for node in needed[:-1]:
            if isinstance(node, View):
                continue
            text = self.query(node, refer)
            depth = 1 + max((nested[x].depth for x in node.inputs if x in nested), default=0)
            if used[node] == 1 and depth < self.deepest:
                nested[node] = _Written(text, depth)
            else:
                named[node] = f"{node.hint}_{len(named)}"
                written.append(f"{named[node]} AS (\n  {text})")
        head = "WITH " + ",\n".join(written) + "\n" if written else ""
        return head + self.query(rel, refer)

    def _all_of(self, rel: Rel, name: str) -> str:
        return f"SELECT {self.listed([(c, c) for c in rel.columns])} FROM {name}"

    def query(self, rel: Rel, refer: Refer) -> str:
        """One relation, over the text or the names of what it reads."""
        match rel:
            case Select():
                return self.select(rel, refer)
            case Moved():
                return self.moved(rel, refer)
            case Windowed(input=read, outputs=outputs, windows=windows, where=where):
                defined = ", ".join(f"{name} AS ({self.window(w)})" for name, w in windows)
                source = f"{refer(read, 't')}{self.where(where)}"
                return f"SELECT {self.listed(outputs)} FROM {source} WINDOW {defined}"
            case Exploded():
                return self.exploded(rel, refer)
            case Group():
                return self.grouped(rel, refer)
            case Union():
                return self.union(rel, refer)
            case Join():
                return self.join(rel, refer)
            case Values():
                return self.values(rel)
        raise AssertionError(f"no relation that is computed: {rel}")

    @abstractmethod
    def select(self, rel: Select, refer: Refer) -> str: ...

    @abstractmethod
    def moved(self, rel: Moved, refer: Refer) -> str: ...

    @abstractmethod
    def exploded(self, rel: Exploded, refer: Refer) -> str: ...

    @abstractmethod
    def union(self, rel: Union, refer: Refer) -> str: ...

    @abstractmethod
    def join(self, rel: Join, refer: Refer) -> str: ...

    @abstractmethod
    def scalar(self, text: str) -> str:
        """A scalar expression, or several in a list."""

    @abstractmethod
    def order(self, text: str) -> str:
        """What ORDER BY goes by."""

    @abstractmethod
    def name(self, column: str) -> str:
        """The name of a column."""

    def grouped(self, rel: Group, refer: Refer) -> str:
        source = refer(rel.input, "t")
        by = ", ".join(map(self.name, rel.by))
        if not rel.outputs and not rel.having:
            return f"SELECT DISTINCT {by or NOTHING} FROM {source}"
        listed = self.listed([*((name, name) for name in rel.by), *rel.outputs])
        having = f" HAVING {self.scalar(rel.having)}" if rel.having else ""
        return f"SELECT {listed} FROM {source}{f' GROUP BY {by}' if by else ''}{having}"

    def all_parts(self, rel: Union, refer: Refer) -> str:
        listed = ", ".join(map(self.name, rel.columns)) or NOTHING
        return " UNION ALL ".join(f"SELECT {listed} FROM {refer(part, 't')}" for part in rel.parts)

    def values(self, rel: Values) -> str:
        if len(rel.rows) == 1:
            return f"SELECT {self.listed(list(zip(rel.given, rel.rows[0], strict=True)))}"
        rows = ", ".join(f"({', '.join(map(self.scalar, row))})" for row in rel.rows)
        return f"SELECT * FROM (VALUES {rows}) AS v({', '.join(map(self.name, rel.given))})"

    def listed(self, outputs: Sequence[Output]) -> str:
        return ", ".join(map(self._output, outputs)) or NOTHING

    def _output(self, output: Output) -> str:
        name, expression = output
        if name == expression:
            return self.name(name)
        return f"{self.scalar(expression)} AS {self.name(name)}"

    def where(self, condition: str | None) -> str:
        return f" WHERE {self.scalar(condition)}" if condition else ""

    def window(self, window: Window) -> str:
        by = ", ".join(map(self.scalar, window.by)) or "1"
        order = f" ORDER BY {self.order(window.order)}" if window.order else ""
        frame = f" {window.frame}" if window.frame else ""
        return f"PARTITION BY {by}{order}{frame}"
