"""From a record to a row of the stream: declared types, validity in time. The same for all."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from datetime import datetime

from continua.errors import with_article
from continua.logical.expr.cast import ValueProblem
from continua.model.catalog import Relation
from continua.model.change import SPELLINGS, operation_of
from continua.model.element import SourceRow, Values
from continua.model.instant import EARLIEST, INFINITY, LATEST, MINUS_INFINITY, Time
from continua.model.schema import Column, to_micros
from continua.model.types import Type
from continua.runtime.sources.record import LONGEST, Problem, Record, is_text, row_text, shorten


class Conversion:
    """Makes the rows of one relation.

    now: the time, in microseconds, of rows that are stamped on arrival.
    """

    def __init__(
        self, relation: Relation, convert: Callable[[object, Type], object], now: int
    ) -> None:
        self._columns = relation.columns
        self._convert = convert
        self._is_stream = relation.is_stream
        self._arrival: Time = now if relation.is_stream else MINUS_INFINITY
        self._key = relation.positions(relation.primary_key)
        operation = relation.changes.operation if relation.changes else None
        self._operation = _position(relation, operation)
        self._start = _position(relation, relation.start)
        self._end = _position(relation, relation.end)

    def row(self, record: Record, phi: Hashable) -> SourceRow | Problem:
        """The row, or why the record cannot be read as declared."""
        try:
            values = tuple(
                None if raw is None else self._value(raw, column)
                for raw, column in zip(record.values, self._columns, strict=True)
            )
            self._check_change(values)
            return SourceRow(values, *self._validity(values), phi)
        except ValueProblem as problem:
            text = row_text(record.values) if record.text is None else record.text
            return Problem(str(problem), record.place, text)

    def _value(self, raw: object, column: Column) -> object:
        reason = ""
        try:
            value = self._convert(raw, column.type)
            if isinstance(value, float) and math.isinf(value) and not _is_infinite(raw):
                raise ValueProblem(f"{shorten(str(raw))} does not fit {column.type}")
            if not isinstance(value, str) or is_text(value):
                return value
        except ValueProblem as problem:
            reason = str(problem)
        except (ValueError, ArithmeticError):
            pass  # a number or time too large for the Python type that is to hold it
        if not 0 < len(reason) <= LONGEST:
            text = repr(raw) if isinstance(raw, str) else str(raw)
            reason = f"{shorten(text)} is not {with_article(column.type)}"
        raise ValueProblem(f"{reason} in column {column.name}")

    def _check_change(self, values: Values) -> None:
        """Raises if it is not said which row of a table it is, or what has happened to it."""
        for i in self._key:
            if values[i] is None:
                raise ValueProblem(f"the key {self._columns[i].name} is NULL")
        if self._operation is not None:
            text, name = values[self._operation], self._columns[self._operation].name
            if text is None or operation_of(str(text)) is None:
                shown = "NULL" if text is None else shorten(repr(text))
                known = ", ".join(SPELLINGS)
                raise ValueProblem(f"{shown} in column {name} is no operation (known: {known})")

    def _validity(self, values: Values) -> tuple[Time, Time]:
        start = self._starts(values)
        end = self._ends(values, start)
        if end <= start:
            empty = "is empty" if end == start else "ends before it starts"
            raise ValueProblem(f"its validity {empty}")
        return start, end

    def _starts(self, values: Values) -> Time:
        if self._start is None:
            return self._arrival
        value = values[self._start]
        if value is not None:
            return _time(value)
        if self._is_stream:
            raise ValueProblem(f"the time attribute {self._columns[self._start].name} is NULL")
        return MINUS_INFINITY

    def _ends(self, values: Values, start: Time) -> Time:
        if self._end is not None:
            value = values[self._end]
            return INFINITY if value is None else _time(value)
        return start + 1 if self._is_stream and start < LATEST else INFINITY


def _is_infinite(raw: object) -> bool:
    """Whether a number is meant to be infinite: others only are too large for their type."""
    if isinstance(raw, str):
        return "inf" in raw.lower()
    return isinstance(raw, float) and math.isinf(raw)


def _position(relation: Relation, name: str | None) -> int | None:
    """Where the column stands among the declared ones."""
    if name is None:
        return None
    return [column.name.lower() for column in relation.columns].index(name.lower())


def _time(value: object) -> int:
    if isinstance(value, datetime):
        return to_micros(value)
    assert isinstance(value, int), value
    if not EARLIEST <= value <= LATEST:
        raise ValueProblem(f"{value} is no time: times are from {EARLIEST} to {LATEST}")
    return value
