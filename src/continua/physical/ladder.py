"""A ladder of time buckets, for joins without keys of elements whose lengths nobody knows.

Each rung has buckets 32 times as wide as the rung below. An interval belongs on the lowest rung
whose buckets are as wide as it is long, where it touches two at most; two intervals meet on the
rung of the longer one. So each is copied to its own rung and to those above. What is too long for
any rung meets everything, on the topmost step, which has one bucket.
"""

from __future__ import annotations

from dataclasses import dataclass

from continua.physical.builder import Builder
from continua.physical.extent import Extent
from continua.physical.instant import Instant
from continua.physical.relation import Rel
from continua.physical.slab import Slab
from continua.physical.time_buckets import Side, longest_piece

STEP = 5
RUNGS = 9
"""2⁰, 2⁵, …, 2⁴⁰: from an instant to twelve days of microseconds."""


@dataclass(frozen=True)
class Ladder:
    """Rungs 0 to top - 1, and the topmost step."""

    top: int
    key = ("rung", "bucket")
    apart = True

    def placed(self, builder: Builder, slab: Slab, left: Side, right: Side) -> tuple[Rel, Rel]:
        """The sides, with a row for every bucket in which an element has to be looked for."""
        # An instant is never the longer one: what meets it need not be copied upwards.
        return (
            self._placed(builder, slab, left, upwards=not right.chronon),
            self._placed(builder, slab, right, upwards=not left.chronon),
        )

    def _placed(self, builder: Builder, slab: Slab, side: Side, upwards: bool) -> Rel:
        part = slab.clipped
        rungs = " ".join(
            f"WHEN {part.end.not_after(part.start.later(1 << STEP * rung))} THEN {rung}"
            for rung in range(self.top)
        )
        own = f"CASE {rungs} ELSE {self.top} END" if rungs else str(self.top)
        columns = [(name, name) for name in side.rel.columns]
        width = f"shiftleft(1L, {STEP} * rung)"
        touched = f"sequence({_floor(part.start.t, width)}, {_floor(part.last_time, width)})"
        rel = builder.select("measured", side.rel, [*columns, ("own", own)])
        columns.append(("own", "own"))
        if upwards:
            above, outputs = f"sequence(own, {self.top})", [*columns, ("rung", "rung")]
            rel = builder.exploded("climbed", rel, above, "rung", outputs)
        else:
            rel = builder.select("climbed", rel, [*columns, ("rung", "own")])
        buckets = f"IF(rung = {self.top}, array(0L), {touched})"
        outputs = [*columns, ("rung", "rung"), ("bucket", "bucket")]
        return builder.exploded("placed", rel, buckets, "bucket", outputs)

    def once(self, left: Side, right: Side, start: Instant) -> list[str]:
        """SQL: whether a pair that starts at this time is to be reported in the bucket."""
        here = _floor(start.t, f"shiftleft(1L, {STEP} * l.rung)")
        return [
            "l.rung = greatest(l.own, r.own)",
            f"(l.rung = {self.top} OR l.bucket = {here})",
        ]


def _floor(t: str, width: str) -> str:
    """SQL: the bucket of t, where the width is one of the row."""
    return f"({t} div {width} - IF({t} % {width} < 0, 1L, 0L))"


def ladder_for(slab: Slab, left: Extent, right: Extent) -> Ladder | None:
    """A ladder up to the length of the slab; None if a side lasts for ever."""
    if left.endless or right.endless:
        return None
    span = longest_piece(slab)
    rungs = [rung for rung in range(RUNGS) if span is None or 1 << STEP * rung < span]
    return Ladder(len(rungs))
