"""Rows that a session holds as they are written down, and their versions in time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from continua.errors import ContinuaError
from continua.logical.expr.cast import ValueProblem, accept
from continua.logical.expr.nodes import Expression
from continua.model.catalog import Relation
from continua.model.element import Values
from continua.model.instant import EARLIEST, INFINITY, LATEST, MINUS_INFINITY, Time
from continua.model.schema import to_micros
from continua.sql.clauses import Moment


@dataclass(frozen=True)
class HeldRows:
    """The rows of a relation, as they are written down."""

    relation: Relation

    @property
    def rows(self) -> list[Values]:
        # A row of one column needs no brackets.
        args = self.relation.source.args
        return [arg if isinstance(arg, tuple) else (arg,) for arg in args]

    def added(self, rows: Iterable[Values]) -> Relation:
        return self._of([*self.relation.source.args, *rows])

    def _of(self, rows: Iterable[object]) -> Relation:
        source = replace(self.relation.source, args=tuple(rows))
        return replace(self.relation, source=source)

    def time_of(self, at: Moment) -> int:
        """The time that is meant, in units of the table's time."""
        time = self.relation.time
        assert time is not None
        try:
            value = accept(at.value, time.type)
            t = None if value is None else self.units(value)
        except ValueProblem as problem:
            raise ContinuaError("TYPE_MISMATCH", f"AT: {problem}", at.span) from None
        if t is None or not EARLIEST <= t <= LATEST:
            raise ContinuaError("TYPE_MISMATCH", "AT takes a time", at.span)
        return t

    def units(self, value: object) -> int:
        if isinstance(value, datetime):
            return to_micros(value)
        assert isinstance(value, int)
        return value

    def valid_from(self, values: Values, t: int) -> Values:
        """A row of all columns, valid from t until the next version of its key, if there is one."""
        found = iter(values)
        timed = self.relation.time_columns
        row = tuple(None if column in timed else next(found) for column in self.relation.columns)
        same = self.versions(self.key(row)) if self.relation.primary_key else []
        later = [start for start, _ in same if start > t]
        return self.during(row, t, min(later, default=INFINITY))

    def during(self, row: Values, start: Time, end: Time) -> Values:
        """A row with another validity."""
        found = list(row)
        for name, t in ((self.relation.start, start), (self.relation.end, end)):
            if name is None:
                continue
            assert self.relation.time is not None
            known = t not in (MINUS_INFINITY, INFINITY)
            (i,) = self.relation.positions((name,))
            found[i] = self.relation.time.value(int(t)) if known else None
        return tuple(found)

    def bounds(self, row: Values) -> tuple[Time, Time]:
        start = self._bound(row, self.relation.start, MINUS_INFINITY)
        return start, self._bound(row, self.relation.end, INFINITY)

    def _bound(self, row: Values, name: str | None, unknown: Time) -> Time:
        if name is None:
            return unknown
        (i,) = self.relation.positions((name,))
        value = accept(row[i], self.relation.columns[i].type)
        return unknown if value is None else self.units(value)

    def key(self, row: Values) -> Values:
        positions = self.relation.positions(self.relation.primary_key)
        return tuple(accept(row[i], self.relation.columns[i].type) for i in positions)

    def versions(self, key: Values) -> list[tuple[Time, Time]]:
        """When there is a row of a key."""
        rows = (values for _, values in self.typed() if values is not None)
        return [self.bounds(values) for values in rows if self.key(values) == key]

    def typed(self) -> Iterator[tuple[Values, Values | None]]:
        """The rows as they are written, and with values of their types; None for bad ones."""
        for row in self.rows:
            try:
                pairs = zip(row, self.relation.columns, strict=True)
                yield row, tuple(accept(value, column.type) for value, column in pairs)
            except ValueError:
                yield row, None  # of too few or many values
            except ValueProblem:
                yield row, None

    def changed(
        self, condition: Expression, t: int, change: Callable[[Values], Values] | None
    ) -> Relation:
        """With what is valid at t and fulfils a condition ended there, or changed from there on."""
        before: list[Values] = []
        after: list[Values] = []
        for row, values in self.typed():
            start, end = (INFINITY, INFINITY) if values is None else self.bounds(values)
            if values is None or not start <= t < end or condition.evaluate(values) is not True:
                before.append(row)
                continue
            if start < t:
                before.append(self.during(row, start, t))
            if change is not None:
                version = self.during(change(values), t, end)
                # What begins at t takes the place of what had begun there.
                (after if start < t else before).append(version)
        return self._of([*before, *after])
