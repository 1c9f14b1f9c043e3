"""Two ways of computing the same thing, timed in turn: what counts is the ratio of their times.

Wall time on a busy machine is noisy, and drifts. So the two are run alternately, several times, and
the median of the ratios of neighbouring runs is reported, with the least and the greatest.
"""

from __future__ import annotations

import json
import os
import statistics
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path

Work = Callable[[], object]


@dataclass(frozen=True)
class Bound:
    """What a ratio must be, as the case claims."""

    most: float | None = None
    least: float | None = None

    def holds(self, ratio: float) -> bool:
        above = self.least is None or ratio >= self.least
        return above and (self.most is None or ratio <= self.most)

    def __str__(self) -> str:
        return f"≤ {self.most}" if self.most is not None else f"≥ {self.least}"


@dataclass(frozen=True)
class Measured:
    """A case: how much longer (or how much faster) the one is than the other."""

    name: str
    says: str
    ratio: float
    ratios: list[float]
    seconds: tuple[float, float]
    claim: str
    holds: bool
    notes: dict[str, object] = field(default_factory=dict)


def timed(work: Work) -> float:
    before = time.perf_counter()
    work()
    return time.perf_counter() - before


def cpu_seconds() -> float:
    """What this process and those that it has started have used, Java among them."""
    parents, used = {}, {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            # The name of a process, in brackets, may have blanks in it.
            fields = stat.read_text().rpartition(")")[2].split()
            parents[int(stat.parent.name)] = int(fields[1])
            used[int(stat.parent.name)] = sum(map(int, fields[11:15]))
    ours = {os.getpid()}
    while found := {pid for pid, parent in parents.items() if parent in ours} - ours:
        ours |= found
    return sum(used[pid] for pid in ours) / os.sysconf("SC_CLK_TCK")


def alternate(
    name: str, says: str, one: Work, other: Work, bound: Bound, repeats: int = 5
) -> Measured:
    """The time of `one` over the time of `other`, run in turn after one run of each to warm up."""
    one()
    other()
    pairs = []
    for number in range(repeats):
        # Who goes first changes, so that neither always finds the caches warm.
        if number % 2:
            second = timed(other)
            pairs.append((timed(one), second))
        else:
            pairs.append((timed(one), timed(other)))
    ratios = [a / b for a, b in pairs]
    ratio = statistics.median(ratios)
    seconds = (statistics.median(a for a, _ in pairs), statistics.median(b for _, b in pairs))
    return Measured(name, says, ratio, ratios, seconds, str(bound), bound.holds(ratio))


def report(found: list[Measured], path: Path | None) -> None:
    for case in found:
        spread = f"{min(case.ratios):.2f}–{max(case.ratios):.2f}"
        verdict = "holds" if case.holds else "DOES NOT HOLD"
        print(
            f"{case.name:34} {case.ratio:6.2f}  ({spread}; {case.seconds[0]:.2f} s, "
            f"{case.seconds[1]:.2f} s)  {case.claim}: {verdict}   {case.says}"
        )
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps([asdict(case) for case in found], indent=2))
        print(f"written to {path}")
