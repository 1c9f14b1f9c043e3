"""What can be said of a graph while it runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from continua.errors import counted
from continua.model.schema import TimeDomain
from continua.physical.instant import BEGINNING, FOREVER
from continua.runtime.live.keys import AsideKey, Key
from continua.runtime.live.manifest import Counts, Manifest
from continua.runtime.live.timings import Timings


@dataclass(frozen=True)
class Progress:
    """How far running queries have come with their last slab. As text it is one line.

    - `slab`: the number of the slab.
    - `watermark`: the time before which results are final, in the unit of the streams' time.
    - `length`: how much time the slab has moved on by; None if that is not finite.
    - `lag`: how far the watermark is behind the greatest time seen; None before the first slab and
      after the end.
    - `sources`: the `Counts` of each source, since the beginning.
    - `rows_out`: rows that the slab has put out for each query, or for queries of one shape
      together.
    - `state`: rows that each SweepArea keeps.
    - `state_bytes`: what they take up on disk.
    - `bytes`: what all files that are needed take up.
    - `time`: the kind of time; `time.value(watermark)` is the watermark as results
      show it.
    - `changed`: for each source, how many files have changed after they were read, if any have.
      What was added to them is not read.
    - `seconds`: what the slab has spent its time on.
    - `operators`: the time that each operator has taken, if `Running.profile` has asked for it.
    """

    slab: int
    watermark: int
    length: int | None
    lag: int | None
    sources: Mapping[str, Counts]
    rows_out: Mapping[str, int]
    state: Mapping[str, int]
    state_bytes: Mapping[str, int]
    bytes: int
    time: TimeDomain | None = None
    changed: Mapping[str, int] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)
    operators: Mapping[str, float] = field(default_factory=dict)

    def __str__(self) -> str:
        known = self.time is not None and BEGINNING < self.watermark < FOREVER
        upto = f" up to {self.time.value(self.watermark)}" if self.time and known else ""
        parts = [f"slab {self.slab}{upto}"]
        for name, counts in self.sources.items():
            aside = [f"{n} {what}" for n, what in ((counts.late, "late"), (counts.bad, "bad")) if n]
            parts.append(f"{name}: {', '.join([counted(counts.rows, 'row'), *aside])}")
        for name, files in self.changed.items():
            parts.append(f"{name}: {counted(files, 'file')} changed after being read")
        parts.append(f"{counted(sum(self.state.values()), 'row')} kept")
        spent = sum(self.seconds.values())
        return "; ".join([*parts, f"{spent:.2f} s"])


def progress_of(
    manifest: Manifest,
    before: Manifest,
    time: TimeDomain | None,
    timings: Timings,
    label: Callable[[Key], str],
) -> Progress:
    """Where a graph stands; `label` says for people what is kept or put out."""
    state: Counter[str] = Counter()
    state_bytes: Counter[str] = Counter()
    for key, stored in manifest.kept.items():
        state[label(key)] += stored.rows
        state_bytes[label(key)] += stored.bytes
    finite = before.watermark > BEGINNING and manifest.watermark < FOREVER
    seen = max((c.seen for c in manifest.sources.values()), default=BEGINNING)
    running = BEGINNING < manifest.watermark < FOREVER
    return Progress(
        manifest.number,
        manifest.watermark,
        manifest.watermark - before.watermark if finite else None,
        max(0, seen - manifest.watermark) if running else None,
        manifest.sources,
        {
            label(key): stored.rows
            for key, stored in manifest.outputs.items()
            if not isinstance(key, AsideKey)
        },
        state,
        state_bytes,
        sum(file.bytes for file in manifest.files),
        time,
        seconds=dict(timings.phases),
        operators=dict(timings.operators or {}),
    )
