"""SweepAreas as logs: a slab adds a piece, and pieces are written anew when they are small."""

from __future__ import annotations

from dataclasses import replace

from continua.runtime.live.manifest import Area

FEW = 10_000
"""Rows that are written anew in less time than it takes to find them in another slab."""


def apart(area: Area) -> tuple[Area, Area]:
    """A log, apart: the pieces that stay as they are, and those to be written anew.

    Those are written anew that are not much larger than what is newer. So there are few, and what
    has died in them is forgotten.
    """
    number, newer = len(area.pieces), 0
    while number and area.pieces[number - 1].rows <= max(FEW, newer):
        number -= 1
        newer += area.pieces[number].rows
    return replace(area, pieces=area.pieces[:number]), replace(area, pieces=area.pieces[number:])


def together(earlier: Area | None, new: Area | None) -> Area | None:
    """A relation that was there and has grown."""
    pieces = tuple(piece for area in (earlier, new) if area is not None for piece in area.pieces)
    found = earlier or new
    return replace(found, pieces=pieces) if found is not None and pieces else None
