"""Transformations between the representations of a stream (TODS §2.5, COMAD §4.1).

They define what the representations have to do with each other; tests compare streams by them.
"""

from __future__ import annotations

from collections.abc import Iterable

from continua.logical.coalesce import coalesce
from continua.model.element import PhysicalElement, RawElement, Tuple
from continua.model.instant import Interval
from continua.model.timeline import Timeline


def raw_to_physical(raw: Iterable[RawElement]) -> list[PhysicalElement]:
    """φ^{r→p}: (e, t) ↦ (e, [t, t+1)); the result is a chronon stream."""
    chronons = [
        PhysicalElement(Tuple(values, phi), Interval(at, at.next_time)) for values, at, phi in raw
    ]
    return sorted(chronons, key=lambda element: element.interval)


def raw_to_logical(raw: Iterable[RawElement]) -> Timeline:
    """φ^{r→l} (1): the multiplicity of e at t is the number of its occurrences there."""
    return physical_to_logical(raw_to_physical(raw)).without_identity()


def physical_to_logical(physical: Iterable[PhysicalElement]) -> Timeline:
    """φ^{p→l} (2): the multiplicity of e at t is the number of its intervals that contain t."""
    return Timeline.of((e, interval, 1) for e, interval in physical)


def logical_to_physical(logical: Timeline) -> list[PhysicalElement]:
    """ζ(ι(S)): chronons merged into intervals, duplicates listed, ordered by start and end."""
    return coalesce(logical.canonical())
