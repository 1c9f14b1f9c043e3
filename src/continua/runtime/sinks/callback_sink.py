"""`foreach_slab`: a function of the user's."""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql import DataFrame

from continua.runtime.rows import Rows
from continua.runtime.sinks.sink import Sink


class CallbackSink(Sink):
    """The function is given the number of the slab, so that it can be exactly once too, should it
    be called again after a crash."""

    def __init__(self, name: str, function: Callable[[int, DataFrame], object]) -> None:
        super().__init__(name, {})
        self._function = function

    def publish(self, slab: int, rows: Rows) -> None:
        self._function(slab, rows.to_spark())
