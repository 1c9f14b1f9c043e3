"""Traffic on one expressway: what the vehicles report, the same on every machine.

A vehicle enters by a ramp, travels, leaves by a ramp, and comes back after a while. It reports
every 30 s. The more vehicles there are in its segment, the slower it goes; where some stand,
because they have collided or one has broken down, who is in their segment creeps.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

MILE = 5280
"""The length of a segment, in feet."""
PERIOD = 30
"""Seconds between two reports of a vehicle."""
ENTRY, EXIT = 0, 4
"""The lanes of the ramps; the travel lanes are between them."""
REPORT, BALANCE, TICK = 0, 2, 9
"""Types of rows: a position report, a request for a balance, and that a second has passed."""
FREE, CREEPING = 65, 8
"""Miles an hour: about as fast as one goes alone, and past an accident."""
COLUMNS = ("type", "t", "vid", "spd", "xway", "lane", "dir", "seg", "pos", "qid")

Numbers = NDArray[Any]


@dataclass(frozen=True)
class Traffic:
    """So many vehicles, of which most are on the road at any time, for so many seconds.

    roomy: so many vehicles in a segment slow each other to half. accident_every: seconds between
    two accidents, of which each lasts `accident_lasts` seconds. asking: one of so many reports
    comes with a request for the balance.
    """

    vehicles: int
    duration: int
    segments: int = 100
    roomy: int = 40
    accident_every: int = 600
    accident_lasts: int = 300
    asking: int = 100
    seed: int = 1

    def table(self) -> pa.Table:
        """All rows, in the order of their times."""
        steps = list(self.steps())
        columns = {name: np.concatenate([step[name] for step in steps]) for name in COLUMNS}
        order = np.lexsort((columns["type"], columns["vid"], columns["t"]))
        inside = order[columns["t"][order] < self.duration]
        rows = {name: pa.array(column[inside], pa.int32()) for name, column in columns.items()}
        asked = pc.equal(rows["type"], BALANCE)
        for name in ("spd", "xway", "lane", "dir", "seg", "pos"):
            rows[name] = pc.if_else(asked, pa.scalar(None, pa.int32()), rows[name])
        rows["qid"] = pc.if_else(asked, rows["qid"], pa.scalar(None, pa.int32()))
        return pa.table(rows)

    def steps(self) -> Iterator[dict[str, Numbers]]:
        """What comes in every half minute: at most one report, and one request, of each vehicle."""
        road = Road(self)
        for step in range(-(-self.duration // PERIOD)):
            road.move(step)
            yield road.rows(step)

    def below(self, number: Numbers | int, *about: Numbers | int) -> Numbers:
        """For each vehicle a whole number from 0 on and below another, drawn about something."""
        drawn = np.arange(self.vehicles, dtype=np.uint64)
        for part in (self.seed, *about):
            drawn = mixed(drawn ^ mixed(np.asarray(part, np.int64).astype(np.uint64)))
        return (drawn % np.asarray(number).astype(np.uint64)).astype(np.int64)


class Road:
    """Where all vehicles are, half a minute after the other."""

    def __init__(self, traffic: Traffic) -> None:
        self._traffic = traffic
        vehicles, below = traffic.vehicles, traffic.below
        self._phase = below(PERIOD, 1)
        self._trip = np.zeros(vehicles, np.int64)
        self._wait = below(12, 2)
        """Half minutes until the next trip begins; −1 on the road."""
        self._stands_until = np.full(vehicles, -1)
        """The half minute in which a vehicle that stands goes on; −1 if it does not stand."""
        self._dir = self._target = self._pos = self._spd = np.zeros(vehicles, np.int64)
        self._lane = np.full(vehicles, EXIT)

    def move(self, step: int) -> None:
        on_road = (self._wait < 0) & (self._lane != EXIT)
        left = (self._wait < 0) & (self._lane == EXIT)
        enters = self._wait == 0
        self._stands_until[self._stands_until == step] = -1
        self._travel(step, on_road)
        self._enter(enters)
        pauses = 1 + self._traffic.below(4, 3, self._trip)
        self._wait = np.where(left, pauses, self._wait - (self._wait >= 0))
        self._trip = self._trip + left
        self._stand(step)

    def _enter(self, enters: Numbers) -> None:
        below, segments, trip = self._traffic.below, self._traffic.segments, self._trip
        eastbound = below(2, 4) == 0
        # Most trips are to the middle of the road, so that it is crowded there.
        first = below(segments // 2, 5, trip)
        last = first + 1 + below(segments - 1 - first, 6, trip)
        start, target = (np.where(eastbound, s, segments - 1 - s) for s in (first, last))
        self._dir = np.where(eastbound, 0, 1)
        self._target = np.where(enters, target, self._target)
        self._pos = np.where(enters, start * MILE + below(MILE, 7, trip), self._pos)
        self._spd = np.where(enters, 10 + below(20, 8, trip), self._spd)
        self._lane = np.where(enters, ENTRY, self._lane)

    def _travel(self, step: int, on_road: Numbers) -> None:
        below, stands = self._traffic.below, self._stands_until >= 0
        here = self._place()
        crowd = np.bincount(here[on_road], minlength=2 * self._traffic.segments)[here]
        blocked = np.bincount(here[stands], minlength=2 * self._traffic.segments)[here] > 0
        free = FREE - 10 + below(20, 9) + below(10, 10, step)
        speed = free * self._traffic.roomy // (self._traffic.roomy + crowd)
        speed = np.where(blocked, np.minimum(speed, CREEPING), speed)
        speed = np.where(stands, 0, speed)
        feet = speed * MILE * PERIOD // 3600
        pos = self._pos + np.where(self._dir == 0, feet, -feet)
        lane = np.where(self._lane == ENTRY, 1 + below(3, 11, self._trip), self._lane)
        # The ramp is somewhere in the last segment, and nobody goes beyond that segment.
        start, ramp = self._target * MILE, below(MILE, 14, self._trip)
        beyond = np.where(self._dir == 0, pos >= start + ramp, pos <= start + MILE - 1 - ramp)
        beyond &= ~stands
        lane = np.where(beyond, EXIT, lane)
        pos = np.where(beyond, np.clip(pos, start, start + MILE - 1), pos)
        self._pos = np.where(on_road, pos, self._pos)
        self._spd = np.where(on_road, speed, self._spd)
        self._lane = np.where(on_road, lane, self._lane)

    def _stand(self, step: int) -> None:
        """Now and then a vehicle runs into the one before it; in between, one breaks down."""
        every = max(2, self._traffic.accident_every // PERIOD)
        accident, breakdown = step % every == 0, step % every == every // 2
        free = (self._wait < 0) & (self._lane > ENTRY) & (self._lane < EXIT)
        driving = np.flatnonzero(free & (self._stands_until < 0))
        progress = np.where(self._dir == 0, self._pos, -self._pos)
        driving = driving[np.lexsort((driving, progress[driving], self._place()[driving]))]
        pairs = np.flatnonzero(self._place()[driving[:-1]] == self._place()[driving[1:]])
        if pairs.size and (accident or breakdown):
            pair = pairs[int(self._traffic.below(pairs.size, 12, step)[0])]
            behind, before = driving[pair], driving[pair + 1]
            stand = [before]
            if accident:
                self._pos[behind] = self._pos[before]
                self._lane[behind] = self._lane[before]
                stand.append(behind)
            self._spd[stand] = 0
            lasts = max(1, self._traffic.accident_lasts // PERIOD)
            self._stands_until[stand] = step + 1 + lasts

    def _place(self) -> Numbers:
        """The segment of each vehicle, counted in one direction and then in the other."""
        return self._dir * self._traffic.segments + self._pos // MILE

    def rows(self, step: int) -> dict[str, Numbers]:
        seen = self._wait < 0
        asks = seen & (self._traffic.below(self._traffic.asking, 13, step) == 0)
        vid = np.arange(self._traffic.vehicles)
        both = {
            "t": step * PERIOD + self._phase,
            "vid": vid,
            "spd": self._spd,
            "xway": np.zeros_like(vid),
            "lane": self._lane,
            "dir": self._dir,
            "seg": self._pos // MILE,
            "pos": self._pos,
            "qid": step * self._traffic.vehicles + vid,
        }
        rows = {name: np.concatenate([c[seen], c[asks]]) for name, c in both.items()}
        rows["type"] = np.repeat([REPORT, BALANCE], [seen.sum(), asks.sum()])
        return rows


def mixed(number: Numbers) -> Numbers:
    """The steps of splitmix64: neighbouring numbers become unlike each other."""
    with np.errstate(over="ignore"):
        number = number + np.uint64(0x9E3779B97F4A7C15)
        number = (number ^ (number >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        number = (number ^ (number >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        last: Numbers = number ^ (number >> np.uint64(31))
    return last
