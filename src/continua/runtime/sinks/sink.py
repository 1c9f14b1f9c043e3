"""The interface of all sinks: they take the rows of a slab by its number, the same rows once.

What runs is committed slab by slab. A slab is published after its commit, and perhaps again if the
engine is killed in between: to publish a slab again must change nothing. History is one slab.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, ClassVar

from pyspark.sql import DataFrame
from pyspark.sql.functions import col

from continua.errors import ContinuaError, Span
from continua.runtime.deliver import DELIVERIES
from continua.runtime.option import Option
from continua.runtime.rows import Rows, SparkRows

HISTORY = 0
"""The slab that all of history is. Those of running queries are counted from 1."""

NOTHING = -1
"""The slab before history."""

TAG = "__query"
"""The column with the name of the query, where rows of several are together."""


class Sink(ABC):
    """A place that the rows of one query go to; a class of its own for every kind of sink.

    name: the query's. options: the value of each option. span: where the sink was declared.
    """

    OPTIONS: ClassVar[Sequence[Option]] = ()
    """What may stand in OPTIONS (…)."""

    DELIVERIES: ClassVar[Sequence[str]] = tuple(DELIVERIES)
    """What it may be given; if none is asked for and the usual one is not here, the first."""

    def __init__(self, name: str, options: Mapping[str, Any], span: Span | None = None) -> None:
        self.name = name
        self.options = options
        self.span = span

    def check_columns(self, names: Sequence[str]) -> None:  # noqa: B027
        """Raises if it cannot take rows with columns of these names."""

    def open(self, after: int) -> None:  # noqa: B027
        """Begins: slabs up to this one stand, later ones come, of history the slab 0 alone.

        Raises if it cannot take them, or if there is something of later slabs, by another run.
        """

    @abstractmethod
    def publish(self, slab: int, rows: Rows) -> None:
        """Takes the rows of a slab, in place of what the slab had before."""

    def forget(self, after: int) -> None:  # noqa: B027
        """Removes what slabs after this one have published, which are lost and come again.

        Called before `open` by a run that goes on from its checkpoint.
        """

    def close(self) -> None:  # noqa: B027
        """Ends; it may be opened again."""

    @property
    def alike(self) -> Hashable:
        """What is the same for sinks that can take the rows of merged queries together."""
        return id(self)

    @classmethod
    def publish_together(cls, slab: int, sinks: Mapping[str, Any], rows: DataFrame) -> None:
        """Publishes rows to sinks that are alike, by the names in the column `TAG`."""
        for name, sink in sinks.items():
            sink.publish(slab, SparkRows(rows.where(col(TAG) == name).drop(TAG)))

    def refused(self, message: str, hint: str | None = None) -> ContinuaError:
        """The error of something that cannot be written."""
        return ContinuaError("CANNOT_WRITE", message, self.span, hint=hint)
