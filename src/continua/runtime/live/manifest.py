"""The manifest of a slab: what was committed with it. Its appearance is the commit (design §7)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from typing import Any

from continua.errors import ContinuaError
from continua.physical.slab import BEGINNING, FOREVER

FORMAT = 5
"""The version of what a checkpoint holds."""


@dataclass(frozen=True)
class Counts:
    """What a source has brought so far.

    - `least`, `seen`: the least and the greatest time in it.
    - `rows`: all rows.
    - `late`: those that came later than the stream's `SLACK` allows.
    - `bad`: those that could not be read as declared.
    """

    least: int = FOREVER
    seen: int = BEGINNING
    rows: int = 0
    late: int = 0
    bad: int = 0


@dataclass(frozen=True)
class Origin:
    """The slab with which a stream was begun to be read, and how far time had come before it."""

    slab: int = 0
    reached: int = BEGINNING


@dataclass(frozen=True)
class File:
    """A file of a slab, with what tells whether it is whole."""

    name: str
    bytes: int
    checksum: str


@dataclass(frozen=True)
class Piece:
    """The rows of a relation that one slab has written.

    latest: the greatest time in the column by which they die, if there is one.
    """

    slab: int
    rows: int
    bytes: int
    latest: int = FOREVER


@dataclass(frozen=True)
class Area:
    """A relation in the files of slabs.

    tag: the name by which its rows are found there. Only those are still needed whose `column`, a
    time, is not less than `since`; without a column all are. With `keys`, a newer piece replaces
    all that older ones have of the keys in it.
    """

    tag: str
    columns: tuple[str, ...]
    pieces: tuple[Piece, ...]
    column: str | None = None
    since: int = BEGINNING
    keys: tuple[str, ...] = ()

    @property
    def rows(self) -> int:
        return sum(piece.rows for piece in self.pieces)

    @property
    def bytes(self) -> int:
        return sum(piece.bytes for piece in self.pieces)

    def alive(self, column: str, since: int) -> Area:
        """The relation when time has gone on, without the pieces of which nothing is needed."""
        pieces = tuple(piece for piece in self.pieces if piece.latest >= since)
        return replace(self, pieces=pieces, column=column, since=since)


@dataclass(frozen=True)
class Registered:
    """A query that runs: the digest of what it delivers, and its origin, before which it sees
    nothing.

    plan: as a text, for people.
    own: how many operators it has of its own, if it is merged with others of its shape.
    """

    fingerprint: str
    plan: str
    since: int
    own: int | None = None


@dataclass(frozen=True)
class Manifest:
    """A slab with all that the next one needs to know.

    number: slabs are counted by themselves; `batch` is the last batch of Spark that is in it, of
    the streaming query `query_id`.
    reached: the progress, which is where the next slab begins.
    origins: when streams were begun to be read, by name.
    queries: those that run, by name; told: the texts that have added and dropped some.
    areas: what is kept, by name.
    outputs: what the slab puts out, by name.
    """

    number: int
    reached: int
    batch: int = -1
    query_id: str | None = None
    ended: bool = False
    sources: Mapping[str, Counts] = field(default_factory=dict)
    origins: Mapping[str, Origin] = field(default_factory=dict)
    queries: Mapping[str, Registered] = field(default_factory=dict)
    told: tuple[str, ...] = ()
    files: tuple[File, ...] = ()
    areas: Mapping[str, Area] = field(default_factory=dict)
    outputs: Mapping[str, Area] = field(default_factory=dict)

    @property
    def slabs(self) -> set[int]:
        """The slabs whose files are needed."""
        areas = (*self.areas.values(), *self.outputs.values())
        return {piece.slab for area in areas for piece in area.pieces}

    def to_json(self) -> str:
        slab = asdict(self)
        return json.dumps({"format": FORMAT, "checksum": _checksum(slab), "slab": slab}, indent=1)


BEFORE = Manifest(0, BEGINNING)
"""Where a new graph stands."""


class Damaged(Exception):
    """A manifest, or what it names, is not what was written."""


def from_json(written: bytes, path: str) -> Manifest:
    try:
        parts = json.loads(written)
        format_ = parts["format"]
    except (ValueError, TypeError, KeyError):
        raise Damaged(f"{path} is not what was written") from None
    if format_ != FORMAT:
        message = f"{path} has the format {format_}; this version reads format {FORMAT}"
        hint = "run the version of continua that wrote it, or begin with a new checkpoint"
        raise ContinuaError("CHECKPOINT", message, hint=hint)
    if parts.get("checksum") != _checksum(found := parts.get("slab")):
        raise Damaged(f"{path} is not what was written")
    return Manifest(
        **{
            **found,
            "sources": {name: Counts(**counts) for name, counts in found["sources"].items()},
            "origins": {name: Origin(**origin) for name, origin in found["origins"].items()},
            "queries": {name: Registered(**query) for name, query in found["queries"].items()},
            "told": tuple(found["told"]),
            "files": tuple(File(**file) for file in found["files"]),
            "areas": {name: _area(area) for name, area in found["areas"].items()},
            "outputs": {name: _area(area) for name, area in found["outputs"].items()},
        }
    )


def _checksum(slab: object) -> str:
    return sha256(json.dumps(slab).encode()).hexdigest()


def _area(found: Mapping[str, Any]) -> Area:
    pieces = tuple(Piece(**piece) for piece in found["pieces"])
    columns, keys = tuple(found["columns"]), tuple(found["keys"])
    return Area(**{**found, "columns": columns, "keys": keys, "pieces": pieces})
