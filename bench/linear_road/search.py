"""The search for the highest load that is held: by doubling, then by bisection."""

from __future__ import annotations

from collections.abc import Callable

from in_real_time import Outcome

CLOSE = 1.1
"""Loads of which the one is at most so many times the other are not told apart."""


def search(tried: Callable[[int], Outcome | None], vehicles: int) -> list[Outcome]:
    """What has been tried, until it is known which load is held, or nothing more can be tried."""
    found: list[Outcome] = []
    held, too_many = 0, None
    while vehicles and (too_many is None or too_many > CLOSE * held):
        outcome = tried(vehicles)
        if outcome is None:
            break
        found.append(outcome)
        if outcome.held:
            held = vehicles
        else:
            too_many = vehicles
        vehicles = 2 * held if too_many is None else (held + too_many) // 2
    return found
