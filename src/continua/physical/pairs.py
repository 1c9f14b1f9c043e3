"""The pairs of a join: which tuples meet, and when they are valid together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from continua.logical.expr.nodes import Expression
from continua.physical.band import Band, band_of
from continua.physical.builder import Builder
from continua.physical.expression import all_of, compile_expression
from continua.physical.guarded import of_pairs
from continua.physical.join_predicate import JoinPredicate, split
from continua.physical.ladder import Ladder, ladder_for
from continua.physical.relation import EMPTY, Rel
from continua.physical.slab import Slab
from continua.physical.time_buckets import Buckets, Side, buckets_for
from continua.physical.validity import OF_L, OF_R, Validity


def pairs(
    builder: Builder,
    slab: Slab,
    left: Side,
    right: Side,
    predicate: Expression,
    outputs: Sequence[tuple[str, str]],
) -> Rel:
    """Outputs over the pairs `l`, `r` that overlap and fulfil the predicate, each pair once."""
    if left.rel is EMPTY or right.rel is EMPTY:
        return EMPTY
    lefts, rights, condition = meeting(builder, slab, left, right, predicate)
    return builder.join("joined", "INNER", lefts, rights, condition, outputs)


def meeting(
    builder: Builder, slab: Slab, left: Side, right: Side, predicate: Expression
) -> tuple[Rel, Rel, str]:
    """Both sides in the places where they meet, and the condition that makes a pair of them."""
    parts = split(predicate, len(left.values))
    band = band_for(parts, left)
    places = places_for(slab, left, right, keyed=bool(parts.keys or band))
    conditions = overlapping(left, right)
    if band is not None:
        left, right = _banded(builder, band, left, right)
        conditions.insert(0, "l.band = r.band")
    lefts, rights = left.rel, right.rel
    if places is not None:
        lefts, rights = places.placed(builder, slab, left, right)
        once = places.once(left, right, together(left, right).start)
        conditions = [*(f"l.{c} = r.{c}" for c in places.key), *conditions, *once]
    ours, theirs = [f"l.{c}" for c in left.values], [f"r.{c}" for c in right.values]
    for key in parts.keys:
        sides = (
            compile_expression(builder, key.left, ours),
            compile_expression(builder, key.right, theirs),
        )
        conditions.append(f" {key.operator} ".join(sides))
    conditions += of_pairs(builder, parts.rest, [*ours, *theirs])
    return lefts, rights, all_of(*conditions)


def band_for(parts: JoinPredicate, left: Side) -> Band | None:
    """The band to meet in, where there are no keys to meet by."""
    return None if parts.keys else band_of(parts.rest, len(left.values))


def places_for(slab: Slab, left: Side, right: Side, keyed: bool) -> Buckets | Ladder | None:
    """The buckets of time to meet in; None where the start itself or other keys serve better."""
    if left.chronon and right.chronon:
        return None
    buckets = buckets_for(slab, left.extent, right.extent)
    known = left.extent.longest is not None and right.extent.longest is not None
    if buckets is not None or keyed or known:
        return buckets
    return ladder_for(slab, left.extent, right.extent)


def _banded(builder: Builder, band: Band, left: Side, right: Side) -> tuple[Side, Side]:
    lefts, rights = ([(c, c) for c in side.rel.columns] for side in (left, right))
    lefts.append(("band", band.of_left(builder, left.values)))
    rights.append(("band", "band"))
    bands = band.of_right(builder, right.values)
    return (
        replace(left, rel=builder.select("banded", left.rel, lefts)),
        replace(right, rel=builder.exploded("banded", right.rel, bands, "band", rights)),
    )


def overlapping(left: Side, right: Side) -> list[str]:
    """SQL: conditions for the intervals of `l` and `r` to have an instant in common."""
    if left.static or right.static:
        return []
    if left.chronon and right.chronon:
        return [OF_L.start.equals(OF_R.start)]
    conditions = [] if left.extent.endless else [OF_R.start.before(OF_L.end)]
    return conditions if right.extent.endless else [*conditions, OF_L.start.before(OF_R.end)]


def together(left: Side, right: Side) -> Validity:
    """The instants that `l` and `r` have in common."""
    if left.chronon or right.chronon or left.static or right.static:
        return OF_L if left.chronon or right.static else OF_R
    common = OF_L.common(OF_R)
    if left.extent.endless or right.extent.endless:
        return common._replace(end=OF_L.end if right.extent.endless else OF_R.end)
    return common
