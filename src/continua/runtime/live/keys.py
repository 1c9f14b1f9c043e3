"""What slabs keep and put out, by name: keys of a manifest, and columns of the tables of slabs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from typing import Any

LATE, BAD = "late", "bad"
"""Why rows are set aside."""


@dataclass(frozen=True)
class StateKey:
    """What an operator keeps in a SweepArea, for the queries that began at an origin."""

    origin: int
    operator: str
    area: str


@dataclass(frozen=True)
class WaitingKey:
    """The rows of a source that lie beyond the watermark, and wait."""

    source: str


@dataclass(frozen=True)
class QueryKey:
    """What a query puts out."""

    query: str


@dataclass(frozen=True)
class MergedKey:
    """What queries put out that have been merged: a digest of all that they have in common."""

    digest: str


@dataclass(frozen=True)
class AsideKey:
    """Rows of a stream that are set aside for the user, and why: `LATE` or `BAD`."""

    reason: str
    stream: str


KeptKey = StateKey | WaitingKey
UnitKey = QueryKey | MergedKey
OutputKey = UnitKey | AsideKey
Key = KeptKey | OutputKey

_KINDS: dict[str, type[Key]] = {
    "state": StateKey,
    "waiting": WaitingKey,
    "query": QueryKey,
    "merged": MergedKey,
    "aside": AsideKey,
}
_NAMES = {kind: name for name, kind in _KINDS.items()}


def parts_of(key: Key) -> list[str | int]:
    """A key for JSON, which `key_of` takes back."""
    return [_NAMES[type(key)], *astuple(key)]


def key_of(parts: Sequence[Any]) -> Any:
    """The key of its parts."""
    kind, *values = parts
    return _KINDS[kind](*values)


def column_of(key: Key) -> str:
    """The column of a table of a slab that is the key's: a name that Parquet takes."""
    return "_".join(map(_plain, parts_of(key))) + "_"


def _plain(part: str | int) -> str:
    return re.sub("[^0-9a-z]", lambda found: f"_{ord(found[0]):x}_", str(part))
