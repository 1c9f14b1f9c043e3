"""Files that are still there after the power has gone."""

from __future__ import annotations

import os
from pathlib import Path


def durable(path: Path) -> None:
    """Has the contents of a file, or the list of files of a directory, written to the disk."""
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def write_whole(path: Path, text: str) -> None:
    """Writes a file that is there completely, and durably, or not at all."""
    partial = path.with_name(f".{path.name}")
    partial.write_text(text, encoding="utf-8")
    durable(partial)
    partial.rename(path)
    durable(path.parent)
