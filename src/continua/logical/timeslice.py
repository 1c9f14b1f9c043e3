"""Timeslice τ (TODS (6)): the snapshot of a logical stream at an instant."""

from __future__ import annotations

from continua.model.element import Multiset
from continua.model.instant import Instant, Time
from continua.model.timeline import Timeline


def timeslice(stream: Timeline, t: Time) -> Multiset:
    """τ_t(S) := {(e, n) | (e, t, n) ∈ S}, after the last batch of t."""
    reached = max((at for at in stream.instants() if at.t <= t), default=Instant(t))
    return stream.at(reached)
