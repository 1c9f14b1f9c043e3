"""The catalog: what names mean in a session."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Protocol

from continua.errors import ContinuaError, Span, did_you_mean
from continua.logical.expr import aggregates, functions
from continua.logical.expr.aggregates import AggregateFunction
from continua.logical.expr.function import Function
from continua.logical.node import Node
from continua.model.catalog import Relation


@dataclass(frozen=True)
class Derived:
    """A derived stream: a name for a query (TODS §3.3), and the names the query itself uses."""

    name: str
    plan: Node
    uses: frozenset[str]
    text: str


@dataclass(frozen=True)
class Sink:
    """Where INSERT INTO writes, and in which form rows are delivered; None: as suits a query."""

    name: str
    format: str
    options: tuple[tuple[str, object], ...]
    delivery: str | None
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True)
class Group:
    """Streams whose batches are numbered together (Jain §4.2), by the keys of their names.

    each: every tuple is a batch by itself. by: of each stream the positions of the columns that
    order the batches.
    """

    name: str
    streams: tuple[str, ...]
    each: bool
    by: tuple[tuple[int, ...], ...]
    text: str


Entry = Relation | Derived | Sink | Group


def kind_of(entry: Entry) -> str:
    if isinstance(entry, Sink | Group):
        return type(entry).__name__.lower()
    return "table" if isinstance(entry, Relation) and entry.is_table else "stream"


class Named(Protocol):
    """A name with its place."""

    @property
    def text(self) -> str: ...
    @property
    def span(self) -> Span: ...


class Catalog:
    """Streams, tables, sinks and functions by name, whatever the case of its letters.

    `foreign` looks up functions that the engine knows besides the listed ones.
    """

    def __init__(self, foreign: Callable[[str], Function | None] | None = None) -> None:
        self._foreign = foreign
        self._entries: dict[str, Entry] = {}
        self._functions: dict[str, Function] = {}
        self._aggregates: dict[str, AggregateFunction] = {}

    @property
    def entries(self) -> Mapping[str, Entry]:
        return self._entries

    def find(self, name: str) -> Entry | None:
        return self._entries.get(name.lower())

    def group_of(self, stream: Relation) -> Group | None:
        """The group that a stream is a member of, if one has been made."""
        return next((group for group in self._groups if stream.key in group.streams), None)

    @property
    def _groups(self) -> Iterator[Group]:
        return (entry for entry in self._entries.values() if isinstance(entry, Group))

    def get(self, name: Named, makes: str = "CREATE STREAM") -> Entry:
        """What a name stands for; `makes` is the statement that would make one."""
        entry = self.find(name.text)
        if entry is None:
            names = [e.name for e in self._entries.values()]
            otherwise = f"known: {', '.join(sorted(names))}" if names else f"{makes} makes one"
            raise ContinuaError(
                "UNKNOWN_STREAM",
                f"there is no stream, table or sink named {name.text}",
                name.span,
                hint=did_you_mean(name.text, names, otherwise),
            )
        return entry

    def check_free(self, name: Named) -> None:
        existing = self.find(name.text)
        if existing is not None:
            raise ContinuaError(
                "DUPLICATE_NAME",
                f"there is a {kind_of(existing)} named {existing.name} already",
                name.span,
                hint="CREATE OR REPLACE, or DROP it first",
            )

    def add(self, entry: Entry, name: Named, replace: bool = False) -> None:
        if not replace:
            self.check_free(name)
        if isinstance(entry, Derived) and name.text.lower() in entry.uses:
            message = f"{name.text} cannot be replaced by a query over itself"
            raise ContinuaError("IN_USE", message, name.span, hint="take another name")
        existing = self.find(name.text)
        if existing is not None:
            self._check_unused(existing, name)
        self._entries[name.text.lower()] = entry

    @contextmanager
    def restored_on_error(self) -> Iterator[None]:
        """If what is done inside fails, nothing has been declared or dropped."""
        before = dict(self._entries)
        try:
            yield
        except BaseException:
            self._entries = before
            raise

    def update(self, entry: Relation) -> None:
        """A relation in place of the one of its name, with more rows."""
        self._entries[entry.name.lower()] = entry

    def drop(self, kind: str, name: Named, if_exists: bool) -> None:
        if if_exists and self.find(name.text) is None:
            return
        entry = self.get(name)
        if kind_of(entry) != kind.lower():
            raise ContinuaError(
                "UNKNOWN_STREAM",
                f"{entry.name} is a {kind_of(entry)}, not a {kind.lower()}",
                name.span,
                hint=f"DROP {kind_of(entry).upper()} {entry.name}",
            )
        self._check_unused(entry, name)
        del self._entries[name.text.lower()]

    def _check_unused(self, entry: Entry, name: Named) -> None:
        own = entry.name.lower()
        read = entry.streams if isinstance(entry, Group) else (own,)
        for key in read:
            self.check_not_read(key, name)
        group = next((g for g in self._groups if own in g.streams), None)
        if group is not None:
            message = f"{entry.name} is in the group {group.name}"
            hint = f"DROP GROUP {group.name} first"
            raise ContinuaError("IN_USE", message, name.span, hint=hint)

    def check_not_read(self, key: str, name: Named) -> None:
        """Raises if a derived stream reads what has a key, which the statement would change."""
        for other in self._entries.values():
            if isinstance(other, Derived) and key in other.uses:
                message = f"the stream {other.name} is built on {self._entries[key].name}"
                hint = f"DROP STREAM {other.name} first"
                raise ContinuaError("IN_USE", message, name.span, hint=hint)

    def register(self, function: Function | AggregateFunction) -> None:
        """Makes a user's function known; under a name that is taken it is another version."""
        before = self._functions.get(function.name) or self._aggregates.get(function.name)
        if before is not None:
            function = replace(function, version=before.version + 1)
        if isinstance(function, Function):
            self._functions[function.name] = function
            self._aggregates.pop(function.name, None)
        else:
            self._aggregates[function.name] = function
            self._functions.pop(function.name, None)

    def function(self, name: str) -> Function | None:
        return self._functions.get(name.lower()) or functions.lookup(name)

    def foreign(self, name: str) -> Function | None:
        """A function that only the engine knows."""
        return self._foreign(name) if self._foreign else None

    @property
    def more_functions(self) -> str:
        """Where functions are to be had."""
        others = "" if self._foreign else "; Spark's others are there with engine='spark'"
        return f"SHOW FUNCTIONS lists them; Session.udf adds one{others}"

    def aggregate(self, name: str) -> AggregateFunction | None:
        if name.lower() in self._functions:
            return None
        return self._aggregates.get(name.lower()) or aggregates.lookup_aggregate(name)

    def function_names(self) -> list[tuple[str, str]]:
        """Every function's name and kind."""
        scalar = {*functions.FUNCTIONS, *functions.ALIASES, *self._functions}
        folding = {*aggregates.AGGREGATES, *aggregates.ALIASES, *self._aggregates}
        return sorted([(n, "scalar") for n in scalar] + [(n, "aggregate") for n in folding])
