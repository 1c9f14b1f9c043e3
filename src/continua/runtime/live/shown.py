"""What a slab has put out, as users see it."""

from __future__ import annotations

from collections.abc import Sequence

from continua.model.schema import TimeDomain
from continua.physical.hop_window import bound, seen
from continua.physical.printing.spark_sql import spark_sql
from continua.physical.relation import Rel
from continua.physical.script import Script
from continua.physical.slab import BEGINNING, FOREVER

BOUNDS = {"start": BEGINNING, "at": BEGINNING, "end": FOREVER}
"""The columns of an output that are times, and what is no time in them."""


def shown(script: Script, rel: Rel, domain: TimeDomain | None, in_order: bool) -> str:
    """The query for an output with its times as such, in columns o0, o1 and so on."""
    columns: list[tuple[str, str]] = []
    for i, column in enumerate(rel.columns):
        text = column
        if column in BOUNDS:
            text = bound(domain, column, BOUNDS[column]) if domain else "CAST(NULL AS TIMESTAMP)"
        columns.append((f"o{i}", text))
    since = "start" if "start" in rel.columns else "at"
    text = spark_sql(script.select("shown", rel, columns, seen(domain, since)))
    return f"{text} SORT BY {_order(rel.columns)}" if in_order else text


def titles(rel: Rel, names: Sequence[str]) -> list[str]:
    """The names of the columns of an output: those of the query, and of its times."""
    times = {"start": "valid_from", "end": "valid_to"}
    return [*names, *(times.get(column, column) for column in rel.columns[len(names) :])]


def _order(columns: Sequence[str]) -> str:
    """By time; what ends makes room before what starts at the same time; then by the tuple."""
    ranks = {"change": 1, **dict.fromkeys(BOUNDS, 0)}
    order = sorted(range(len(columns)), key=lambda i: ranks.get(columns[i], 2))
    return ", ".join(f"o{i} DESC" if columns[i] == "change" else f"o{i}" for i in order)
