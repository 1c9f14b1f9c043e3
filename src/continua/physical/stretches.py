"""Stretches of time in which nothing changes: the paper's split (TODS §7.5.1), with what is valid
during each of them."""

from __future__ import annotations

from collections.abc import Sequence

from continua.physical.boundaries import AT, NEXT
from continua.physical.builder import Builder
from continua.physical.expression import all_of
from continua.physical.instant import Instant, bucket_of
from continua.physical.relation import EMPTY, Rel, Window
from continua.physical.slab import Slab
from continua.physical.validity import END, OF_R, OWN, START, Validity


def stretches(
    builder: Builder, slab: Slab, elements: Rel, keys: Sequence[str], longest: int | None
) -> Rel:
    """The elements of each group, cut at every boundary of the group inside the slab.

    So two elements of a group have the same interval or disjoint ones. No element lasts longer
    than `longest`, if given; then a stretch is looked up among the elements near it only.
    """
    if elements is EMPTY:
        return EMPTY
    at = [(name, name) for name in (*keys, AT)]
    bounds = f"array({slab.clipped.start}, {END})"
    found = builder.exploded("cuts", elements, bounds, AT, at, AT.before(slab.until))
    cuts = builder.group("cuts", found, [*keys, AT])
    next_ = (NEXT, f"lead({AT}, 1, {slab.until}) OVER w")
    cut = builder.windowed("stretches", cuts, [*at, next_], w=Window(tuple(keys), AT))
    stretch = Validity(Instant(f"l.{AT}"), Instant(f"l.{NEXT}"))
    conditions = [f"r.{key} <=> l.{key}" for key in keys]
    rows = elements
    if longest is not None:
        # An interval no longer than a bucket lies in one or two of them.
        conditions.append(f"r.bucket = {bucket_of(stretch.start.t, longest)}")
        touched = f"sequence({bucket_of(START.t, longest)}, {bucket_of(OWN.last_time, longest)})"
        outputs = [(name, name) for name in (*elements.columns, "bucket")]
        rows = builder.exploded("placed", elements, touched, "bucket", outputs)
    carried = [name for name in elements.columns if name not in OWN]
    outputs = [*((name, f"r.{name}") for name in carried), *stretch.outputs]
    covered = all_of(*conditions, *OF_R.holds(stretch.start))
    return builder.join("split", "INNER", cut, rows, covered, outputs)
