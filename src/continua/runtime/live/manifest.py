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
class Area:
    """A relation in the files of slabs.

    tag: by which its rows are found there; slabs: where there are some; rows: how many in each.
    alive: SQL, which of them are still needed.
    """

    tag: str
    columns: tuple[str, ...]
    slabs: tuple[int, ...]
    rows: tuple[int, ...]
    alive: str = "TRUE"


@dataclass(frozen=True)
class Manifest:
    """A slab with all that the next one needs to know.

    number: slabs are counted by themselves; `batch` is the last batch of Spark that is in it, of
    the streaming query `query_id`.
    reached: the progress, which is where the next slab begins.
    areas: what is kept, by name.
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
    areas: Mapping[str, Area] = field(default_factory=dict)
    outputs: Mapping[str, Area] = field(default_factory=dict)

    @property
    def slabs(self) -> set[int]:
        """The slabs whose files are needed."""
        return {
            slab for area in (*self.areas.values(), *self.outputs.values()) for slab in area.slabs
        }

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
            "areas": {name: _area(area) for name, area in found["areas"].items()},
            "outputs": {name: _area(area) for name, area in found["outputs"].items()},
        }
    )


def _area(found: Mapping[str, Any]) -> Area:
    columns, slabs, rows = (tuple(found[key]) for key in ("columns", "slabs", "rows"))
    return Area(found["tag"], columns, slabs, rows, found["alive"])
