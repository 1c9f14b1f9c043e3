"""`rows((1, 'a'), (2, 'b'))`: rows written out in the declaration."""

from __future__ import annotations

from collections.abc import Iterator

from continua.errors import counted
from continua.logical.expr.cast import accept
from continua.model.catalog import Relation
from continua.runtime.sources.arguments import named
from continua.runtime.sources.record import Place, Position, Problem, Reader, Record, shown


def _check(relation: Relation) -> None:
    named(relation)


def _records(relation: Relation) -> Iterator[Position]:
    return enumerate(_rows(relation))


def _rows(relation: Relation) -> Iterator[Record | Problem]:
    width = len(relation.columns)
    for number, arg in enumerate(relation.source.args, start=1):
        # A row of one column needs no brackets.
        values = arg if isinstance(arg, tuple) else (arg,)
        place = Place("rows", number)
        if len(values) == width:
            yield Record(values, place)
        else:
            wrong = f"{counted(len(values), 'value')} instead of the {width} declared"
            yield Problem(wrong, place, shown(values))


READER = Reader(_check, _records, accept)
