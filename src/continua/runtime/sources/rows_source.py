"""`rows((1, 'a'), (2, 'b'))`: rows written out in the declaration."""

from __future__ import annotations

from collections.abc import Iterator

from continua.runtime.sources.record import Place, Position, Record
from continua.runtime.sources.source import Source


class RowsSource(Source):
    """φ is the number of the row."""

    def records(self) -> Iterator[Position]:
        for number, arg in enumerate(self.args):
            # A row of one column needs no brackets.
            values = arg if isinstance(arg, tuple) else (arg,)
            yield number, Record(values, Place("rows", number + 1))
