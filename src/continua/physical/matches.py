"""The left tuples of a join with each of their matches, in pieces, and with their copies.

A row is a piece of a left tuple, how many copies of it there are, and one match: from when to when
it lasts within the piece, and what is asked of it. A row whose `opens` is NULL is no match; every
piece has at least one row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from continua.logical.expr.nodes import Expression
from continua.physical.band import Band
from continua.physical.builder import Builder
from continua.physical.expression import all_of, compile_expression
from continua.physical.guarded import of_pairs
from continua.physical.instant import Instant, unknown
from continua.physical.join_predicate import JoinPredicate, split
from continua.physical.ladder import Ladder
from continua.physical.pairs import band_for, overlapping, pairs, places_for
from continua.physical.relation import Rel
from continua.physical.slab import Slab
from continua.physical.time_buckets import Buckets, Side
from continua.physical.validity import OF_L, OF_R, OWN, Validity

Matches = tuple[tuple[str, ...], Rel]
"""The columns that tell pieces apart, and the rows."""

MATCH = Validity(Instant("opens"), Instant("closes"))
"""When a match begins and ends within the piece."""


def in_place(
    builder: Builder,
    slab: Slab,
    left: Side,
    right: Side,
    predicate: Expression,
    asked: Sequence[tuple[str, str]],
) -> Matches:
    """Pieces cut at the borders of buckets, which their matches meet in one outer join."""
    parts = split(predicate, len(left.values))
    band = band_for(parts, left)
    buckets = places_for(slab, left, right, keyed=bool(parts.keys or band))
    assert not isinstance(buckets, Ladder), "on a ladder a piece meets its matches in many places"
    place = _Place(builder, slab, left, right, parts, buckets, band)
    return place.by, place.matches(asked)


@dataclass(frozen=True)
class _Place:
    """Where a piece and all its matches meet: by keys, a bucket of time, a bucket of values.

    They are brought there once; grouping and sweeping the pieces finds them there.
    """

    builder: Builder
    slab: Slab
    left: Side
    right: Side
    predicate: JoinPredicate
    buckets: Buckets | None
    band: Band | None

    @property
    def place(self) -> tuple[str, ...]:
        keys = tuple(f"k{i}" for i in range(len(self.predicate.keys)))
        return (*keys, *(["bucket"] if self.buckets else []), *(["band"] if self.band else []))

    @property
    def by(self) -> tuple[str, ...]:
        return (*self.place, *self.left.carried, *OWN)

    def matches(self, asked: Sequence[tuple[str, str]]) -> Rel:
        left, right = self._pieces(), self._rights()
        columns = [f"l.{c}" for c in self.left.values] + [f"r.{c}" for c in self.right.values]
        conditions = [
            *(f"l.k{i} {key.operator} r.k{i}" for i, key in enumerate(self.predicate.keys)),
            *(f"l.{c} = r.{c}" for c in self.place[len(self.predicate.keys) :]),
            *overlapping(cut(self.left), self.right),
            *of_pairs(self.builder, self.predicate.rest, columns),
        ]
        alone = OF_R.start.unknown
        outputs = [
            *((c, f"l.{c}") for c in (*self.by, "copies")),
            *((c, at.unless(alone)) for c, at in zip(MATCH, OF_L.common(OF_R), strict=True)),
            *asked,
        ]
        return self.builder.join("matched", "LEFT", left, right, all_of(*conditions), outputs)

    def _keys(self, expressions: Sequence[Expression], side: Side) -> list[tuple[str, str]]:
        texts = (compile_expression(self.builder, e, side.values) for e in expressions)
        return [(f"k{i}", text) for i, text in enumerate(texts)]

    def _placed(self, rel: Rel, outputs: Sequence[tuple[str, str]]) -> Rel:
        """The rows with columns, and one for every bucket that they touch."""
        if self.buckets is None:
            return self.builder.select("placed", rel, outputs)
        touched, bucket = self.buckets.touched(self.slab), ("bucket", "bucket")
        return self.builder.exploded("placed", rel, touched, "bucket", [*outputs, bucket])

    def _pieces(self) -> Rel:
        builder, slab, left = self.builder, self.slab, self.left
        placed = self._placed(
            left.rel,
            [
                *self._keys([key.left for key in self.predicate.keys], left),
                *([("band", self.band.of_left(builder, left.values))] if self.band else []),
                *((c, c) for c in left.carried),
                *slab.clipped.outputs,
            ],
        )
        pieces = OWN
        if self.buckets and not left.chronon:
            pieces = OWN.common(self.buckets.bounds)
        # Grouping by more than the place finds the rows where this has brought them.
        placed = builder.moved("moved", placed, self.place)
        return _counted(builder, placed, (*self.place, *left.carried), pieces)

    def _rights(self) -> Rel:
        builder, right = self.builder, self.right
        outputs = [
            *self._keys([key.right for key in self.predicate.keys], right),
            *((c, c) for c in (*right.values, *OWN)),
        ]
        rel = right.rel
        if self.band:
            bands = self.band.of_right(builder, right.values)
            both = [(c, c) for c in (*rel.columns, "band")]
            rel = builder.exploded("banded", rel, bands, "band", both)
            outputs.append(("band", "band"))
        return self._placed(rel, outputs)


def cut(side: Side) -> Side:
    """A side cut to the slab: nothing lasts for ever in it, but an instant stays one."""
    return side if side.chronon else replace(side, extent=side.extent.cut, static=False)


def apart(
    builder: Builder,
    slab: Slab,
    left: Side,
    right: Side,
    options: Sequence[Expression],
    asked: Sequence[tuple[str, str]],
) -> Matches:
    """Left tuples whole; their pairs are found as by a theta-join, and then brought to them.

    For elements that are too long to be cut at every bucket they touch, and for a predicate that
    has several options, of which a pair fulfils one.
    """
    by = (*left.carried, *OWN)
    pieces = _counted(builder, left.rel, left.carried, slab.clipped)
    outputs = [
        *((c, f"l.{c}") for c in (*by, "copies")),
        *zip(MATCH, OF_L.common(OF_R), strict=True),
        *asked,
    ]
    whole = replace(cut(left), rel=pieces)
    matched = [pairs(builder, slab, whole, right, option, outputs) for option in options]
    alone = [
        *((c, c) for c in (*by, "copies")),
        *((c, unknown()) for c in MATCH),
        *((name, "NULL" if name == "found" else "0L") for name, _ in asked),
    ]
    return by, builder.union("matched", builder.select("alone", pieces, alone), *matched)


def _counted(builder: Builder, rel: Rel, columns: Sequence[str], validity: Validity) -> Rel:
    """Equal pieces as one, with the number of copies, so that copies are not taken for matches."""
    cut_to = builder.select("cut", rel, [*((c, c) for c in columns), *validity.outputs])
    return builder.group("pieces", cut_to, cut_to.columns, [("copies", "count(*)")])
