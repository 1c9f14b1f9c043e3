"""What is kept in versions by key: the newest version of a key counts, however many there are."""

from __future__ import annotations

from itertools import product

import pyarrow as pa
import pytest
from on_duckdb import DuckDB

from continua.physical.builder import Builder
from continua.physical.relation import EMPTY, Rel
from continua.physical.sweep_area import SweepArea, Versions, of_keys

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
