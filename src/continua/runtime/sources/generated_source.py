"""`auctions('Bid', events => n, …)` and `nexmark('bid', …)`: made-up data, the same each time."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import ClassVar

from continua.errors import did_you_mean, with_article
from continua.logical.expr.cast import ValueProblem, accept
from continua.model.types import BIGINT, DOUBLE, TIMESTAMP, Type
from continua.runtime.option import Option, WrongOption
from continua.runtime.sources import auctions, nexmark
from continua.runtime.sources.record import Place, Position, Record
from continua.runtime.sources.source import Source

Row = tuple[object, ...]

_TYPES: dict[type, Type] = {int: BIGINT, float: DOUBLE, datetime: TIMESTAMP}


def _options(generate: Callable[..., Iterator[Row]]) -> tuple[Option, ...]:
    """A generator's own defaults say which options there are, and their types."""
    parameters = inspect.signature(generate).parameters.values()
    named = [p for p in parameters if p.kind is p.KEYWORD_ONLY]
    return tuple(_option(p.name, _TYPES[type(p.default)], p.default) for p in named)


def _option(name: str, type_: Type, default: object) -> Option:
    def read(value: object) -> object:
        if value is None:
            raise WrongOption(f"{name} is not to be NULL")
        try:
            return accept(value, type_)
        except (ValueProblem, ArithmeticError) as problem:
            raise WrongOption(f"{name}: {problem}") from None

    return Option(name, with_article(type_), read, default)


class GeneratedSource(Source):
    """What generators have in common. The argument is the kind of data, φ the number of a row."""

    KINDS: ClassVar[Mapping[str, Sequence[tuple[str, str]]]]
    """The columns of each kind, with their types."""

    GENERATE: ClassVar[Callable[..., Iterator[Row]]]
    """Makes the rows of a kind; refuses senseless options before it makes the first."""

    def check(self) -> None:
        self._generated()

    @property
    def name(self) -> str:
        return f"{self.function}('{self._kind}')"

    def columns(self) -> Sequence[tuple[str, str]]:
        return self.KINDS[self._kind]

    def records(self) -> Iterator[Position]:
        return enumerate(self._records())

    def _records(self) -> Iterator[Record]:
        try:
            for number, row in enumerate(self._generated(), start=1):
                yield Record(row, Place(self.function, number))
        except OverflowError:
            raise self.wrong("the times of its rows run beyond the year 9999") from None

    def _generated(self) -> Iterator[Row]:
        try:
            return type(self).GENERATE(self._kind, **self.options)
        except (ValueError, OverflowError) as error:
            raise self.wrong(str(error)) from None

    @property
    def _kind(self) -> str:
        known = list(self.KINDS)
        hint = f"as in {self.function}('{known[0]}')"
        if len(self.args) != 1:
            number = len(self.args)
            raise self.wrong(f"expected one argument, the kind of data, got {number}", hint)
        kind = self.args[0]
        if not isinstance(kind, str) or not kind:
            raise self.wrong(f"expected the kind of data as a text, got {kind!r}", hint)
        kind = kind.lower()
        if kind not in known:
            message = f"no kind {kind!r}; the kinds are {', '.join(known)}"
            raise self.wrong(message, did_you_mean(kind, known))
        return kind


class AuctionsSource(GeneratedSource):
    OPTIONS = _options(auctions.generate)
    KINDS = auctions.COLUMNS
    GENERATE = staticmethod(auctions.generate)


class NexmarkSource(GeneratedSource):
    OPTIONS = _options(nexmark.generate)
    KINDS = nexmark.COLUMNS
    GENERATE = staticmethod(nexmark.generate)
