"""What every physical operator is, and the two forms in which a stream travels (design §6)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import ClassVar, Generic, TypeVar, final

from continua.logical.node import Node
from continua.model.schema import Schema
from continua.physical.builder import Builder
from continua.physical.extent import Extent
from continua.physical.relation import Rel
from continua.physical.slab import Slab
from continua.physical.sweep_area import State, SweepArea
from continua.physical.validity import OWN, START

N = TypeVar("N", bound=Node)
Outputs = tuple[Rel, State]


class Form(Enum):
    """How a stream travels along an edge of the plan.

    PIECES: complete intervals. What is still valid at the end of a slab, and whose end is not yet
    known, is cut there and continued in the next slab (the paper's split).

    CHANGES: what opened and what closed in the slab. `start` is NULL if the element was standing
    when the slab began, `end` is NULL if it still stands when the slab ends. What neither opened
    nor closed does not appear.
    """

    PIECES = "pieces"
    CHANGES = "changes"


@dataclass(frozen=True, eq=False)
class Operator(ABC):
    """An operator that advances a slab at a time.

    Its rows have the columns c0, c1, … of the tuple, `id` if identity is asked for, and the
    validity `start`, `end` (BIGINT). An input holds every element whose start lies in the slab,
    once, in any order, and the output obeys the same law.
    """

    schema: Schema
    inputs: tuple[Operator, ...]
    identified: bool

    @abstractmethod
    def advance(
        self, builder: Builder, slab: Slab, inputs: Sequence[Rel], state: State
    ) -> Outputs: ...

    @property
    @abstractmethod
    def label(self) -> str:
        """The operator in one line, for EXPLAIN PHYSICAL."""

    @property
    def lasts(self) -> Extent:
        """How long its elements last, if every time is one batch."""
        return self.inputs[0].extent

    @final
    @property
    def extent(self) -> Extent:
        """How long its elements last, as algorithms may rely on it."""
        return self.lasts.in_batches if self.batched else self.lasts

    @property
    def batched(self) -> bool:
        """Whether its instants are pairs `(t, i)`: a stream below may have several batches."""
        return any(below.batched for below in self.inputs)

    @property
    def form(self) -> Form:
        return Form.PIECES

    @property
    def net(self) -> bool:
        """Whether it gives changes, and no tuple is valid twice or closes where an equal opens."""
        return False

    @property
    def whole(self) -> bool:
        """Whether, where rows have identities, every row begins and ends where its tuple does: none
        is a part of a tuple that goes on."""
        return False

    @property
    def of_elements(self) -> bool:
        """Whether every row is an element of a stream, and lasts from its instant to the end of its
        time; others may end in a batch of it."""
        return False

    @property
    def areas(self) -> tuple[SweepArea, ...]:
        """The SweepAreas it keeps."""
        return ()

    @property
    def values(self) -> tuple[str, ...]:
        """The columns of the tuple."""
        return columns_of(self.schema)

    @property
    def carried(self) -> tuple[str, ...]:
        """The columns of the tuple and, where asked for, its identity."""
        return (*self.values, "id") if self.identified else self.values

    @property
    def columns(self) -> tuple[str, ...]:
        return (*self.carried, *OWN)

    def same(self, *names: str) -> list[tuple[str, str]]:
        """Outputs that pass on columns as they are."""
        return [(name, name) for name in names]


@dataclass(frozen=True, eq=False)
class NodeOperator(Operator, Generic[N]):
    """The operator that carries out one node of the logical plan."""

    node: N
    carries_out: ClassVar[tuple[type[Node], ...]]
    """The nodes it is made for."""

    @property
    def label(self) -> str:
        return self.node.label

    @property
    def whole(self) -> bool:
        # What lasts one instant has no parts, and is another tuple at another instant.
        return self.node.chronon and not self.batched

    def by_value(self, values: Sequence[str]) -> list[tuple[str, str]]:
        """The output `id`, if it is asked for, where equal values are one tuple; in a stream of
        chronons, at one instant."""
        if not self.identified:
            return []
        known = [*values, START] if self.node.chronon else values
        return [("id", f"struct({', '.join(known) or '1'})")]


@dataclass(frozen=True, eq=False)
class WholeTuples(NodeOperator[N]):
    """An operator that gives every tuple once, not in parts: a source, window or streamer."""

    @property
    def whole(self) -> bool:
        return True


@dataclass(frozen=True, eq=False)
class EitherForm(NodeOperator[N]):
    """An operator that works row by row and so keeps the form its inputs have."""

    @property
    def form(self) -> Form:
        return self.inputs[0].form

    @property
    def whole(self) -> bool:
        return super().whole or all(below.whole for below in self.inputs)

    @property
    def of_elements(self) -> bool:
        return all(below.of_elements for below in self.inputs)


def columns_of(schema: Schema) -> tuple[str, ...]:
    return tuple(f"c{i}" for i in range(len(schema)))
