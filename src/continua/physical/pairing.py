"""Intervals from multiplicities: a decrease closes the oldest open interval (design §2).

So the k-th opening of a value, in order of time, belongs to its k-th closing; what it costs are the
changes, however many equal tuples are valid between them.
"""

from __future__ import annotations

from collections.abc import Sequence

from continua.physical.boundaries import AT, LAST_OF_PEERS, following
from continua.physical.builder import Builder
from continua.physical.relation import Rel, Window
from continua.physical.validity import OWN, Validity


def paired(builder: Builder, values: Sequence[str], levels: Rel) -> Rel:
    """The intervals of each value, from its multiplicity `n` since each time `at`.

    `end` is NULL of what has not closed. `open` is passed on: whether it opened earlier.
    """
    below = [(name, name) for name in (*values, AT, "open")]
    w = Window(tuple(values), AT)
    difference = ("n", "n - coalesce(lag(n) OVER w, 0L)")
    changes = builder.windowed("changes", levels, [*below, difference], w=w)
    upto = "IF(n > 0, sum(greatest(n, 0L)) OVER w, sum(greatest(-n, 0L)) OVER w)"
    outputs = [*below, ("n", "n"), ("upto", upto)]
    counted = builder.windowed("counted", changes, outputs, "n <> 0", w=w)
    numbers = "sequence(upto - abs(n) + 1, upto)"
    outputs = [*below, ("n", "n"), ("number", "number")]
    numbered = builder.exploded("numbered", counted, numbers, "number", outputs)
    pair = Validity(AT.when("n > 0").latest, AT.when("n < 0").latest)
    outputs = [*pair.outputs, ("open", "bool_or(open)")]
    pairs = builder.group("pairs", numbered, [*values, "number"], outputs)
    return builder.select("paired", pairs, [(c, c) for c in (*values, *OWN, "open")])


def levels(builder: Builder, values: Sequence[str], changes: Rel, also: Sequence[str] = ()) -> Rel:
    """The multiplicity `n` of each value from each time `at` on, from by how much it changes then.

    Of several rows at one time, the last knows them all; it is passed on with columns `also`.
    """
    w = Window(tuple(values), AT)
    passed = [(name, name) for name in (*values, AT, *also)]
    outputs = [*passed, ("n", "sum(n) OVER w"), following("w")]
    summed = builder.windowed("summed", changes, outputs, w=w)
    return builder.select("levels", summed, [*passed, ("n", "n")], LAST_OF_PEERS)
