"""What every operator of the logical algebra is: a frozen node that knows its meaning."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Final, Literal

from continua.errors import ContinuaError, Span
from continua.model.catalog import Relation
from continua.model.digest import digest
from continua.model.element import SourceRow
from continua.model.instant import Time
from continua.model.schema import Schema, TimeDomain
from continua.model.timeline import Timeline
from continua.model.types import BIGINT, common_type


@dataclass(frozen=True)
class Context:
    """What a plan is evaluated over: its sources, and the least and greatest time in the data.

    Streams that are not chronon streams are sampled between these two times (TODS §8.2.2).
    """

    rows: Callable[[Relation], Sequence[SourceRow]]
    first: Time
    last: Time


@dataclass(frozen=True)
class Node(ABC):
    """An operator and its inputs.

    A node is checked when it is made, derives its schema, and has a meaning: the logical stream
    it produces from the logical streams of its inputs.
    """

    span: Span | None = field(default=None, compare=False, repr=False, kw_only=True)

    @property
    @abstractmethod
    def inputs(self) -> tuple[Node, ...]: ...

    @property
    @abstractmethod
    def schema(self) -> Schema: ...

    @property
    @abstractmethod
    def chronon(self) -> bool:
        """Whether its elements last one instant of time (TODS definition 2.4)."""

    @property
    def batched(self) -> bool:
        """Whether several batches may fall on one time (design §1), by what is declared."""
        return any(node.batched for node in self.inputs)

    @cached_property
    def group(self) -> str | None:
        """The group of streams among which its batches are numbered (Jain §4.2); None if it reads
        tables only, which change in the first batch of a time."""
        return group_of(self.inputs, self.span)

    @property
    def gives(self) -> Literal["stream", "relation"]:
        """What a query that is this plan gives (design §2): a stream consists of elements, a
        relation of rows that are valid for some time."""
        return "stream" if self.chronon else "relation"

    @property
    def asks_identity(self) -> bool:
        """Whether its inputs must carry identities (row windows, streamers)."""
        return False

    @property
    @abstractmethod
    def label(self) -> str:
        """The operator in one line, for EXPLAIN."""

    @abstractmethod
    def meaning(self, inputs: Sequence[Timeline], context: Context) -> Timeline: ...

    @cached_property
    def digest(self) -> str:
        """What it computes, as a name; labels are for people."""
        return digest(self)

    @property
    def digested(self) -> tuple[object, ...]:
        """What bears on its meaning; its inputs by their digests."""
        found = (getattr(self, field.name) for field in fields(self) if field.compare)
        return tuple(value.digest if isinstance(value, Node) else value for value in found)

    @cached_property
    def time(self) -> TimeDomain | None:
        """The time of the result; None for what is valid always (static tables)."""
        combined: TimeDomain | None = None
        # Streams first: a table has no say in the granule of what it is joined with.
        for node in sorted(self.inputs, key=lambda node: not node.streaming):
            time = node.time
            if combined is not None and time is not None and not node.streaming:
                time = replace(time, granule=combined.granule)
            combined = combine_time(combined, time, self.span)
        return combined

    @cached_property
    def streaming(self) -> bool:
        """Whether a stream, not only tables, lies below."""
        return any(node.streaming for node in self.inputs)

    def walk(self) -> Iterator[Node]:
        yield self
        for node in self.inputs:
            yield from node.walk()


@dataclass(frozen=True)
class Unary(Node):
    """An operator on one stream that keeps the schema and the chronon property."""

    input: Node

    @property
    def inputs(self) -> tuple[Node, ...]:
        return (self.input,)

    @property
    def schema(self) -> Schema:
        return self.input.schema

    @property
    def chronon(self) -> bool:
        return self.input.chronon


@dataclass(frozen=True)
class Binary(Node):
    """An operator on two streams whose times and groups must fit."""

    left: Node
    right: Node

    def __post_init__(self) -> None:
        _ = self.time, self.group  # combining them checks them

    @property
    def inputs(self) -> tuple[Node, ...]:
        return (self.left, self.right)


@dataclass(frozen=True)
class Pairing(Binary):
    """An operator whose tuples are pairs; they last no longer than either part."""

    @cached_property
    def schema(self) -> Schema:
        return self.left.schema + self.right.schema

    @property
    def chronon(self) -> bool:
        return self.left.chronon or self.right.chronon


@dataclass(frozen=True)
class Choosing(Binary):
    """An operator that keeps some of the left tuples, as the right ones decide."""

    @property
    def schema(self) -> Schema:
        return self.left.schema

    @property
    def chronon(self) -> bool:
        return self.left.chronon


@dataclass(frozen=True)
class SetOperation(Binary):
    """An operator on two streams of compatible schemas; the left one names the columns."""

    def __post_init__(self) -> None:
        super().__post_init__()
        assert self.left.schema.types == self.right.schema.types, "the binder aligns the types"

    @property
    def schema(self) -> Schema:
        return self.left.schema


def combine_time(
    a: TimeDomain | None, b: TimeDomain | None, span: Span | None = None
) -> TimeDomain | None:
    """The time of a combination: the finer granule; integers and timestamps do not combine."""
    if a is None or b is None or a == b:
        return a or b
    if a.integral != b.integral:
        raise ContinuaError(
            "TIME_MISMATCH",
            "streams of integer time and of timestamps cannot be combined",
            span,
            hint="declare both time attributes with the same kind of type",
        )
    granule = None if a.granule is None or b.granule is None else min(a.granule, b.granule)
    return TimeDomain(common_type(a.type, b.type) or BIGINT, granule)


TIME_DRIVEN: Final = "time"
"""The group of all streams whose times are one batch each."""


def group_of(nodes: Iterable[Node], span: Span | None = None) -> str | None:
    """The group of a combination: batches of different groups cannot be compared (Jain §4.2)."""
    groups = {node.group for node in nodes} - {None}
    if len(groups) > 1:
        raise ContinuaError(
            "GROUP_MISMATCH",
            "batches of streams of different groups cannot be compared",
            span,
            hint="SPREAD ALL s1, s2 INTO o1, o2 puts the tuples of streams into batches together",
        )
    return next(iter(groups), None)
