"""Leaves of a plan: what sources deliver, and relations given in the text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from continua.logical.scan import Scan as LogicalScan
from continua.model.catalog import Relation
from continua.physical.builder import Builder
from continua.physical.expression import spark_type
from continua.physical.extent import ANY, CHRONON, ENDLESS, Extent
from continua.physical.operator import Outputs, WholeTuples
from continua.physical.relation import Output, Rel, typed
from continua.physical.slab import Slab
from continua.physical.sweep_area import State
from continua.physical.validity import OWN


@dataclass(frozen=True, eq=False)
class Scan(WholeTuples[LogicalScan]):
    """The elements of a source that start in the slab.

    Its input is what the runtime delivers: the declared columns as c0, c1, …, `phi`, and the
    validity `start`, `end`.
    """

    carries_out = (LogicalScan,)

    @property
    def of_elements(self) -> bool:
        return self.node.chronon

    @property
    def lasts(self) -> Extent:
        relation = self.node.relation
        if relation.is_stream:
            return CHRONON if relation.end is None else ANY
        return ENDLESS if relation.end is None else ANY

    def advance(self, builder: Builder, slab: Slab, inputs: Sequence[Rel], state: State) -> Outputs:
        columns = self.node.relation.columns
        read = [f"c{columns.index(column)}" for column in self.schema]
        types = map(spark_type, self.schema.types)
        outputs: list[Output] = list(zip(self.values, map(typed, read, types), strict=True))
        if self.identified:
            outputs.append(("id", "phi"))
        return builder.select("scan", inputs[0], [*outputs, *OWN.outputs]), {}


def value_columns(relation: Relation) -> tuple[str, ...]:
    """The columns with the values of the rows that are read of a relation."""
    return tuple(f"c{i}" for i in range(len(relation.columns)))


def source_columns(relation: Relation) -> tuple[str, ...]:
    """The columns in which the rows of a relation are read."""
    return (*value_columns(relation), "phi", *OWN)
