"""The relations that a slab computes, and what they use of the user's Python and text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from continua.errors import ContinuaError, Span
from continua.logical.expr.aggregates import AggregateFunction
from continua.logical.expr.function import Function
from continua.model.types import Type
from continua.physical.relation import (
    EMPTY,
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


@dataclass
class Builder:
    """Makes relations, each once; those over nothing are nothing."""

    one_task: bool = False
    """Whether what is read from outside is read by one task, so that nothing is shuffled."""

    operators: dict[Rel, str] = field(default_factory=dict)
    """The relations that are outputs of operators, with what these are called."""
    places: dict[str, Span] = field(default_factory=dict)
    """The place in the user's text that a fragment of SQL stands for."""
    functions: dict[str, tuple[Function | AggregateFunction, Type]] = field(default_factory=dict)
    """The user's functions, with the types of their results, by their names in SQL."""

    failures: list[Callable[[int], ContinuaError]] = field(default_factory=list)
    """The errors that failures at a time mean; their messages carry the numbers they have here."""

    limits: dict[str, ContinuaError] = field(default_factory=dict)
    """The errors that overflows in fragments of SQL mean."""

    _made: dict[Rel, Rel] = field(default_factory=dict)

    def python(self, function: Function | AggregateFunction, result: Type) -> str:
        """The name by which SQL calls a function that the user wrote in Python."""
        name = f"{function.name}_{id(function):x}"
        self.functions[name] = (function, result)
        return name

    def _once(self, rel: Rel) -> Rel:
        _ = rel.types  # finding them checks them
        return self._made.setdefault(rel, rel)

    def select(
        self, hint: str, rel: Rel, outputs: Iterable[Output], where: str | None = None
    ) -> Rel:
        """Every row that fulfils a condition, with new columns."""
        if rel is EMPTY:
            return EMPTY
        return self._once(Select(hint, rel, tuple(outputs), where))

    def outside(
        self, hint: str, view: View, outputs: Sequence[Output], where: str | None = None
    ) -> Rel:
        """Rows that are read from outside: what one task computes is read by one."""
        return self._once(Select(hint, view, tuple(outputs), where, self.one_task))

    def where(self, hint: str, rel: Rel, condition: str) -> Rel:
        """The rows of a relation that fulfil a condition."""
        return self.select(hint, rel, [(name, name) for name in rel.columns], condition)

    def union(self, hint: str, *rels: Rel) -> Rel:
        """All rows of relations of the same columns."""
        parts = tuple(rel for rel in rels if rel is not EMPTY)
        if len(parts) < 2:
            return parts[0] if parts else EMPTY
        return self._once(Union(hint, parts, self.one_task))

    def moved(self, hint: str, rel: Rel, by: Sequence[str]) -> Rel:
        """The rows as they are, those of equal keys in one place."""
        return rel if rel is EMPTY or not by else self._once(Moved(hint, rel, tuple(by)))

    def windowed(
        self,
        hint: str,
        rel: Rel,
        outputs: Iterable[Output],
        where: str | None = None,
        **windows: Window,
    ) -> Rel:
        """Every row that fulfils a condition, with columns that look `OVER` the named windows."""
        if rel is EMPTY:
            return EMPTY
        return self._once(Windowed(hint, rel, tuple(outputs), tuple(windows.items()), where))

    def exploded(
        self,
        hint: str,
        rel: Rel,
        array: str,
        each: str,
        outputs: Iterable[Output],
        where: str | None = None,
    ) -> Rel:
        """A row for every value of an array, which has the name `each` in outputs and condition."""
        if rel is EMPTY:
            return EMPTY
        return self._once(Exploded(hint, rel, tuple(outputs), array, each, where))

    def group(
        self,
        hint: str,
        rel: Rel,
        by: Iterable[str],
        outputs: Iterable[Output] = (),
        having: str | None = None,
    ) -> Rel:
        """A row for every combination of keys, with aggregates; without any, the keys alone."""
        if rel is EMPTY:
            return EMPTY
        return self._once(Group(hint, rel, tuple(by), tuple(outputs), having))

    def join(
        self,
        hint: str,
        kind: str,
        left: Rel,
        right: Rel,
        on: str | None,
        outputs: Iterable[Output],
        hashed: bool = False,
    ) -> Rel:
        """Pairs `l`, `r` of rows that fulfil a condition. kind: as SQL says it before JOIN."""
        return self._once(Join(hint, kind, left, right, on, tuple(outputs), hashed))

    def values(self, hint: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Rel:
        """Rows that are written down."""
        return self._once(Values(hint, tuple(columns), tuple(map(tuple, rows))))

    def shared(self, rels: Sequence[Rel]) -> list[Rel]:
        """What is used several times to make relations, and is work, in the order to compute it.

        Spark computes a relation as often as it is used. Where there are many tasks and
        many rows, only what shuffles is worth keeping.
        """
        needed = below(rels)
        used = uses(needed)
        for rel in rels:
            used[rel] = used.get(rel, 0) + 1
        shared: list[Rel] = []
        work: dict[Rel, bool] = {}
        for node in needed:
            heavy = node.work if self.one_task else node.shuffles
            work[node] = heavy or any(work[read] for read in node.inputs)
            if work[node] and used.get(node, 0) > 1:
                shared.append(node)
                work[node] = False
        return shared

    def outputs(self, rels: Sequence[Rel]) -> list[Rel]:
        """The outputs of operators of which relations are made, in the order to compute them."""
        return [node for node in below(rels) if node in self.operators]
