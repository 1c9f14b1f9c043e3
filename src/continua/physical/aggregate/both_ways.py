"""Aggregates inside blocks of time, from both ends (design §6): nothing is subtracted.

No element both starts and ends inside a block. So what is valid at a boundary of the block has
started in it, up to the boundary, or ends in it, after the boundary: the aggregate there combines
a running aggregate of the starts, upwards, with one of the ends, downwards.
"""

from __future__ import annotations

from collections.abc import Sequence

from continua.physical.aggregate.aggregation import ByComponents
from continua.physical.boundaries import AT, LAST_OF_PEERS, NEXT, following
from continua.physical.builder import Builder
from continua.physical.expression import all_of
from continua.physical.instant import Instant, instant
from continua.physical.relation import UP_TO_PEERS, Rel, Window
from continua.physical.validity import Validity, of

BLOCK = "block"
"""The column for the time at which a block begins, by which it is known."""


def both_ways(
    operator: ByComponents,
    builder: Builder,
    boundaries: Rel,
    end: Instant,
    also: Sequence[str] = (),
) -> Rel:
    """The partial aggregates of every block, in pieces between its boundaries.

    A boundary has the keys and the arguments of an element, the columns `also`, the `block` by its
    beginning, the time `at`, and whether the element `ends` there. `end` is the end of a
    block. Blocks with other values in `also` are others, even if they begin at the same time.
    """
    keys = (*operator.keys, *also)
    swept = _swept(operator, builder, operator.parted(builder, boundaries), keys)
    named = operator.components.items()
    here = ", ".join(f"{c.combined(f'u{name}', f'd{name}')} AS {name}" for c, name in named)
    before = ", ".join(f"i{name} AS {name}" for _, name in named)
    first = f"struct({before}, {Validity(instant(BLOCK), AT).fields})"
    own = f"struct({here}, {Validity(AT, NEXT.otherwise(end)).fields})"
    # What lasts from the block before is seen whole from the first boundary, looking down.
    begins = all_of(AT.equals(Instant("first")), instant(BLOCK).before(AT))
    pieces = f"IF({begins}, array({first}, {own}), array({own}))"
    outputs = [
        *((key, key) for key in keys),
        *((name, f"p.{name}") for name in operator.partials),
        *of("p").outputs,
    ]
    some = all_of(LAST_OF_PEERS, "p.p0 > 0")
    return builder.exploded("pieces", swept, pieces, "p", outputs, some)


def _swept(operator: ByComponents, builder: Builder, boundaries: Rel, keys: Sequence[str]) -> Rel:
    """At every boundary, what has started upwards (u), what ends from it on (i) or after it (d)."""
    by = (*keys, BLOCK)
    named = operator.components.items()
    down = [
        (f"i{name}", c.aggregated(f"IF(ends, {c.value}, NULL)", " OVER down")) for c, name in named
    ]
    ending = builder.windowed(
        "ending",
        boundaries,
        [*((name, name) for name in boundaries.columns), *down],
        down=Window(by, f"{AT} DESC", UP_TO_PEERS),
    )
    outputs = [
        *((name, name) for name in (*by, AT)),
        *(
            (f"u{name}", c.aggregated(f"IF(ends, NULL, {c.value})", " OVER up"))
            for c, name in named
        ),
        *((name, name) for name, _ in down),
        # What ends after a boundary ends from the next one on; of peers, the last is looked at.
        *((f"d{name}", f"lead(i{name}) OVER peers") for _, name in named),
        following("peers"),
        ("first", f"first_value({AT}) OVER up"),
    ]
    return builder.windowed(
        "swept", ending, outputs, up=Window(by, AT, UP_TO_PEERS), peers=Window(by, AT)
    )
