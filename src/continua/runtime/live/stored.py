"""What has to be written of what operators keep: of a log, what the slab adds to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from continua.physical.relation import EMPTY
from continua.physical.script import Script
from continua.physical.sweep_area import Content, Log, Renewed
from continua.runtime.live.logs import apart
from continua.runtime.live.manifest import Area
from continua.runtime.live.slab_file import SlabFiles


def stored(
    script: Script, files: SlabFiles, areas: Mapping[str, Area], kept: Mapping[str, Content]
) -> tuple[dict[str, Content], dict[str, Area]]:
    """What has to be written, and what lies in earlier slabs already and stays, by names."""
    written: dict[str, Content] = {}
    earlier: dict[str, Area] = {}
    for name, rel in kept.items():
        before = areas.get(name)
        if isinstance(rel, Renewed):
            written[name], older = _renewed(script, rel, before)
        elif isinstance(rel, Log):
            written[name], older = _grown(script, files, rel, before)
        else:
            written[name], older = rel, None
        if older is not None:
            earlier[name] = older
    return written, earlier


def _grown(
    script: Script, files: SlabFiles, log: Log, before: Area | None
) -> tuple[Log, Area | None]:
    if before is None:
        older, added = None, log.added
    else:
        older, newer = apart(before.alive(log.column, log.since))
        added = script.union("log", files.rows(script, newer), log.added)
    return replace(log, added=added), older


def _renewed(script: Script, rel: Renewed, before: Area | None) -> tuple[Renewed, Area | None]:
    """Of what has changed for some keys."""
    if rel.now is EMPTY:
        return rel, before
    older = None if before is None else apart(before)[0]
    if older is None or not older.pieces:
        # There is nothing older in which what is gone could be found.
        rel = replace(rel, now=script.where("left", rel.now, f"NOT ({rel.gone})"))
    return rel, older
