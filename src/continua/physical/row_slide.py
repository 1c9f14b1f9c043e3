"""ROWS n SLIDE m: at which batches new states form (Jain §4.5.4)."""

from __future__ import annotations

from collections.abc import Sequence

from continua.logical.expr.function import Function
from continua.model.types import BIGINT, Type
from continua.physical.script import Rel, Script

BIGINTS = Type("ARRAY<BIGINT>")


def with_states(script: Script, rows: Rel, partition: Sequence[str], slide: int) -> Rel:
    """The rows, each opened by the first state formed at or after its batch, if there is one.

    Rows that no state contains yet have no `opens`; a row's `weight` says how many it counts for.
    """
    states = _states(script, rows, partition, slide)
    padded = [
        "at AS start" if name == "start" else name if name in partition else f"NULL AS {name}"
        for name in rows.columns
    ]
    columns = ", ".join(rows.columns)
    marked = script.define(
        "marked",
        f"SELECT {columns}, CAST(NULL AS BIGINT) AS at FROM {rows.name} UNION ALL "
        f"SELECT {', '.join(padded)}, at FROM {states.name}",
        [*rows.columns, "at"],
        [rows, states],
    )
    # The next state is looked for backwards: a frame that looks ahead would be quadratic.
    following = f"min(at) OVER (PARTITION BY {', '.join(partition) or '1'} ORDER BY start DESC)"
    outputs = [
        (name, f"coalesce(opens, {following})" if name == "opens" else name)
        for name in (*rows.columns, "at")
    ]
    opened = script.select("opened", marked, outputs)
    return script.select("rows", opened, [(name, name) for name in rows.columns], "at IS NULL")


def _states(script: Script, rows: Rel, partition: Sequence[str], slide: int) -> Rel:
    """The instants at which states form, per partition.

    Where a state forms depends on where the one before did: a recurrence over the batches, which
    joins, groups and windows do not express. So a function folds the batches of each partition.
    """
    listed = "".join(f"{name}, " for name in partition)
    group = f" GROUP BY {', '.join(partition)}" if partition else ""
    fold = script.python(STATES, BIGINTS)
    text = (
        f"SELECT {listed}explode({fold}(batches.start, batches.n, {slide}L)) AS at FROM ("
        f"SELECT {listed}array_sort(collect_list(struct(start, n))) AS batches FROM ("
        f"SELECT {listed}start, sum(weight) AS n FROM {rows.name} WHERE opens IS NULL "
        f"GROUP BY {listed}start){group})"
    )
    return script.define("states", text, [*partition, "at"], [rows])


def _formed(_result: Type, instants: Sequence[int], counts: Sequence[int], slide: int) -> list[int]:
    """The instants of the batches that bring the count since the last state to the slide."""
    formed, since = [], 0
    for instant, count in zip(instants, counts, strict=True):
        since += count
        if since >= slide:
            formed.append(instant)
            since = 0
    return formed


STATES = Function("states_formed", lambda types: (tuple(types), BIGINT), _formed, python=_formed)
