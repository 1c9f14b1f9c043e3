"""`auctions('Bid', events => n, …)` and `nexmark('bid', …)`: made-up data, the same each time."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import NamedTuple

from continua.errors import ContinuaError, did_you_mean
from continua.logical.expr.cast import ValueProblem, accept
from continua.model.catalog import Relation
from continua.model.types import BIGINT, DOUBLE, TIMESTAMP, Type, parse_type
from continua.runtime.sources import auctions, nexmark
from continua.runtime.sources.arguments import named, only_text, wrong_arguments
from continua.runtime.sources.columns import locate
from continua.runtime.sources.record import Place, Position, Reader, Record

Row = tuple[object, ...]


class _Generator(NamedTuple):
    kinds: Mapping[str, tuple[tuple[str, str], ...]]
    generate: Callable[..., Iterator[Row]]


_GENERATORS = {
    "auctions": _Generator(auctions.COLUMNS, auctions.generate),
    "nexmark": _Generator(nexmark.COLUMNS, nexmark.generate),
}
NAMES = tuple(_GENERATORS)

_OPTION_TYPES: dict[type, Type] = {int: BIGINT, float: DOUBLE, datetime: TIMESTAMP}


def _generator(relation: Relation) -> _Generator:
    return _GENERATORS[relation.source.function]


def _kind(relation: Relation) -> str:
    kinds = _generator(relation).kinds
    kind = only_text(relation, "the kind of data", f"'{next(iter(kinds))}'").lower()
    if kind not in kinds:
        message = f"no kind {kind!r}; the kinds are {', '.join(kinds)}"
        raise wrong_arguments(relation.source, message, did_you_mean(kind, kinds))
    return kind


def _options(relation: Relation) -> dict[str, object]:
    """The named arguments; the generator's own defaults say which there are, and their types."""
    parameters = inspect.signature(_generator(relation).generate).parameters.values()
    types = {p.name: _OPTION_TYPES[type(p.default)] for p in parameters if p.kind is p.KEYWORD_ONLY}
    options: dict[str, object] = {}
    for name, value in named(relation, types).items():
        try:
            options[name] = accept(value, types[name])
        except (ValueProblem, ArithmeticError) as problem:
            raise wrong_arguments(relation.source, f"{name}: {problem}") from None
        if value is None:
            raise wrong_arguments(relation.source, f"{name} is not to be NULL")
    return options


def _generate(relation: Relation) -> Iterator[Row]:
    """The generator, started: it refuses senseless arguments before it makes its first row."""
    kind, options = _kind(relation), _options(relation)
    try:
        return _generator(relation).generate(kind, **options)
    except (ValueError, OverflowError) as error:
        raise wrong_arguments(relation.source, str(error)) from None


def _columns(relation: Relation) -> list[int]:
    """Where the declared columns stand in a generated row."""
    kind = _kind(relation)
    made = _generator(relation).kinds[kind]
    owner = f"{relation.source.function}('{kind}')"
    positions = locate(relation, [name for name, _ in made], owner)
    for column, position in zip(relation.columns, positions, strict=True):
        generated = parse_type(made[position][1])
        assert generated is not None, made[position]
        if not _fits(generated, column.type):
            message = f"column {column.name} of {owner} is {generated}, not {column.type}"
            raise ContinuaError("TYPE_MISMATCH", message, relation.source.span)
    return positions


def _fits(generated: Type, declared: Type) -> bool:
    """Whether values of the one type can be had as the other; each still has to fit its range."""
    if generated.integral:
        return declared.numeric
    if generated.floating:
        return declared.floating or declared.name == "DECIMAL"
    return generated == declared


def _check(relation: Relation) -> None:
    _generate(relation)
    _columns(relation)


def _records(relation: Relation) -> Iterator[Position]:
    rows, positions = _generate(relation), _columns(relation)
    return enumerate(_made(relation, rows, positions))


def _made(relation: Relation, rows: Iterator[Row], positions: list[int]) -> Iterator[Record]:
    try:
        for number, row in enumerate(rows, start=1):
            values = tuple(row[position] for position in positions)
            yield Record(values, Place(relation.source.function, number))
    except OverflowError:
        message = "the times of its rows run beyond the year 9999"
        raise wrong_arguments(relation.source, message) from None


READER = Reader(_check, _records, accept)
