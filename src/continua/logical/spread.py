"""SPREAD (Jain §5): a new order of batches for the streams of a group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from continua.errors import ContinuaError
from continua.logical.node import Context, Node
from continua.model.schema import Schema
from continua.model.timeline import Timeline


@dataclass(frozen=True)
class Spread(Node):
    """One of the output streams of a SPREAD.

    The streams are batched together: by the column named in ON (its position in each of them), by
    time alone if ON names the time attribute (no positions), or tuple by tuple (None). With `anew`
    (SPREAD ALL), the batches there were are forgotten.
    """

    streams: tuple[Node, ...]
    output: int
    on: tuple[int, ...] | None
    anew: bool

    def __post_init__(self) -> None:
        _ = self.time

    @property
    def inputs(self) -> tuple[Node, ...]:
        return self.streams

    @property
    def schema(self) -> Schema:
        return self.streams[self.output].schema

    @property
    def chronon(self) -> bool:
        return True

    @property
    def label(self) -> str:
        on = ""
        if self.on is not None:
            on = f" on {self.schema.columns[self.on[self.output]].name if self.on else 'time'}"
        return f"spread{' all' * self.anew}{on}, stream {self.output + 1} of {len(self.streams)}"

    def meaning(self, inputs: Sequence[Timeline], context: Context) -> Timeline:
        raise ContinuaError("NOT_YET", "SPREAD is not yet supported", self.span)
