"""What a slab has put out, as users see it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from continua.model.schema import TimeDomain
from continua.physical.boundaries import AT
from continua.physical.builder import Builder
from continua.physical.instant import BEGINNING, FOREVER, Instant
from continua.physical.relation import Rel
from continua.physical.shown_times import bound, seen
from continua.physical.validity import END, START

BOUNDS: Mapping[str, int] = {START: BEGINNING, AT: BEGINNING, END: FOREVER}
"""The columns of an output that are times, and what is no time in them."""


def presented(builder: Builder, rel: Rel, domain: TimeDomain | None) -> Rel:
    """An output with its times as such, in columns o0, o1 and so on."""
    columns: list[tuple[str, str]] = []
    for i, column in enumerate(rel.columns):
        text = column
        if column in BOUNDS:
            text = (
                bound(domain, Instant(column), BOUNDS[column])
                if domain
                else "CAST(NULL AS TIMESTAMP)"
            )
        columns.append((f"o{i}", text))
    since = START if START in rel.columns else AT
    return builder.select("presented", rel, columns, seen(domain, since))


def titles(rel: Rel, names: Sequence[str]) -> list[str]:
    """The names of the columns of an output: those of the query, and of its times."""
    times: Mapping[str, str] = {START: "valid_from", END: "valid_to"}
    return [*names, *(times.get(column, column) for column in rel.columns[len(names) :])]


def order_of(columns: Sequence[str]) -> list[str]:
    """SQL: what an output is sorted by, over o0, o1 and so on.

    By time; what ends makes room before what starts at the same time; then by the tuple.
    """
    ranks = {"change": 1, **dict.fromkeys(BOUNDS, 0)}
    order = sorted(range(len(columns)), key=lambda i: ranks.get(columns[i], 2))
    # What never ends comes last.
    ways: Mapping[str, str] = {"change": " DESC", END: " NULLS LAST"}
    return [f"o{i}{ways.get(columns[i], '')}" for i in order]
