"""Boundaries: the instants `at` at which something starts or ends, as rows.

Whatever follows the course of time sees boundaries in their order. Rows at one instant are peers,
of which the last knows all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from continua.physical.builder import Builder
from continua.physical.instant import Instant
from continua.physical.relation import Output, Rel

AT = Instant("at")
NEXT = Instant("next")
"""The column for the instant of the row that follows; unknown where none does."""

LAST_OF_PEERS = NEXT.differs_from(AT)

BOUNDARY = Instant(f"b.{AT}")
"""The instant of a boundary, where it is asked which of them are made."""


def following(over: str, at: Instant = AT) -> Output:
    """The output `next`, where a window has the rows in the order of `at`."""
    return NEXT, f"lead({at}) OVER {over}"


def boundaries(
    builder: Builder,
    rel: Rel,
    passed: Sequence[Output],
    ends: Mapping[str, tuple[str, str]],
    where: str | None = None,
    after: Sequence[Output] = (),
) -> Rel:
    """Two rows for every element: one where it starts, one where it ends.

    ends: by name, the columns of the two, `at` among them. where: a condition over `BOUNDARY` for
    the rows that are wanted. passed, after: other columns, before and after these.
    """
    start, end = (
        ", ".join(f"{pair[side]} AS {name}" for name, pair in ends.items()) for side in (0, 1)
    )
    both = f"array(struct({start}), struct({end}))"
    outputs = [*passed, *((name, f"b.{name}") for name in ends), *after]
    return builder.exploded("boundaries", rel, both, "b", outputs, where)
