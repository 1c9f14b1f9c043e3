"""Aggregates inside blocks of time, from both ends (design §6): nothing is subtracted.

No element both starts and ends inside a block. So what is valid at a boundary of the block has
started in it, up to the boundary, or ends in it, after the boundary: the aggregate there combines
a running aggregate of the starts, upwards, with one of the ends, downwards.
"""

from __future__ import annotations

from collections.abc import Sequence

from continua.physical.aggregate.aggregation import ByComponents
from continua.physical.script import Rel, Script


def both_ways(
    operator: ByComponents,
    script: Script,
    boundaries: Rel,
    end: str,
    also: Sequence[str] = (),
) -> Rel:
    """The partial aggregates of every block, in pieces between its boundaries.

    A boundary has the keys and the arguments of an element, the columns `also`, the `block` by its
    beginning, the time `at`, and whether the element `ends` there. `end` is SQL for the end of a
    block. Blocks with other values in `also` are others, even if they begin at the same time.
    """
    keys = (*operator.keys, *also)
    listed = "".join(f"{key}, " for key in keys)
    swept = _swept(operator, script, operator.parted(script, boundaries), listed)
    named = operator.components.items()
    here = ", ".join(f"{c.combined(f'u{name}', f'd{name}')} AS {name}" for c, name in named)
    before = ", ".join(f"i{name} AS {name}" for _, name in named)
    first = f"struct({before}, block AS start, at AS end)"
    own = f"struct({here}, at AS start, coalesce(next, {end}) AS end)"
    columns = (*operator.partials, "start", "end")
    picked = ", ".join(f"p.{name}" for name in columns)
    # What lasts from the block before is seen whole from the first boundary, looking down.
    text = (
        f"SELECT {listed}{picked} FROM {swept.name} LATERAL VIEW explode("
        f"IF(at = first AND block < at, array({first}, {own}), array({own}))) AS p "
        "WHERE next IS DISTINCT FROM at AND p.p0 > 0"
    )
    return script.define("pieces", text, [*keys, *columns], [swept])


def _swept(operator: ByComponents, script: Script, boundaries: Rel, keys: str) -> Rel:
    """At every boundary, what has started upwards (u), what ends from it on (i) or after it (d)."""
    by = f"PARTITION BY {keys}block ORDER BY at"
    named = operator.components.items()
    down = [
        (f"i{name}", c.aggregated(f"IF(ends, {c.value}, NULL)", " OVER down")) for c, name in named
    ]
    text = (
        f"SELECT *, {_listed(down)} FROM {boundaries.name} WINDOW "
        f"down AS ({by} DESC RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)"
    )
    columns = [*boundaries.columns, *(name for name, _ in down)]
    ending = script.define("ending", text, columns, [boundaries])
    outputs = [
        *(
            (f"u{name}", c.aggregated(f"IF(ends, NULL, {c.value})", " OVER up"))
            for c, name in named
        ),
        *((name, name) for name, _ in down),
        # What ends after a boundary ends from the next one on; of peers, the last is looked at.
        *((f"d{name}", f"lead(i{name}) OVER peers") for _, name in named),
        ("next", "lead(at) OVER peers"),
        ("first", "first_value(at) OVER up"),
    ]
    text = (
        f"SELECT {keys}block, at, {_listed(outputs)} FROM {ending.name} WINDOW "
        f"up AS ({by} RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW), peers AS ({by})"
    )
    return script.define("swept", text, ["block", "at", *(name for name, _ in outputs)], [ending])


def _listed(outputs: Sequence[tuple[str, str]]) -> str:
    return ", ".join(f"{e} AS {name}" for name, e in outputs)
