"""Scan: a declared stream or table, as a leaf of the plan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from continua.logical.node import TIME_DRIVEN, Context, Node
from continua.model.catalog import Relation
from continua.model.element import Tuple
from continua.model.instant import interval
from continua.model.schema import Schema, TimeDomain
from continua.model.timeline import Timeline


@dataclass(frozen=True)
class Scan(Node):
    """φ^{r→l} and φ^{p→l} of TODS (1) and (2): what a source delivers, as a logical stream.

    The time attribute is not part of the tuple; a query that names it gets it as a column.
    """

    relation: Relation
    with_time: bool = False

    @property
    def inputs(self) -> tuple[Node, ...]:
        return ()

    @cached_property
    def schema(self) -> Schema:
        timed = self.relation.time_columns if self.with_time else ()
        return self.relation.schema + Schema(timed)

    @cached_property
    def time(self) -> TimeDomain | None:
        return self.relation.time

    @cached_property
    def streaming(self) -> bool:
        return not self.relation.is_table

    @cached_property
    def group(self) -> str | None:
        return None if self.relation.is_table else TIME_DRIVEN

    @property
    def chronon(self) -> bool:
        return self.relation.is_stream and self.relation.end is None

    @property
    def label(self) -> str:
        kind = "table" if self.relation.is_table else "stream"
        kind = kind if self.relation.changes is None else "changes of table"
        return f"{kind} {self.relation.name}{self.schema}"

    def meaning(self, inputs: Sequence[Timeline], context: Context) -> Timeline:
        positions = [self.relation.columns.index(column) for column in self.schema]
        return Timeline.of(
            (
                Tuple(tuple(row.values[p] for p in positions), row.phi),
                interval(row.start, row.end),
                1,
            )
            for row in context.rows(self.relation)
        )
