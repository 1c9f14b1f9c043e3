"""Segments: the paper's split (TODS §7.5.1), with what is valid during each of them."""

from __future__ import annotations

from collections.abc import Sequence

from continua.physical.script import EMPTY, Rel, Script
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
    named = "".join(f"{key}, " for key in keys)
    cuts = script.define(
        "cuts",
        f"SELECT DISTINCT {named}at FROM {elements.name} LATERAL VIEW "
        f"explode(array({slab.clipped_start()}, end)) AS at WHERE at < {time(slab.end)}",
        [*keys, "at"],
        [elements],
    )
    by = ", ".join(keys) or "1"
    cut = script.define(
        "segments",
        f"SELECT {named}at, lead(at, 1, {time(slab.end)}) OVER (PARTITION BY {by} ORDER BY at) "
        f"AS next FROM {cuts.name}",
        [*keys, "at", "next"],
        [cuts],
    )
    equal = "".join(f"e.{key} <=> s.{key} AND " for key in keys)
    carried = [name for name in elements.columns if name not in ("start", "end")]
    rows = elements.name
    if longest is not None:
        # An interval no longer than a bucket lies in one or two of them.
        equal += f"e.bucket = {bucket_of('s.at', longest)} AND "
        first, last = bucket_of("start", longest), bucket_of("(end - 1)", longest)
        rows = f"(SELECT *, explode(sequence({first}, {last})) AS bucket FROM {rows})"
    listed = "".join(f"e.{name}, " for name in carried)
    text = (
        f"SELECT {listed}s.at AS start, s.next AS end FROM {cut.name} s JOIN {rows} e "
        f"ON {equal}e.start <= s.at AND s.at < e.end"
    )
    return script.define("split", text, [*carried, "start", "end"], [cut, elements])
