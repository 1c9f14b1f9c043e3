"""Linear Road by loops and dictionaries, after the words of the benchmark: what must be sent."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import fsum

Row = dict[str, int]
Place = tuple[int, int]
"""A direction, and a segment."""

REPORT, BALANCE = 0, 2
EXIT = 4


@dataclass
class Sent:
    """What is sent, as rows of the queries; of the expressway there is only one."""

    tolls: list[tuple[object, ...]] = field(default_factory=list)
    """vid, t, dir, seg, lav, toll"""
    alerts: list[tuple[object, ...]] = field(default_factory=list)
    """vid, t, dir, seg, segment of the accident"""
    balances: list[tuple[object, ...]] = field(default_factory=list)
    """vid, t, qid, balance"""
    charges: list[tuple[int, int, int]] = field(default_factory=list)
    """vid, t, toll: what has been taken from accounts"""


class Road:
    """All that has been reported, and what the benchmark defines over it."""

    def __init__(self, rows: Sequence[Row], crowded: int) -> None:
        self._crowded = crowded
        self._rows = sorted(rows, key=lambda row: row["t"])
        self._by_vehicle: dict[int, list[Row]] = defaultdict(list)
        self._speeds: dict[tuple[int, Place], dict[int, list[int]]] = {}
        for row in self._rows:
            if row["type"] == REPORT:
                self._by_vehicle[row["vid"]].append(row)
                of_place = self._speeds.setdefault((row["t"] // 60, place(row)), defaultdict(list))
                of_place[row["vid"]].append(row["spd"])

    def sent(self) -> Sent:
        sent = Sent()
        for vid, reports in self._by_vehicle.items():
            told = 0
            for number, now in enumerate(reports):
                before = reports[number - 1] if number else None
                if before is not None and before["t"] < now["t"] - 30:
                    before = None  # it was of another trip
                if before is not None and before["seg"] == now["seg"]:
                    continue
                if before is not None and told:
                    sent.charges.append((vid, now["t"], told))
                if now["lane"] == EXIT:
                    continue
                minute, here = now["t"] // 60, place(now)
                told = self.toll(minute, here)
                sent.tolls.append((vid, now["t"], *here, self.velocity(minute, here), told))
                for accident in self.accidents_ahead(minute, here):
                    sent.alerts.append((vid, now["t"], *here, accident))
        for row in self._rows:
            if row["type"] == BALANCE:
                vid, t = row["vid"], row["t"]
                balance = sum(toll for v, when, toll in sent.charges if v == vid and when <= t)
                sent.balances.append((vid, t, row["qid"], balance))
        return sent

    def toll(self, minute: int, here: Place) -> int:
        cars = len(self._speeds.get((minute - 1, here), ()))
        velocity = self.velocity(minute, here)
        if cars <= self._crowded or velocity is None or velocity >= 40:
            return 0
        return 0 if self.accidents_ahead(minute, here) else 2 * (cars - self._crowded) ** 2

    def velocity(self, minute: int, here: Place) -> float | None:
        """The latest average velocity: over those of the five minutes before that have one."""
        minutes = [self._speeds.get((minute - back, here)) for back in range(1, 6)]
        means = [mean([mean(v) for v in speeds.values()]) for speeds in minutes if speeds]
        return mean(means) if means else None

    def accidents_ahead(self, minute: int, here: Place) -> list[int]:
        """The segments of the accidents that are at most four segments ahead."""
        direction, seg = here
        ahead = 1 if direction == 0 else -1
        return [
            accident
            for way, accident in self.accidents(60 * minute)
            if way == direction and 0 <= (accident - seg) * ahead <= 4
        ]

    def accidents(self, t: int) -> list[Place]:
        """Where two vehicles or more stand at one position."""
        standing: dict[tuple[int, int, int], list[Place]] = defaultdict(list)
        for reports in self._by_vehicle.values():
            last = [row for row in reports if row["t"] <= t][-4:]
            positions = {(row["dir"], row["lane"], row["pos"]) for row in last}
            if len(last) == 4 and len(positions) == 1 and last[0]["lane"] in (1, 2, 3):
                standing[positions.pop()].append(place(last[0]))
        return [places[0] for places in standing.values() if len(places) > 1]


def place(row: Row) -> Place:
    return row["dir"], row["seg"]


def mean(numbers: Sequence[float]) -> float:
    return fsum(numbers) / len(numbers)
