"""A log of changes: what each leaves of its row, and which do not fit what is there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from continua.errors import ContinuaError
from continua.logical.node import Context, Unary
from continua.model.change import DELETE, INSERT, UPSERT, operation_of
from continua.model.element import Values
from continua.model.instant import Interval, Time
from continua.model.schema import Column, Schema
from continua.model.timeline import Timeline
from continua.model.types import BOOLEAN


@dataclass(frozen=True)
class ChangeLog(Unary):
    """The changes that fit, in place of their operation whether their row is there from then on.

    An insert fits where there is no row of its key, an update or a delete where there is one. After
    an insert there is one, after a delete there is none, whether these fit or not: so what does not
    fit has no say in what follows. key, operation: positions of columns. name: of the table.
    strict: whether a change that does not fit is an error; else it is passed over.
    """

    key: tuple[int, ...]
    operation: int
    name: str = field(compare=False)
    strict: bool = field(compare=False)

    @property
    def asks_identity(self) -> bool:
        return True

    @cached_property
    def schema(self) -> Schema:
        columns = self.input.schema.columns
        there = Column("there", BOOLEAN)
        return Schema((*columns[: self.operation], there, *columns[self.operation + 1 :]))

    @property
    def label(self) -> str:
        return f"changes by {', '.join(self.schema.columns[i].name for i in self.key)}"

    def meaning(self, inputs: Sequence[Timeline], context: Context) -> Timeline:
        there: dict[Values, bool] = {}
        fitting = []
        for e, at, n in inputs[0].openings():
            key = tuple(e.values[i] for i in self.key)
            operation = operation_of(str(e.values[self.operation]))
            assert operation is not None, "the source refuses other texts"
            was = there.get(key, False)
            if operation != UPSERT and was == (operation == INSERT):
                if self.strict:
                    raise self.misfit(operation, at.t)
            else:
                values = list(e.values)
                values[self.operation] = operation != DELETE
                fitting.append((e.derive(tuple(values)), Interval(at, at.next_time), n))
            there[key] = operation in (INSERT, UPSERT) or (operation != DELETE and was)
        return Timeline.of(fitting)

    def misfit(self, operation: str, t: Time) -> ContinuaError:
        """The error that a change at a time is."""
        moment = "" if self.time is None else f" at {self.time.value(t)}"
        what = "an insert of a row that is there already"
        if operation != INSERT:
            article = "an" if operation != DELETE else "a"
            what = f"{article} {operation} of a row that is not there"
        return ContinuaError(
            "BAD_ROW",
            f"{self.name}{moment}: {what}",
            self.span,
            hint="ON ERROR DROP or KEEP passes over such changes",
        )
