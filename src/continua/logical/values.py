"""Values: literal rows, a relation that is valid always."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from continua.errors import counted
from continua.logical.node import Context, Node
from continua.model.element import Tuple
from continua.model.element import Values as Row
from continua.model.instant import BEGINNING, FOREVER, Interval
from continua.model.schema import Schema, TimeDomain
from continua.model.timeline import Timeline

SHOWN = 60
"""Characters of a label that shows the rows."""


@dataclass(frozen=True)
class Values(Node):
    """A static relation given in the text; one empty row is what SELECT without FROM reads."""

    columns: Schema
    rows: tuple[Row, ...]

    @property
    def inputs(self) -> tuple[Node, ...]:
        return ()

    @property
    def schema(self) -> Schema:
        return self.columns

    @cached_property
    def time(self) -> TimeDomain | None:
        return None

    @property
    def chronon(self) -> bool:
        return False

    @property
    def label(self) -> str:
        shown = f"values {', '.join(map(_shown, self.rows))}"
        return shown if len(shown) <= SHOWN else f"values {counted(len(self.rows), 'row')}"

    def meaning(self, inputs: Sequence[Timeline], context: Context) -> Timeline:
        always = Interval(BEGINNING, FOREVER)
        return Timeline.of((Tuple(row, phi), always, 1) for phi, row in enumerate(self.rows))


def _shown(row: Row) -> str:
    values = ("NULL" if v is None else repr(v) if isinstance(v, str) else str(v) for v in row)
    return f"({', '.join(values)})"
