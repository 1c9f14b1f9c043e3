"""Where streams with several batches at a time meet what has none, and how they are shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from continua.physical.boundaries import AT
from continua.physical.builder import Builder
from continua.physical.extent import Extent
from continua.physical.instant import Instant, instant
from continua.physical.operator import Form, Operator, Outputs
from continua.physical.relation import Rel
from continua.physical.slab import Slab
from continua.physical.sweep_area import State
from continua.physical.validity import END, START, Validity


@dataclass(frozen=True, eq=False)
class FirstBatches(Operator):
    """Elements of which every time is one batch, as the first batches of their times."""

    @property
    def label(self) -> str:
        return "first batches"

    @property
    def batched(self) -> bool:
        return True

    @property
    def lasts(self) -> Extent:
        return self.inputs[0].extent

    @property
    def form(self) -> Form:
        return self.inputs[0].form

    @property
    def net(self) -> bool:
        return self.inputs[0].net

    @property
    def whole(self) -> bool:
        return self.inputs[0].whole

    @property
    def of_elements(self) -> bool:
        return self.inputs[0].of_elements

    def advance(self, builder: Builder, slab: Slab, inputs: Sequence[Rel], state: State) -> Outputs:
        pairs = Validity(instant(str(START)), instant(str(END)))
        outputs = [*self.same(*self.inputs[0].carried), *pairs.outputs]
        return builder.select("first_batches", inputs[0], outputs), {}


BATCHES: Mapping[str, str] = {START: "batch_from", END: "batch_to", AT: "batch"}
"""The column for the batch beside each column for a time."""


@dataclass(frozen=True, eq=False)
class ShownBatches(Operator):
    """The end of a plan with batches: instants in two columns, the time and the number."""

    @property
    def label(self) -> str:
        return "show batches"

    @property
    def columns(self) -> tuple[str, ...]:
        shown = ((c, BATCHES[c]) if c in BATCHES else (c,) for c in self.inputs[0].columns)
        return tuple(str(column) for columns in shown for column in columns)

    @property
    def form(self) -> Form:
        return self.inputs[0].form

    def advance(self, builder: Builder, slab: Slab, inputs: Sequence[Rel], state: State) -> Outputs:
        outputs: list[tuple[str, str]] = []
        for column in self.inputs[0].columns:
            if column in BATCHES:
                # The names of instants are typed as pairs here, and these two are none.
                at = Instant(column)
                outputs += (str(column), at.t), (BATCHES[column], at.i)
            else:
                outputs.append((column, column))
        return builder.select("shown", inputs[0], outputs), {}


def in_columns(root: Operator) -> Operator:
    """The end of a plan, with every instant in columns that users can see."""
    return ShownBatches(root.schema, (root,), False) if root.batched else root
