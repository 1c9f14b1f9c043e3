"""What has to be written of what operators keep: of a log, what the slab adds to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from continua.physical.script import EMPTY, Rel, Script
from continua.physical.sweep_area import Log, Renewed
from continua.runtime.live.logs import apart
from continua.runtime.live.manifest import Area
from continua.runtime.live.slab_file import SlabFiles


def stored(
    script: Script, files: SlabFiles, areas: Mapping[str, Area], kept: Mapping[str, Rel]
) -> tuple[dict[str, Rel], dict[str, Area]]:
    """What has to be written, and what lies in earlier slabs already and stays, by names."""
    written: dict[str, Rel] = {}
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
) -> tuple[Rel, Area | None]:
    if before is None:
        older, added = None, log.added
    else:
        older, newer = apart(before.alive(log.column, log.since))
        added = script.union("log", files.read(script, newer), log.added)
    return (EMPTY if added is EMPTY else replace(log, name=added.name)), older


def _renewed(script: Script, rel: Renewed, before: Area | None) -> tuple[Rel, Area | None]:
    """Of what has changed for some keys."""
    if not rel.name:
        return EMPTY, before
    older = None if before is None else apart(before)[0]
    if older is None or not older.pieces:
        # There is nothing older in which what is gone could be found.
        rel = replace(rel, name=script.where("left", rel, f"NOT ({rel.gone})").name)
    return rel, older
