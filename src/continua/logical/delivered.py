"""The plans whose results are shown and handed to sinks (design §2 and §4, *What sinks get*)."""

from __future__ import annotations

from continua.logical.node import Node
from continua.logical.streamer import Streamer


def elements_of(plan: Node) -> Node:
    """The plan of what a result consists of: a relation is what it is, a stream its elements.

    Where a time has several batches, these are what comes into the stream in each of them.
    """
    return Streamer(plan, "ISTREAM") if plan.chronon and plan.batched else plan


def delivered(plan: Node, delivery: str) -> Node:
    """The INSERTS of a relation are what ISTREAM makes of it; a stream is handed on as it is."""
    if delivery == "INSERTS" and not plan.chronon:
        return Streamer(plan, "ISTREAM")
    return elements_of(plan)
