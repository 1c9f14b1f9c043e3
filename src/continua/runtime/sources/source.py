"""The interface of all sources: what a kind declares, and how its rows are read.

Rows are read in two ways that give the same. The exact reader goes through all records, in Python,
and knows of each where it stands and what is wrong with it. Spark's reader is a DataFrame; where it
may see a row otherwise, the exact one decides. A kind has the first, and may have the second.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from pyspark.sql import DataFrame, SparkSession

from continua.errors import ContinuaError, did_you_mean
from continua.logical.expr.cast import accept
from continua.model.catalog import Relation
from continua.model.types import Type
from continua.runtime.option import Option, UnknownOption, WrongOption, values_of
from continua.runtime.sources.live_source import LiveSource
from continua.runtime.sources.record import Position


class Source(ABC):
    """What the rows of a stream or table come from; a class of its own for every kind of source.

    - `relation`: the stream or table as it was declared.
    - `options`: the value of each option.
    """

    OPTIONS: ClassVar[Sequence[Option]] = ()
    """What may stand as `name => value` among the arguments."""

    def __init__(self, relation: Relation) -> None:
        self.relation = relation
        self.options = self._given_options()

    @property
    def function(self) -> str:
        """What it is called in the declaration."""
        return self.relation.source.function

    @property
    def name(self) -> str:
        """What messages call it."""
        return self.function

    @property
    def args(self) -> tuple[object, ...]:
        """The arguments without names."""
        return self.relation.source.args

    def check(self) -> None:  # noqa: B027
        """Raises if the arguments are wrong, as far as that can be told without reading."""

    def columns(self) -> Sequence[tuple[str, str]] | None:
        """The columns of its records, with their types as SQL writes them.

        None if it cannot tell before it reads: then records have the declared columns.
        """
        return None

    @abstractmethod
    def records(self) -> Iterator[Position]:
        """All records, bad ones too, each with its position φ, in the order of φ.

        A position is a number or a tuple of numbers. It is a property of the data: the same however
        often the records are read, and whatever is passed over.
        """

    def convert(self, value: object, type_: Type) -> object:
        """A value of a record, other than NULL, as a value of a type; raises if it is none.

        By default only a number is a number, and only a text a text; dates and times may be texts.
        """
        return accept(value, type_)

    def opened(self, spark: SparkSession, identified: bool) -> DataFrame | None:
        """The rows as Spark reads them, in the columns `source_columns`; phi if identified.

        None: the exact reader has to read them. A query over the rows may yet fail in a way that
        `is_doubt` recognises; then, too, the exact reader knows better.
        """
        return None

    def unreadable(self) -> ContinuaError | None:
        """The error of a row that Spark cannot take, of a source that nothing but Spark reads."""
        return None

    def passed_over(self, spark: SparkSession) -> DataFrame | None:
        """The bad rows that Spark passes over, of a source that nothing but Spark reads."""
        return None

    def live(self) -> LiveSource | None:
        """How live runs read what comes; None: it is read once, when a run begins."""
        return None

    def wrong(self, message: str, hint: str | None = None) -> ContinuaError:
        """The error of wrong arguments."""
        span = self.relation.source.span
        return ContinuaError("WRONG_ARGUMENTS", f"{self.function}: {message}", span, hint=hint)

    def refused(self, message: str, hint: str | None = None) -> ContinuaError:
        """The error of something that cannot be read."""
        span = self.relation.source.span
        return ContinuaError("SOURCE_NOT_FOUND", message, span, hint=hint)

    def _given_options(self) -> dict[str, Any]:
        """The value of every option."""
        try:
            found = values_of(self.OPTIONS, self.relation.source.options)
        except UnknownOption as error:
            names = [option.name for option in self.OPTIONS]
            otherwise = f"its options are {', '.join(names)}" if names else "it takes none"
            hint = did_you_mean(str(error), names, otherwise)
            raise self.wrong(f"no option {error}", hint) from None
        except WrongOption as error:
            raise self.wrong(str(error)) from None
        for option in self.OPTIONS:
            if option.required and found[option.name] is None:
                hint = f"as in {self.function}(…, {option.name} => '…')"
                raise self.wrong(f"it has no {option.name}", hint)
        return found
