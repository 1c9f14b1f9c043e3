"""`rows((1, 'a'), (2, 'b'))`: rows written out in the declaration."""

from __future__ import annotations

from collections.abc import Iterator

from continua.errors import counted
from continua.runtime.sources.record import Place, Position, Problem, Record, shown
from continua.runtime.sources.source import Source


class RowsSource(Source):
    """φ is the number of the row."""

    def records(self) -> Iterator[Position]:
        return enumerate(self._rows())

    def _rows(self) -> Iterator[Record | Problem]:
        width = len(self.relation.columns)
        for number, arg in enumerate(self.args, start=1):
            # A row of one column needs no brackets.
            values = arg if isinstance(arg, tuple) else (arg,)
            place = Place("rows", number)
            if len(values) == width:
                yield Record(values, place)
            else:
                wrong = f"{counted(len(values), 'value')} instead of the {width} declared"
                yield Problem(wrong, place, shown(values))
