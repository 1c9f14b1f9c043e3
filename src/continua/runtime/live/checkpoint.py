"""The checkpoint: a directory in which slabs are committed together or not at all (design §7).

    lock                    held by the engine that runs
    spark/                  Spark's own offsets
    slabs/00000012/         the state and the outputs of slab 12, in Parquet: in one table, or
    slabs/00000012/0003/    each by itself
    manifests/00000012.json the commit of slab 12

A slab is there if its manifest is; anything else of it is a leftover of a crash.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
from collections.abc import Set
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from time import sleep
from typing import IO

from continua.errors import ContinuaError
from continua.physical.spark_internals.spark_log import SparkLog
from continua.runtime.durable import durable, write_whole
from continua.runtime.live.manifest import BEFORE, Damaged, File, Manifest, from_json
from continua.runtime.live.segments import folder_of

MANIFESTS_KEPT = 2
"""Slabs that are kept: the newest, and the one before it, should the newest be damaged."""

LOOKS, POLL_SECONDS = 5, 0.05
"""How often a lock is tried that another process has, and the seconds between two tries."""


class Checkpoint:
    """A checkpoint that is ours alone from when it is opened until it is closed."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock: IO[str] | None = None

    @classmethod
    def open(cls, path: str | Path) -> Checkpoint:
        """Takes a directory, which is made if it is not there."""
        if "://" in str(path):
            message = f"{path} is no directory of a file system that renames atomically"
            hint = "a directory of a local disk, or of a shared one that all machines have mounted"
            raise ContinuaError("CHECKPOINT", message, hint=hint)
        checkpoint = cls(Path(path).absolute())
        checkpoint._lock = checkpoint._locked()
        return checkpoint

    @property
    def spark(self) -> str:
        """Where Spark writes its offsets."""
        return str(self.path / "spark")

    def folder(self, name: str) -> Path:
        """A folder of a slab."""
        return self._slabs / name

    @cached_property
    def latest(self) -> Manifest:
        """The newest slab that was whole when the checkpoint was opened."""
        found: list[Damaged] = []
        for path in reversed(self._committed):
            try:
                manifest = from_json(path.read_bytes(), str(path))
                self._check_files(manifest)
                return manifest
            except Damaged as damaged:
                found.append(damaged)
        if found:
            message = f"the checkpoint is damaged: {found[0]}"
            hint = "restore the checkpoint from a copy, or begin with a new one"
            raise ContinuaError("CHECKPOINT", message, hint=hint)
        return BEFORE

    def take_back_lost_batch(self, manifest: Manifest) -> None:
        """Makes Spark read its newest batch again if no slab was committed for it."""
        lost, log = manifest.batch + 1, SparkLog(self.spark)
        if log.committed == lost:
            log.take_back(lost)

    def commit(self, manifest: Manifest) -> Manifest:
        """Makes a slab that has been written visible; gives its manifest with its files."""
        needed = manifest.folders
        files = [file for file in manifest.files if str(Path(file.name).parent) in needed]
        own = self._slabs / folder_of(manifest.number)
        new = [folder for name in needed if own in (folder := self._slabs / name, folder.parent)]
        for folder in sorted(new):
            written = sorted(folder.glob("*.parquet"))
            assert written, f"{folder} has gone"
            for path in written:
                durable(path)
                name = str(path.relative_to(self._slabs))
                files.append(File(name, path.stat().st_size, _checksum(path)))
            durable(folder)
        if new:
            durable(own)
            durable(self._slabs)
        whole = replace(manifest, files=tuple(files))
        write_whole(self._manifests / f"{manifest.number:08}.json", whole.to_json())
        return whole

    def clean(self, manifest: Manifest) -> None:
        """Removes files that no slab needs any more, but none of a slab that is being computed."""
        newest = self._committed[-MANIFESTS_KEPT:]
        needed = manifest.folders
        for path in self._manifests.iterdir():
            if path not in newest:
                path.unlink()
            elif path.stem != f"{manifest.number:08}":
                with suppress(Damaged):
                    needed |= from_json(path.read_bytes(), str(path)).folders
        for path in self._slabs.iterdir():
            if path.name.isdigit() and int(path.name) <= manifest.number:
                self._clean(path, needed)

    def _clean(self, slab: Path, needed: Set[str]) -> None:
        """Removes a slab, or those parts of it that are not needed."""
        if slab.name in needed:
            return
        parts = [str(part.relative_to(self._slabs)) for part in slab.iterdir() if part.is_dir()]
        for part in parts:
            if part not in needed:
                shutil.rmtree(self._slabs / part)
        if needed.isdisjoint(parts):
            shutil.rmtree(slab)

    def close(self) -> None:
        if self._lock is not None:
            self._lock.close()

    @property
    def _slabs(self) -> Path:
        return self.path / "slabs"

    @property
    def _manifests(self) -> Path:
        return self.path / "manifests"

    @property
    def _committed(self) -> list[Path]:
        """The manifests, without what a crash has left of one."""
        return sorted(self._manifests.glob("[!.]*.json"))

    def _locked(self) -> IO[str]:
        try:
            for folder in (self._manifests, self._slabs):
                folder.mkdir(parents=True, exist_ok=True)
            lock = (self.path / "lock").open("a+")
        except OSError as error:
            message = f"{self.path} cannot be used: {error.strerror}"
            raise ContinuaError("CHECKPOINT", message) from None
        if not _taken(lock):
            lock.seek(0)
            message = f"{self.path} is in use by the process {lock.read().strip()}"
            lock.close()
            hint = "a checkpoint belongs to one engine at a time"
            raise ContinuaError("CHECKPOINT", message, hint=hint)
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        return lock

    def _check_files(self, manifest: Manifest) -> None:
        for file in manifest.files:
            path = self._slabs / file.name
            if not path.exists():
                raise Damaged(f"{path} is missing")
            if path.stat().st_size != file.bytes or _checksum(path) != file.checksum:
                raise Damaged(f"{path} is not what was written")


def _taken(lock: IO[str]) -> bool:
    """Takes the lock, if it is free. `tell` has it for a moment, to see whether an engine runs."""
    for _ in range(LOOKS):
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            sleep(POLL_SECONDS)
        else:
            return True
    return False


def _checksum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
