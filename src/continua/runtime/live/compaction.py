"""Relations that are kept, as segments: a slab adds one, and small ones are written anew as one.

So a slab writes what it has changed, and rows that have ended are dropped at times (design §6).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from continua.physical.builder import Builder
from continua.physical.relation import EMPTY
from continua.physical.sweep_area import Content, Log, Renewed
from continua.runtime.live.keys import KeptKey
from continua.runtime.live.segments import Stored, by_age
from continua.runtime.live.slab_tables import SlabTables


def compacted(
    builder: Builder,
    tables: SlabTables,
    before: Mapping[KeptKey, Stored],
    kept: Mapping[KeptKey, Content],
) -> tuple[dict[KeptKey, Content], dict[KeptKey, Stored]]:
    """What a slab has to write of what is kept after it, and what lies in older slabs and stays."""
    written: dict[KeptKey, Content] = {}
    older: dict[KeptKey, Stored] = {}
    for key, content in kept.items():
        stays: Stored | None = None
        match content:
            case Renewed():
                written[key], stays = _renewed(builder, content, before.get(key))
            case Log():
                written[key], stays = _appended(builder, tables, key, content, before.get(key))
            case _:
                written[key] = content
        if stays is not None:
            older[key] = stays
    return written, older


def _appended(
    builder: Builder, tables: SlabTables, key: KeptKey, log: Log, before: Stored | None
) -> tuple[Log, Stored | None]:
    if before is None:
        return log, None
    older, young = by_age(before.alive(log.column, log.since))
    added = builder.union("log", tables.rows(builder, key, young), log.added)
    return replace(log, added=added), older


def _renewed(
    builder: Builder, content: Renewed, before: Stored | None
) -> tuple[Renewed, Stored | None]:
    if content.now is EMPTY:
        return content, before
    older = None if before is None else by_age(before)[0]
    if older is None or not older.segments:
        # No older segment has rows of the keys that are gone: they need not be marked as gone.
        left = builder.where("left", content.now, f"NOT ({content.gone})")
        return replace(content, now=left), older
    return content, older
