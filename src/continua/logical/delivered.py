"""The plan whose result a sink is given (design §4, *What sinks get*)."""

from __future__ import annotations

from continua.logical.node import Node
from continua.logical.streamer import Streamer


def delivered(plan: Node, delivery: str) -> Node:
    """The INSERTS of a relation are what ISTREAM makes of it; a stream is handed on as it is."""
    return Streamer(plan, "ISTREAM") if delivery == "INSERTS" and not plan.chronon else plan
