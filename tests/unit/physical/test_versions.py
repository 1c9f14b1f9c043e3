"""What is kept in versions by key: the newest version of a key counts, however many there are."""

from __future__ import annotations

from itertools import product
from random import Random

import pyarrow as pa
import pytest
from both_engines import asked
from grid import long_case
from on_duckdb import DuckDB

from continua.physical.builder import Builder
from continua.physical.graph import graph_of
from continua.physical.operator import Form
from continua.physical.plan import physical_plan
from continua.physical.relation import EMPTY, Rel, View
from continua.physical.slab import Slab
from continua.physical.sweep_area import Renewed, SweepArea, Versions, of_keys

SUMS = SweepArea("sums", "k", "equal keys")
COLUMNS = ("k", "n")

Version = dict[int | None, int | None]

VERSIONS: tuple[Version, ...] = (
    {2: 12, 3: None},
    {1: 21, 2: 22, None: 29},
    {2: 32, 4: 34},
    {1: 41, 4: 44, None: 49, 5: None},
)
"""What slabs have written of the keys that they touched, the newest first. NULL is a key too."""

KEYS = (1, 2, 3, 4, 5, None)


def newest(keys: set[int | None]) -> Version:
    oldest_first = reversed(VERSIONS)
    return {k: n for version in oldest_first for k, n in version.items() if k in keys}


@pytest.mark.parametrize("one_task", [False, True])
@pytest.mark.parametrize("small", range(len(VERSIONS) + 1))
def test_the_newest_version_counts(small: int, one_task: bool) -> None:
    """Of the keys that are touched, and of all keys that small versions have."""
    machine = DuckDB()

    def view(columns: tuple[str, ...], rows: list[tuple[int | None, ...]]) -> Rel:
        cells = zip(*rows, strict=True) if rows else [()] * len(columns)
        arrays = [pa.array(column, pa.int64()) for column in cells]
        return machine.view(columns, pa.table(arrays, list(columns)))

    parts = tuple(view(COLUMNS, list(version.items())) for version in VERSIONS)
    state = {SUMS.name: Versions(COLUMNS, parts, small)}
    in_small = {key for version in VERSIONS[:small] for key in version}
    for chosen in product((False, True), repeat=len(KEYS)):
        touched = {key for key, wanted in zip(KEYS, chosen, strict=True) if wanted}
        builder = Builder(one_task=one_task)
        rows = view(("k",), [(key,) for key in touched]) if touched else EMPTY
        found, _ = machine.computed(builder, of_keys(builder, SUMS, state, ("k",), rows), [])
        assert dict(found) == newest(touched | in_small)
        assert len(found) == len(touched | in_small)


@pytest.mark.parametrize(
    ("construct", "window", "area", "key"),
    [("COUNT", "RANGE", "standing", "c0"), ("filter", "PARTITION", "last", "c0")],
)
def test_keys_that_meet_nothing_are_neither_read_nor_written(
    construct: str, window: str, area: str, key: str
) -> None:
    plan, _ = asked(long_case(Random(1), construct, window, window))
    graph = graph_of([physical_plan(plan, Form.CHANGES)])
    (keeping,) = (op for op in graph.operators.values() if area in {a.name for a in op.areas})
    held = Versions((key, "n"), (View("large", "large", (key, "n")),), 0)
    result, kept = keeping.advance(Builder(), Slab(4, 8), [EMPTY], {area: held})
    assert result is EMPTY
    assert kept == {area: Renewed(held.columns, EMPTY, (key,), "FALSE")}
