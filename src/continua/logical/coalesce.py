"""Coalesce ζ (COMAD (11)): value-equivalent elements with adjacent intervals merged."""

from __future__ import annotations

from collections.abc import Iterable

from continua.model.element import PhysicalElement
from continua.model.timeline import Timeline


def coalesce(elements: Iterable[PhysicalElement]) -> list[PhysicalElement]:
    """The canonical form of a physical stream.

    The paper's coalesce may merge in several ways where more than one element ends as another
    starts; here the element that is open longest ends first, which makes the result unique.
    """
    return Timeline.of((e, interval, 1) for e, interval in elements).canonical()
