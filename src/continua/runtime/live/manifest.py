"""The manifest of a slab: what was committed with it. Its appearance is the commit (design §7)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from hashlib import sha256
from typing import Any

from continua.errors import ContinuaError
from continua.physical.instant import BEGINNING, FOREVER
from continua.runtime.live.keys import KeptKey, OutputKey, key_of, parts_of
from continua.runtime.live.segments import Segment, Stored

FORMAT = 8
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
    """The slab with which a stream was begun to be read, and the watermark before it."""

    slab: int = 0
    watermark: int = BEGINNING


@dataclass(frozen=True)
class File:
    """A file of a slab, with what tells whether it is whole."""

    name: str
    bytes: int
    checksum: str


@dataclass(frozen=True)
class Registered:
    """A query that runs: the digest of what it delivers, and its origin, before which it sees
    nothing.

    plan: as a text, for people.
    differing: if it is merged with others of its shape, how many of its operators differ from
    theirs.
    """

    fingerprint: str
    plan: str
    since: int
    differing: int | None = None


@dataclass(frozen=True)
class Manifest:
    """A slab with all that the next one needs to know.

    number: slabs are counted by themselves; `batch` is the last batch of Spark that is in it, of
    the streaming query `query_id`.
    watermark: the time before which results are final, which is where the next slab begins.
    origins: when streams were begun to be read, by name.
    queries: those that run, by name; statements: the texts that have added and dropped some while
    they ran.
    kept: what operators and sources keep; outputs: what the slab puts out.
    """

    number: int
    watermark: int
    batch: int = -1
    query_id: str | None = None
    ended: bool = False
    sources: Mapping[str, Counts] = field(default_factory=dict)
    origins: Mapping[str, Origin] = field(default_factory=dict)
    queries: Mapping[str, Registered] = field(default_factory=dict)
    statements: tuple[str, ...] = ()
    files: tuple[File, ...] = ()
    kept: Mapping[KeptKey, Stored] = field(default_factory=dict)
    outputs: Mapping[OutputKey, Stored] = field(default_factory=dict)

    @property
    def folders(self) -> set[str]:
        """The folders of slabs that are needed."""
        stored = (*self.kept.values(), *self.outputs.values())
        return {segment.folder for relation in stored for segment in relation.segments}

    def to_json(self) -> str:
        slab = {f.name: _plain(getattr(self, f.name)) for f in fields(self)}
        slab |= {"kept": _listed(self.kept), "outputs": _listed(self.outputs)}
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
            "statements": tuple(found["statements"]),
            "files": tuple(File(**file) for file in found["files"]),
            "kept": {key_of(key): _stored(stored) for key, stored in found["kept"]},
            "outputs": {key_of(key): _stored(stored) for key, stored in found["outputs"]},
        }
    )


def _checksum(slab: object) -> str:
    return sha256(json.dumps(slab).encode()).hexdigest()


def _plain(value: Any) -> Any:
    """A value of a manifest as JSON has it."""
    if isinstance(value, Mapping):
        return {name: asdict(item) for name, item in value.items()}
    if isinstance(value, tuple):
        return [item if isinstance(item, str) else asdict(item) for item in value]
    return value


def _listed(relations: Mapping[Any, Stored]) -> list[Any]:
    """Relations with their keys, which are no texts."""
    return [[parts_of(key), asdict(stored)] for key, stored in relations.items()]


def _stored(found: Mapping[str, Any]) -> Stored:
    segments = tuple(Segment(**segment) for segment in found["segments"])
    columns, keys = tuple(found["columns"]), tuple(found["keys"])
    return Stored(**{**found, "columns": columns, "keys": keys, "segments": segments})
