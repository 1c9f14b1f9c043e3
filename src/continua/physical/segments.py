"""Segments: the paper's split (TODS §7.5.1), with what is valid during each of them."""

from __future__ import annotations

from collections.abc import Sequence

from continua.physical.expression import all_of
from continua.physical.relation import EMPTY, Rel, Window
from continua.physical.script import Script
from continua.physical.slab import Slab, bucket_of, time


def segments(
    script: Script, slab: Slab, elements: Rel, keys: Sequence[str], longest: int | None
) -> Rel:
    """The elements of each group, cut at every boundary of the group inside the slab.

    So two elements of a group have the same interval or disjoint ones. No element lasts longer
    than `longest`, if given; then a segment is looked up among the elements near it only.
    """
    if elements is EMPTY:
        return EMPTY
    at = [(name, name) for name in (*keys, "at")]
    bounds = f"array({slab.clipped_start()}, end)"
    found = script.exploded("cuts", elements, bounds, "at", at, f"at < {time(slab.end)}")
    cuts = script.group("cuts", found, [*keys, "at"])
    next_ = ("next", f"lead(at, 1, {time(slab.end)}) OVER w")
    cut = script.windowed("segments", cuts, [*at, next_], w=Window(tuple(keys), "at"))
    conditions = [f"r.{key} <=> l.{key}" for key in keys]
    rows = elements
    if longest is not None:
        # An interval no longer than a bucket lies in one or two of them.
        conditions.append(f"r.bucket = {bucket_of('l.at', longest)}")
        touched = f"sequence({bucket_of('start', longest)}, {bucket_of('(end - 1)', longest)})"
        outputs = [(name, name) for name in (*elements.columns, "bucket")]
        rows = script.exploded("placed", elements, touched, "bucket", outputs)
    carried = [name for name in elements.columns if name not in ("start", "end")]
    outputs = [*((name, f"r.{name}") for name in carried), ("start", "l.at"), ("end", "l.next")]
    covered = all_of(*conditions, "r.start <= l.at", "l.at < r.end")
    return script.join("split", "INNER", cut, rows, covered, outputs)
