"""A logical stream as a timeline: per tuple, the steps of its multiplicity over time.

A logical stream is a temporal multiset of `(tuple, instant, multiplicity)` (TODS definition 2.2).
A day has 86,400,000,000 microseconds, so the instants are not listed: between two changes a
multiplicity stands still, and formulas are evaluated at the instants where something changes.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from operator import itemgetter

from continua.model.element import Multiset, PhysicalElement, Tuple, identity_order
from continua.model.instant import BEGINNING, FOREVER, LATEST, Instant, Interval, Time
from continua.model.values import order_key

Steps = tuple[tuple[Instant, int], ...]


class Timeline:
    """A step function from instants to multisets of tuples.

    Two timelines are equal iff their snapshots are equal at every instant (TODS (7)); steps are
    kept only where the multiplicity really changes, so that comparing them decides it.
    """

    def __init__(self, steps: Mapping[Tuple, Iterable[tuple[Instant, int]]]) -> None:
        self._steps: dict[Tuple, Steps] = {}
        for element, raw in steps.items():
            kept: list[tuple[Instant, int]] = []
            for instant, n in sorted(raw):
                assert n >= 0, "a multiplicity cannot be negative"
                if n != (kept[-1][1] if kept else 0):
                    kept.append((instant, n))
            if kept:
                self._steps[element] = tuple(kept)

    @classmethod
    def of(cls, elements: Iterable[tuple[Tuple, Interval, int]]) -> Timeline:
        """TODS (2): the multiplicity at an instant is the number of intervals that contain it.

        What would end after the greatest time never ends.
        """
        deltas: dict[Tuple, dict[Instant, int]] = defaultdict(lambda: defaultdict(int))
        for element, (start, given), n in elements:
            end = given if given.t <= LATEST else FOREVER
            if start < end and start.t <= LATEST:
                deltas[element][start] += n
                deltas[element][end] -= n
        return cls({e: _accumulate(changes) for e, changes in deltas.items()})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Timeline) and self._steps == other._steps

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        shown = (f"{e.values}×{n}@{i}" for e, steps in self._steps.items() for i, n in steps)
        return f"Timeline({', '.join(shown)})"

    def steps(self) -> Iterator[tuple[Tuple, Steps]]:
        yield from self._steps.items()

    def instants(self) -> list[Instant]:
        """The instants at which something changes, in order."""
        return sorted({instant for steps in self._steps.values() for instant, _ in steps})

    def at(self, instant: Instant) -> dict[Tuple, int]:
        """The timeslice τ (TODS (6)): the snapshot valid at an instant."""
        snapshot: dict[Tuple, int] = {}
        for element, steps in self._steps.items():
            position = bisect_right(steps, instant, key=itemgetter(0))
            if position and (n := steps[position - 1][1]):
                snapshot[element] = n
        return snapshot

    def without_identity(self) -> Timeline:
        """Values and multiplicities only, for operators that do not ask for identity."""
        deltas: dict[Tuple, dict[Instant, int]] = defaultdict(lambda: defaultdict(int))
        for element, instant, change in self.changes():
            deltas[Tuple(element.values)][instant] += change
        return Timeline({e: _accumulate(changes) for e, changes in deltas.items()})

    def openings(self) -> list[tuple[Tuple, Instant, int]]:
        """The elements of a chronon stream, `(tuple, instant, multiplicity)`, in order.

        Whatever was valid in an earlier unit of time has ended by then, so in a new unit every
        copy is new; within a unit (several batches) only the increase is.
        """
        found = []
        for element, steps in self._steps.items():
            for (start, n), before, end in _segments(steps):
                if n == 0:
                    continue
                if (new := n - before if start.i else n) > 0:
                    found.append((element, start, new))
                last = min(end.t if end.i else end.t - 1, LATEST)
                later = range(int(start.t) + 1, int(last) + 1)
                found += [(element, Instant(t), n) for t in later]
        return sorted(found, key=lambda e: (e[1], identity_order(e[0].identity), _order(e[0])))

    def by_instant(self) -> Timeline:
        """A chronon stream whose elements are told apart by their instants too (design §1)."""
        return Timeline.of(
            (element.stamped(at), Interval(at, at.next_time), n)
            for element, at, n in self.openings()
        )

    def changes(self) -> Iterator[tuple[Tuple, Instant, int]]:
        """By how much a multiplicity changes, for every tuple and instant at which it does."""
        for element, steps in self._steps.items():
            before = 0
            for instant, n in steps:
                yield element, instant, n - before
                before = n

    def sampled(self, granule: int, first: Time, last: Time) -> Timeline:
        """The stream split into chronons at the multiples of a granule (TODS §8.2.2).

        A unit of time is sampled after its last batch, the last in which any values change, between
        the first and the last time given.
        """
        last_batches = {at.t: at for at in self.without_identity().instants()}
        chronons = []
        for element, steps in self._steps.items():
            for (start, n), _before, end in _segments(steps):
                low, high = max(start.t, first), min(end.t - 1, last)
                if n == 0 or low > high:
                    continue
                for t in range(-int(-low // granule), int(high // granule) + 1):
                    instant = last_batches.get(t * granule, Instant(t * granule))
                    chronon = Interval(instant, instant.next_time)
                    chronons.append((element.stamped(instant), chronon, n))
        return Timeline.of(chronons)

    def canonical(self) -> list[PhysicalElement]:
        """The physical stream users see: a decrease closes the oldest open interval of a tuple.

        Rows are ordered by start, end and tuple.
        """
        rows = []
        for element, steps in self._steps.items():
            open_since: list[Instant] = []
            for instant, n in steps:
                for start in open_since[: max(0, len(open_since) - n)]:
                    rows.append(PhysicalElement(element, Interval(start, instant)))
                open_since = open_since[max(0, len(open_since) - n) :]
                open_since += [instant] * (n - len(open_since))
            rows += [PhysicalElement(element, Interval(start, FOREVER)) for start in open_since]
        return sorted(rows, key=lambda r: (r.interval, _order(r.tuple)))


def pointwise(snapshot_of: Callable[..., Multiset], *inputs: Timeline) -> Timeline:
    """The snapshot-reducible operator of a function on snapshots (TODS definition 6.2).

    At every instant, the snapshot of the result is the function of the inputs' snapshots.
    """
    changes: dict[Instant, list[tuple[int, Tuple, int]]] = defaultdict(list)
    for number, timeline in enumerate(inputs):
        for element, steps in timeline.steps():
            for instant, n in steps:
                changes[instant].append((number, element, n))
    changes[BEGINNING]  # an operator may have a result over nothing
    current: list[dict[Tuple, int]] = [{} for _ in inputs]
    result: dict[Tuple, list[tuple[Instant, int]]] = defaultdict(list)
    before: Multiset = {}
    for instant in sorted(changes):
        for number, element, n in changes[instant]:
            if n:
                current[number][element] = n
            else:
                del current[number][element]
        try:
            after = snapshot_of(*current)
        except InstantError as error:
            raise error.located(instant) from None
        for element in before.keys() - after.keys():
            result[element].append((instant, 0))
        for element, n in after.items():
            if before.get(element) != n:
                result[element].append((instant, n))
        before = dict(after)
    return Timeline(result)


class InstantError(Exception):
    """Something a snapshot cannot be: raised inside `pointwise`, which knows the instant."""

    instant: Instant

    def located(self, instant: Instant) -> InstantError:
        self.instant = instant
        return self


def _segments(steps: Steps) -> Iterator[tuple[tuple[Instant, int], int, Instant]]:
    """Each step, with the multiplicity before it and the instant of the next one."""
    before = 0
    for step, after in zip(steps, (*steps[1:], (FOREVER, 0)), strict=True):
        yield step, before, after[0]
        before = step[1]


def _accumulate(changes: Mapping[Instant, int]) -> Iterator[tuple[Instant, int]]:
    total = 0
    for instant in sorted(changes):
        total += changes[instant]
        if instant != FOREVER:
            yield instant, total


def _order(element: Tuple) -> tuple[object, ...]:
    return tuple(order_key(value) for value in element.values)
