"""The manifest of a slab: what was committed with it. Its appearance is the commit (design §7)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from continua.errors import ContinuaError
from continua.physical.slab import BEGINNING, FOREVER

FORMAT = 1
"""The version of what a checkpoint holds."""


@dataclass(frozen=True)
class Counts:
    """What a source has brought so far, and between which times."""

    least: int = FOREVER
    seen: int = BEGINNING
    rows: int = 0
    late: int = 0
    bad: int = 0


@dataclass(frozen=True)
class File:
    """A file of a slab, with what tells whether it is whole."""

    name: str
    bytes: int
    checksum: str


@dataclass(frozen=True)
class Segment:
    """A relation in the files of a slab: its tag there, its columns, how many rows."""

    slab: int
    tag: int
    columns: tuple[str, ...]
    rows: int


@dataclass(frozen=True)
class Manifest:
    """A slab with all that the next one needs to know.

    number: slabs are counted by themselves; `batch` is the last batch of Spark that is in it, of
    the streaming query `query_id`.
    reached: the progress, which is where the next slab begins.
    areas: what is kept, by name; a relation may lie in segments of several slabs.
    outputs: what the slab puts out, by name.
    """

    number: int
    reached: int
    batch: int = -1
    query_id: str | None = None
    ended: bool = False
    sources: Mapping[str, Counts] = field(default_factory=dict)
    plans: Mapping[str, str] = field(default_factory=dict)
    files: tuple[File, ...] = ()
    areas: Mapping[str, tuple[Segment, ...]] = field(default_factory=dict)
    outputs: Mapping[str, Segment] = field(default_factory=dict)

    @property
    def slabs(self) -> set[int]:
        """The slabs whose files are needed."""
        kept = {segment.slab for segments in self.areas.values() for segment in segments}
        return kept | {segment.slab for segment in self.outputs.values()}

    def to_json(self) -> str:
        return json.dumps({"format": FORMAT, **asdict(self)}, indent=1)


BEFORE = Manifest(0, BEGINNING)
"""Where a new graph stands."""


def from_json(text: str, path: str) -> Manifest:
    found = json.loads(text)
    format_ = found.pop("format", None)
    if format_ != FORMAT:
        message = f"{path} has the format {format_}; this version reads format {FORMAT}"
        hint = "run the version of continua that wrote it, or begin with a new checkpoint"
        raise ContinuaError("CHECKPOINT", message, hint=hint)
    return Manifest(
        **{
            **found,
            "sources": {name: Counts(**counts) for name, counts in found["sources"].items()},
            "files": tuple(File(**file) for file in found["files"]),
            "areas": {
                name: tuple(map(_segment, segments)) for name, segments in found["areas"].items()
            },
            "outputs": {name: _segment(segment) for name, segment in found["outputs"].items()},
        }
    )


def _segment(found: Mapping[str, Any]) -> Segment:
    return Segment(found["slab"], found["tag"], tuple(found["columns"]), found["rows"])
