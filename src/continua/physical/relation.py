"""What a slab computes: a graph of relations, each made from others (design §6).

A relation is frozen, knows its columns and the types of most of them, and refuses to be made of
columns that its inputs do not have, or of types that do not go together. Two relations are equal if
their structure is. Scalar expressions are SQL; where a relation has two inputs, these are called
`l` and `r` in it. A printer writes a graph as one text.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import chain
from typing import ClassVar


class Typed(str):
    """A scalar expression whose type is known, as Spark writes it."""

    _type: str

    @property
    def type(self) -> str:
        return self._type


def typed(text: str, type_: str) -> Typed:
    """An expression of a type."""
    found = Typed(text)
    found._type = type_
    return found


Output = tuple[str, str]
"""A column, and the expression that it is computed by."""


class IllFormed(Exception):
    """A relation was to be made of what is not there, or does not fit: a mistake in an operator."""


@dataclass(frozen=True, eq=False)
class Rel(ABC):
    """A relation. hint: a name for people who read the SQL; it has no meaning."""

    hint: str
    shuffles: ClassVar[bool] = False
    """Whether rows have to be brought together for it."""
    work: ClassVar[bool] = False
    """Whether it takes more than a look at every row."""

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]: ...

    @property
    def inputs(self) -> tuple[Rel, ...]:
        """The relations it reads, one as often as it is read."""
        return ()

    @cached_property
    def types(self) -> Mapping[str, str]:
        """The types of its columns, where they are known."""
        return {}

    @cached_property
    def _structure(self) -> tuple[object, ...]:
        return tuple(getattr(self, f.name) for f in fields(self) if f.name != "hint")

    @cached_property
    def _hash(self) -> int:
        return hash((type(self), self._structure))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other or not isinstance(other, Rel) or type(self) is not type(other):
            return self is other
        return self._hash == other._hash and self._structure == other._structure


@dataclass(frozen=True, eq=False)
class Empty(Rel):
    """No rows: it vanishes from unions, and nothing is read for it."""

    @property
    def columns(self) -> tuple[str, ...]:
        return ()


EMPTY = Empty("empty")


@dataclass(frozen=True, eq=False)
class View(Rel):
    """A view of the session, by its name."""

    name: str
    given: tuple[str, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        return self.given


@dataclass(frozen=True, eq=False)
class Values(Rel):
    """Rows that are written down, each as expressions; without columns to read."""

    given: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    @property
    def columns(self) -> tuple[str, ...]:
        return self.given


@dataclass(frozen=True, eq=False)
class OverOne(Rel):
    """A relation that is made from one other."""

    input: Rel

    @property
    def inputs(self) -> tuple[Rel, ...]:
        return (self.input,)


@dataclass(frozen=True, eq=False)
class Computed(OverOne):
    """Rows of one input with new columns."""

    outputs: tuple[Output, ...]

    def __post_init__(self) -> None:
        _check(self.hint, self.readable, _columns_in(e for _, e in self.outputs))

    @cached_property
    def types(self) -> Mapping[str, str]:
        return _types(self.hint, self.outputs, self.input.types)

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.outputs)

    @property
    def readable(self) -> tuple[str, ...]:
        """The columns that the outputs may be computed from."""
        return self.input.columns


@dataclass(frozen=True, eq=False)
class Select(Computed):
    """The rows that fulfil a condition, with new columns. together: by one task."""

    where: str | None = None
    together: bool = False


@dataclass(frozen=True, eq=False)
class Moved(OverOne):
    """The rows as they are, those of equal keys in one place."""

    by: tuple[str, ...]
    shuffles = work = True

    def __post_init__(self) -> None:
        _check(self.hint, self.input.columns, self.by)

    @property
    def columns(self) -> tuple[str, ...]:
        return self.input.columns

    @cached_property
    def types(self) -> Mapping[str, str]:
        return self.input.types


@dataclass(frozen=True)
class Window:
    """The rows that a row is seen among: those of equal keys, in an order.

    frame: from which of them to which; none is SQL's default.
    """

    by: tuple[str, ...]
    order: str = ""
    frame: str = ""


UP_TO_PEERS = "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"
UP_TO_ROW = "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"
BEFORE_ROW = "ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING"


@dataclass(frozen=True, eq=False)
class Windowed(Computed):
    """The rows with columns that look at others `OVER` a window, which has a name."""

    windows: tuple[tuple[str, Window], ...]
    where: str | None = None
    shuffles = work = True

    def __post_init__(self) -> None:
        super().__post_init__()
        for _, window in self.windows:
            _check(self.hint, self.readable, _columns_in(window.by))


@dataclass(frozen=True, eq=False)
class Exploded(Computed):
    """A row for every value of an array, which outputs and condition read by the name `each`."""

    array: str
    each: str
    where: str | None = None
    work = True

    @property
    def readable(self) -> tuple[str, ...]:
        return (*self.input.columns, self.each)


@dataclass(frozen=True, eq=False)
class Group(OverOne):
    """One row for every combination of keys, with aggregates; without keys, one row in all."""

    by: tuple[str, ...]
    outputs: tuple[Output, ...]
    having: str | None = None
    shuffles = work = True

    def __post_init__(self) -> None:
        _check(self.hint, self.input.columns, (*self.by, *_columns_in(e for _, e in self.outputs)))

    @property
    def columns(self) -> tuple[str, ...]:
        return (*self.by, *(name for name, _ in self.outputs))

    @cached_property
    def types(self) -> Mapping[str, str]:
        outputs = [*((name, name) for name in self.by), *self.outputs]
        return _types(self.hint, outputs, self.input.types)


@dataclass(frozen=True, eq=False)
class Union(Rel):
    """All rows of relations of the same columns. together: by one task."""

    parts: tuple[Rel, ...]
    together: bool = False
    work = True

    def __post_init__(self) -> None:
        for part in self.parts:
            if part.columns != self.columns:
                raise IllFormed(f"{self.hint}: parts have {self.columns} and {part.columns}")

    @property
    def columns(self) -> tuple[str, ...]:
        return self.parts[0].columns

    @cached_property
    def types(self) -> Mapping[str, str]:
        found: dict[str, str] = {}
        for part in self.parts:
            for name, type_ in part.types.items():
                if found.setdefault(name, type_) != type_:
                    message = f"{self.hint}: {name} is {found[name]} in one part and {type_} in one"
                    raise IllFormed(message)
        return found

    @property
    def inputs(self) -> tuple[Rel, ...]:
        return self.parts


@dataclass(frozen=True, eq=False)
class Join(Rel):
    """Pairs of rows `l` and `r` that fulfil a condition. kind: as SQL says it before JOIN.

    hashed: whether the right rows are few, and looked up in a table of them.
    """

    kind: str
    left: Rel
    right: Rel
    on: str | None
    outputs: tuple[Output, ...]
    hashed: bool = False
    shuffles = work = True

    def __post_init__(self) -> None:
        for side, rel in (("l.", self.left), ("r.", self.right)):
            read = (e for _, e in self.outputs if e.startswith(side))
            _check(self.hint, rel.columns, _columns_in(e.removeprefix(side) for e in read))

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.outputs)

    @cached_property
    def types(self) -> Mapping[str, str]:
        sides = (("l", self.left), ("r", self.right))
        known = {f"{side}.{name}": t for side, rel in sides for name, t in rel.types.items()}
        return _types(self.hint, self.outputs, known)

    @property
    def inputs(self) -> tuple[Rel, ...]:
        return (self.left, self.right)


def _types(hint: str, outputs: Iterable[Output], known: Mapping[str, str]) -> Mapping[str, str]:
    """The types of outputs: an expression may know its type, a column passed on keeps its type.

    An output whose name has a type must be of that type.
    """
    found: dict[str, str] = {}
    for name, expression in outputs:
        type_ = expression.type if isinstance(expression, Typed) else known.get(expression)
        if isinstance(name, Typed) and type_ not in (None, name.type):
            raise IllFormed(f"{hint}: {name} is {name.type}, and {expression} is {type_}")
        if type_ is not None:
            found[name] = type_
    return found


_VALUES = {"NULL", "TRUE", "FALSE"}


def _columns_in(expressions: Iterable[str]) -> Iterable[str]:
    """The expressions that are just a column; which columns the others read is not known."""
    return (e for e in expressions if e.isidentifier() and e not in _VALUES)


def _check(hint: str, columns: Collection[str], wanted: Iterable[str]) -> None:
    for name in wanted:
        if name not in columns:
            raise IllFormed(f"{hint}: there is no column {name} among {', '.join(columns)}")


def below(rels: Sequence[Rel], known: Collection[Rel] = ()) -> list[Rel]:
    """Relations and all that they are made from, inputs first, without those that are known."""
    found: dict[Rel, None] = {}
    waiting: list[tuple[Rel, bool]] = [(rel, False) for rel in reversed(rels)]
    while waiting:
        node, ready = waiting.pop()
        if ready:
            found[node] = None
        elif node not in found and node not in known:
            waiting.append((node, True))
            waiting += ((child, False) for child in reversed(node.inputs))
    return list(found)


def uses(rels: Sequence[Rel]) -> dict[Rel, int]:
    """How often relations are read by others."""
    counts: dict[Rel, int] = {}
    for child in chain.from_iterable(rel.inputs for rel in rels):
        counts[child] = counts.get(child, 0) + 1
    return counts
