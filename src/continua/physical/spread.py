"""SPREAD (Jain §5): numbers the batches of several streams together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from continua.logical.spread import Spread as LogicalSpread
from continua.physical.builder import Builder
from continua.physical.extent import CHRONON, Extent
from continua.physical.instant import batch_of, instant
from continua.physical.operator import Outputs, WholeTuples
from continua.physical.relation import EMPTY, Output, Rel, Window
from continua.physical.slab import Slab
from continua.physical.sweep_area import State
from continua.physical.validity import START, Validity


@dataclass(frozen=True, eq=False)
class Spread(WholeTuples[LogicalSpread]):
    """One of the streams, whose tuples are in batches by their rank among the tuples of all.

    All tuples of a time are in one slab, so nothing is kept. The ranks of the tuples of all streams
    are one relation, whichever of the streams is asked for.
    """

    carries_out = (LogicalSpread,)

    @property
    def of_elements(self) -> bool:
        return True

    @property
    def lasts(self) -> Extent:
        return CHRONON

    @property
    def batched(self) -> bool:
        return self.node.batched

    def advance(self, builder: Builder, slab: Slab, inputs: Sequence[Rel], state: State) -> Outputs:
        tuples = builder.union(
            "tuples", *(self._tuples(builder, place, rel) for place, rel in enumerate(inputs))
        )
        if inputs[self.node.output] is EMPTY:
            return EMPTY, {}
        own = [f"s{self.node.output}{name}" for name in self.inputs[self.node.output].carried]
        at = batch_of("t", "number") if self.batched else instant("t")
        outputs = [
            *((name, column) for name, column in zip(self.carried, own, strict=False)),
            *Validity(at, at.next).outputs,
        ]
        numbered = self._numbered(builder, tuples)
        return builder.select("spread", numbered, outputs, f"place = {self.node.output}"), {}

    @property
    def _keys(self) -> list[str]:
        """The columns that order the batches of one time."""
        refined = [] if self.node.anew or not self.inputs[0].batched else ["i"]
        return [*refined, *(f"k{number}" for number in range(len(self.node.by[0])))]

    def _tuples(self, builder: Builder, place: int, rel: Rel) -> Rel:
        """The tuples of one stream, each in columns that are its own, with what orders them all."""
        pairs = self.inputs[0].batched
        outputs: list[Output] = [
            ("place", str(place)),
            ("t", f"{START}.t" if pairs else str(START)),
            ("i", f"{START}.i" if pairs else "0"),
            *((f"k{n}", self._key(place, column)) for n, column in enumerate(self.node.by[place])),
        ]
        for other, stream in enumerate(self.inputs):
            outputs += (
                (f"s{other}{name}", name if other == place else "NULL") for name in stream.carried
            )
        return builder.select("tuples", rel, outputs)

    def _key(self, place: int, column: int) -> str:
        """A column that orders batches; whole numbers are ordered whatever their sizes."""
        integral = self.inputs[place].schema.types[column].integral
        return f"CAST(c{column} AS BIGINT)" if integral else f"c{column}"

    def _numbered(self, builder: Builder, tuples: Rel) -> Rel:
        order = self._keys
        if self.node.each:
            # Of equal keys by stream, then by identity, and copies of one tuple by their values.
            order = [*order, "place"]
            for place, stream in enumerate(self.inputs):
                order += [f"s{place}{name}" for name in ("id", *stream.values)]
        columns = [(name, name) for name in tuples.columns]
        if not order:
            return builder.select("numbered", tuples, [*columns, ("number", "0")])
        number = f"CAST({'row_number' if self.node.each else 'dense_rank'}() OVER batch - 1 AS INT)"
        by = Window(("t",), ", ".join(order))
        return builder.windowed("numbered", tuples, [*columns, ("number", number)], batch=by)
