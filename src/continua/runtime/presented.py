"""What a slab has put out, as users see it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from continua.model.schema import TimeDomain
from continua.physical.batches import BATCHES
from continua.physical.boundaries import AT
from continua.physical.builder import Builder
from continua.physical.instant import BEGINNING, FOREVER, Instant
from continua.physical.relation import Rel
from continua.physical.shown_times import bound, seen
from continua.physical.validity import END, START

BOUNDS: Mapping[str, int] = {START: BEGINNING, AT: BEGINNING, END: FOREVER}
"""The columns of an output that are times, and what is no time in them."""

TIMES_OF = {batch: column for column, batch in BATCHES.items()}
"""The column of the time that a batch belongs to."""


def presented(builder: Builder, rel: Rel, domain: TimeDomain | None) -> Rel:
    """An output with its times as such, in columns o0, o1 and so on."""

    def shown(column: str) -> str:
        if column in TIMES_OF:
            return f"IF({shown(TIMES_OF[column])} IS NULL, NULL, {column})"
        if column not in BOUNDS:
            return column
        if domain is None:
            return "CAST(NULL AS TIMESTAMP)"
        return bound(domain, Instant(column), BOUNDS[column])

    columns = [(f"o{i}", shown(column)) for i, column in enumerate(rel.columns)]
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
    ranks = {"change": 1, **dict.fromkeys((*BOUNDS, *TIMES_OF), 0)}
    order = sorted(range(len(columns)), key=lambda i: ranks.get(columns[i], 2))
    # What never ends comes last.
    last = " NULLS LAST"
    ways: Mapping[str, str] = {"change": " DESC", END: last, BATCHES[END]: last}
    return [f"o{i}{ways.get(columns[i], '')}" for i in order]
