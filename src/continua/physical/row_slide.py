"""ROWS n SLIDE m: at which batches new states form (Jain §4.5.4)."""

from __future__ import annotations

from collections.abc import Sequence

from continua.logical.expr.function import Function
from continua.model.types import BIGINT, Type
from continua.physical.arrival import OPENS
from continua.physical.boundaries import AT
from continua.physical.builder import Builder
from continua.physical.instant import Instant, unknown
from continua.physical.relation import Rel, Window
from continua.physical.validity import START

PLACES = Type("ARRAY<INT>")


def with_states(builder: Builder, rows: Rel, partition: Sequence[str], slide: int) -> Rel:
    """The rows, each opened by the first state formed at or after its batch, if there is one.

    Rows that no state contains yet have no `opens`; a row's `weight` says how many it counts for.
    """
    states = _states(builder, rows, partition, slide)
    same = [(name, name) for name in rows.columns]
    padded = [
        (name, AT if name == START else name if name in partition else "NULL")
        for name in rows.columns
    ]
    marked = builder.union(
        "marked",
        builder.select("unmarked", rows, [*same, (AT, unknown())]),
        builder.select("marks", states, [*padded, (AT, AT)]),
    )
    # The next state is looked for backwards: a frame that looks ahead would be quadratic.
    next_state = Instant(f"{AT.earliest} OVER backwards")
    outputs = [
        (name, OPENS.otherwise(next_state) if name == OPENS else name)
        for name in (*rows.columns, AT)
    ]
    backwards = Window(tuple(partition), f"{START} DESC")
    opened = builder.windowed("opened", marked, outputs, backwards=backwards)
    return builder.select("rows", opened, [(name, name) for name in rows.columns], AT.unknown)


def _states(builder: Builder, rows: Rel, partition: Sequence[str], slide: int) -> Rel:
    """The instants at which states form, per partition.

    Where a state forms depends on where the one before did: a recurrence over the batches, which
    joins, groups and windows do not express. So a function folds the batches of each partition.
    """
    waiting = builder.where("waiting", rows, OPENS.unknown)
    batches = builder.group("batches", waiting, [*partition, START], [("n", "sum(weight)")])
    listed = ("batches", f"array_sort(collect_list(struct({START}, n)))")
    folded = builder.group("folded", batches, partition, [listed])
    fold = builder.python(STATES, PLACES)
    formed = f"{fold}(transform(batches, b -> b.n), {slide}L)"
    outputs = [*((name, name) for name in partition), (AT, f"get(batches, place).{START}")]
    return builder.exploded("states", folded, formed, "place", outputs)


def _formed(_result: Type, counts: Sequence[int], slide: int) -> list[int]:
    """The places of the batches that bring the count since the last state to the slide."""
    formed, since = [], 0
    for place, count in enumerate(counts):
        since += count
        if since >= slide:
            formed.append(place)
            since = 0
    return formed


STATES = Function("states_formed", lambda types: (tuple(types), BIGINT), _formed, python=_formed)
