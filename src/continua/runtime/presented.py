"""What a slab has put out, as users see it."""

from __future__ import annotations

from collections.abc import Sequence

from continua.model.schema import TimeDomain
from continua.physical.hop_window import bound, seen
from continua.physical.relation import Rel
from continua.physical.script import Script
from continua.physical.slab import BEGINNING, FOREVER

BOUNDS = {"start": BEGINNING, "at": BEGINNING, "end": FOREVER}
"""The columns of an output that are times, and what is no time in them."""


def presented(script: Script, rel: Rel, domain: TimeDomain | None) -> Rel:
    """An output with its times as such, in columns o0, o1 and so on."""
    columns: list[tuple[str, str]] = []
    for i, column in enumerate(rel.columns):
        text = column
        if column in BOUNDS:
            text = bound(domain, column, BOUNDS[column]) if domain else "CAST(NULL AS TIMESTAMP)"
        columns.append((f"o{i}", text))
    since = "start" if "start" in rel.columns else "at"
    return script.select("presented", rel, columns, seen(domain, since))


def titles(rel: Rel, names: Sequence[str]) -> list[str]:
    """The names of the columns of an output: those of the query, and of its times."""
    times = {"start": "valid_from", "end": "valid_to"}
    return [*names, *(times.get(column, column) for column in rel.columns[len(names) :])]


def order_of(columns: Sequence[str]) -> list[str]:
    """SQL: what an output is sorted by, over o0, o1 and so on.

    By time; what ends makes room before what starts at the same time; then by the tuple.
    """
    ranks = {"change": 1, **dict.fromkeys(BOUNDS, 0)}
    order = sorted(range(len(columns)), key=lambda i: ranks.get(columns[i], 2))
    # What never ends comes last.
    ways = {"change": " DESC", "end": " NULLS LAST"}
    return [f"o{i}{ways.get(columns[i], '')}" for i in order]
