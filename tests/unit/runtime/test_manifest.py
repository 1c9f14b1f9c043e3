"""What is written of a slab is read again as it was, and nothing else is taken for it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from continua import ContinuaError
from continua.runtime.live.keys import (
    BAD,
    LATE,
    AsideKey,
    Key,
    MergedKey,
    QueryKey,
    StateKey,
    WaitingKey,
    column_of,
    key_of,
    parts_of,
)
from continua.runtime.live.manifest import (
    Counts,
    Damaged,
    File,
    Manifest,
    Origin,
    Registered,
    from_json,
)
from continua.runtime.live.segments import Segment, Stored

TIMES = st.integers(-(2**63), 2**63 - 1)
NAMES = st.text("ab_ 5fé.", max_size=4)
KEPT = st.one_of(
    st.builds(
        StateKey, TIMES, st.text("0a", min_size=1, max_size=2), st.sampled_from(["left", "x_y"])
    ),
    st.builds(WaitingKey, NAMES),
)
OUTPUTS = st.one_of(
    st.builds(QueryKey, NAMES),
    st.builds(MergedKey, NAMES),
    st.builds(AsideKey, st.sampled_from([LATE, BAD]), NAMES),
)
STORED = st.builds(
    Stored,
    st.just(("c0", "start", "end")),
    st.lists(st.builds(Segment, st.integers(1, 9), TIMES, TIMES, TIMES), max_size=3).map(tuple),
    st.sampled_from([None, "end"]),
    TIMES,
    st.sampled_from([(), ("c0",)]),
)
MANIFESTS = st.builds(
    Manifest,
    number=st.integers(1, 9),
    watermark=TIMES,
    query_id=st.sampled_from([None, "id"]),
    ended=st.booleans(),
    sources=st.dictionaries(NAMES, st.builds(Counts, TIMES, TIMES)),
    origins=st.dictionaries(NAMES, st.builds(Origin, st.integers(0, 9), TIMES)),
    queries=st.dictionaries(
        NAMES, st.builds(Registered, NAMES, NAMES, TIMES, st.sampled_from([None, 2]))
    ),
    statements=st.lists(NAMES).map(tuple),
    files=st.lists(st.builds(File, NAMES, TIMES, NAMES), max_size=2).map(tuple),
    kept=st.dictionaries(KEPT, STORED, max_size=3),
    outputs=st.dictionaries(OUTPUTS, STORED, max_size=3),
)


@given(MANIFESTS)
def test_a_manifest_is_read_as_it_was_written(manifest: Manifest) -> None:
    assert from_json(manifest.to_json().encode(), "m") == manifest


@given(st.lists(KEPT | OUTPUTS, unique=True, min_size=2, max_size=8))
def test_keys_have_columns_of_their_own(keys: list[Key]) -> None:
    assert [key_of(parts_of(key)) for key in keys] == keys
    columns = [column_of(key).lower() for key in keys]
    assert len(set(columns)) == len(keys)
    assert all(column.replace("_", "").isalnum() and column.isascii() for column in columns)


def test_what_is_changed_is_noticed() -> None:
    written = Manifest(3, 7).to_json()
    for changed in (written.replace('"watermark": 7', '"watermark": 8'), written[:-9], "[]"):
        assert changed != written
        with pytest.raises(Damaged):
            from_json(changed.encode(), "m")


def test_other_formats_are_refused() -> None:
    other = json.dumps({**json.loads(Manifest(3, 7).to_json()), "format": 5})
    with pytest.raises(ContinuaError, match="has the format 5; this version reads format 8"):
        from_json(other.encode(), "m")
