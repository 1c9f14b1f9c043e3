"""The text a slab is computed by: relations, each defined by a query over earlier ones.

A slab is one SQL text. Spark parses and analyses it once, which takes a fraction of the time that
building the same plan by DataFrame calls takes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from continua.errors import ContinuaError, Span
from continua.logical.expr.aggregates import AggregateFunction
from continua.logical.expr.function import Function
from continua.model.types import Type


@dataclass(frozen=True)
class Rel:
    """A relation of the script: the name of a view or of a definition, and its columns."""

    name: str
    columns: tuple[str, ...]


EMPTY = Rel("", ())
"""The relation known to have no rows: it vanishes from unions, and nothing is read for it."""


@dataclass
class Script:
    """Definitions in the order they were made, and what they use of the user's Python."""

    one_task: bool = False
    """Whether what is read from outside is read by one task, so that nothing is shuffled."""

    _texts: dict[str, str] = field(default_factory=dict)
    _reads: dict[str, tuple[str, ...]] = field(default_factory=dict)
    _rels: dict[str, Rel] = field(default_factory=dict)
    operators: dict[str, str] = field(default_factory=dict)
    """The definitions that are outputs of operators, with what these are called."""
    places: dict[str, Span] = field(default_factory=dict)
    """The place in the user's text that a fragment of the script stands for."""
    functions: dict[str, tuple[Function | AggregateFunction, Type]] = field(default_factory=dict)
    """The user's functions, with the types of their results, by their names in the script."""

    failures: list[Callable[[int], ContinuaError]] = field(default_factory=list)
    """The errors that failures at a time mean; their messages carry the numbers they have here."""

    limits: dict[str, ContinuaError] = field(default_factory=dict)
    """The errors that overflows in fragments of the script mean."""

    def python(self, function: Function | AggregateFunction, result: Type) -> str:
        """The name by which the script calls a function that the user wrote in Python."""
        name = f"{function.name}_{id(function):x}"
        self.functions[name] = (function, result)
        return name

    def define(self, hint: str, text: str, columns: Sequence[str], reads: Iterable[Rel]) -> Rel:
        """The relation a query gives; `reads` are the relations its text names."""
        name = f"{hint}_{len(self._texts)}"
        self._texts[name] = text
        self._reads[name] = tuple(rel.name for rel in reads)
        self._rels[name] = Rel(name, tuple(columns))
        return self._rels[name]

    def select(
        self, hint: str, rel: Rel, outputs: Sequence[tuple[str, str]], where: str | None = None
    ) -> Rel:
        """Every row of a relation with new columns, given as (name, expression)."""
        if rel is EMPTY:
            return EMPTY
        listed = ", ".join(name if e == name else f"{e} AS {name}" for name, e in outputs)
        condition = f" WHERE {where}" if where else ""
        text = f"SELECT {listed} FROM {rel.name}{condition}"
        return self.define(hint, text, [name for name, _ in outputs], [rel])

    def outside(self, hint: str, view: str, outputs: Sequence[tuple[str, str]], where: str) -> Rel:
        """Rows of a view, with columns given as (name, expression)."""
        listed = ", ".join(f"{e} AS {name}" for name, e in outputs) or "1 AS one"
        together = _TOGETHER if self.one_task else ""
        text = f"SELECT {together}{listed} FROM {view} WHERE {where}"
        return self.define(re.sub("[^a-z]+", "_", hint), text, [name for name, _ in outputs], [])

    def where(self, hint: str, rel: Rel, condition: str) -> Rel:
        """The rows of a relation that fulfil a condition."""
        return self.select(hint, rel, [(name, name) for name in rel.columns], condition)

    def union(self, hint: str, *rels: Rel) -> Rel:
        """All rows of relations of the same columns."""
        parts = [rel for rel in rels if rel is not EMPTY]
        if len(parts) < 2:
            return parts[0] if parts else EMPTY
        columns = parts[0].columns
        assert all(rel.columns == columns for rel in parts), parts
        listed = ", ".join(columns)
        text = " UNION ALL ".join(f"SELECT {listed} FROM {rel.name}" for rel in parts)
        if self.one_task:
            text = f"SELECT {_TOGETHER}{listed} FROM ({text})"
        return self.define(hint, text, columns, parts)

    def text(self, rel: Rel, apart: Collection[str] = ()) -> str:
        """The query of a relation, with the definitions it needs and no others.

        A definition that is used once is written where it is used: Spark analyses a chain of
        named ones a step at a time, and nested queries at once. Those of `apart` are not written.
        """
        wanted = f"SELECT {', '.join(rel.columns) or '1 AS one'} FROM {rel.name}"
        if rel.name in apart:
            return wanted
        needed = self._needed(rel, apart)
        uses = _uses((*needed.values(), wanted))
        inlined: dict[str, _Nested] = {}
        named: list[str] = []

        def nested(text: str) -> _Nested:
            depths = [inlined[m[1]].depth for m in _NAME.finditer(text) if m[1] in inlined]
            return _Nested(
                _NAME.sub(lambda m: _written(m, inlined), text), 1 + max(depths, default=0)
            )

        for name, text in needed.items():
            query = nested(text)
            if uses[name] == 1 and query.depth < DEEPEST:
                inlined[name] = query
            else:
                named.append(f"{name} AS (\n  {query.text})")
        head = "WITH " + ",\n".join(named) + "\n" if named else ""
        return head + nested(wanted).text

    def shared(self, rel: Rel) -> list[str]:
        """The definitions that are used several times, and are work, in the order to compute them.

        Spark computes a named definition as often as it is used. Where tasks are many and rows
        too, only what shuffles is worth to be kept.
        """
        heavy = _WORK if self.one_task else _SHUFFLES
        needed = self._needed(rel)
        uses = _uses(needed.values())
        apart: list[str] = []
        work: dict[str, bool] = {}
        for name, text in needed.items():
            below = any(work.get(read, False) for read in self._reads[name])
            work[name] = below or heavy.search(text) is not None
            if work[name] and uses[name] > 1:
                apart.append(name)
                work[name] = False
        return apart

    def outputs(self, rel: Rel) -> list[str]:
        """The definitions that are outputs of operators, in the order to compute them."""
        return [name for name in self._needed(rel) if name in self.operators]

    def named(self, name: str) -> Rel:
        return self._rels[name]

    def _needed(self, rel: Rel, apart: Collection[str] = ()) -> dict[str, str]:
        """The definitions that a relation is made from, in the order they were made."""
        needed: set[str] = set()
        waiting = [rel.name]
        while waiting:
            name = waiting.pop()
            if name in self._texts and name not in needed and name not in apart:
                needed.add(name)
                waiting += self._reads[name]
        return {name: text for name, text in self._texts.items() if name in needed}


_TOGETHER = "/*+ COALESCE(1) */ "
DEEPEST = 24
"""How deep queries are nested; Spark's parser and analyzer descend by recursion."""

# The name of a definition where it is read, and the alias that may follow; keywords are capitals.
# Quoted text comes first, so that nothing is taken for a name in it.
_NAME = re.compile(r"'(?:[^'\\]|\\.)*'|\b([a-z_]+_[0-9]+)\b(?!\.)(\s+[a-z]\w*)?", re.DOTALL)


# What takes more than a look at every row.
_SHUFFLES = re.compile(" JOIN | OVER |GROUP BY|SELECT DISTINCT")
_WORK = re.compile(f"{_SHUFFLES.pattern}|UNION ALL|LATERAL")


def _uses(texts: Iterable[str]) -> Counter[str]:
    return Counter(m[1] for text in texts for m in _NAME.finditer(text))


class _Nested(NamedTuple):
    text: str
    depth: int


def _written(found: re.Match[str], inlined: Mapping[str, _Nested]) -> str:
    name, alias = found[1], found[2]
    if name not in inlined:
        return found[0]
    return f"({inlined[name].text}){alias or f' AS {name}'}"
