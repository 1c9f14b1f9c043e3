"""The files a path, a glob or a directory stands for, in the order that makes φ."""

from __future__ import annotations

import glob
import os
import stat
from collections.abc import Sequence
from typing import NamedTuple

from continua.errors import ContinuaError, did_you_mean
from continua.model.catalog import Relation
from continua.runtime.sources.compressed import ending

_LISTED = 5


class File(NamedTuple):
    """A file.

    - `path`: where it is.
    - `name`: the same without the directory that the declaration has already named.
    """

    path: str
    name: str


def find_files(
    relation: Relation, patterns: Sequence[str], suffixes: tuple[str, ...]
) -> list[File]:
    """The files of all patterns, each once, sorted by their paths."""
    files: dict[str, File] = {}
    for pattern in patterns:
        root = _root(pattern)
        for path in _found(relation, pattern, suffixes):
            check_regular(relation, path)
            files.setdefault(path, File(path, os.path.relpath(path, root)))
    return [files[path] for path in sorted(files)]


def _found(relation: Relation, pattern: str, suffixes: tuple[str, ...]) -> set[str]:
    """The files of a pattern; of a directory, those that have one of the suffixes."""
    # A file whose own name has brackets in it is not a glob.
    found = [pattern] if os.path.lexists(pattern) else glob.glob(pattern, recursive=True)
    paths: set[str] = set()
    for path in found:
        if os.path.isdir(path):
            inside = glob.glob(os.path.join(glob.escape(path), "*"))
            paths.update(p for p in inside if _has(p, suffixes) and not os.path.isdir(p))
        else:
            paths.add(path)
    if not paths:
        raise _not_found(relation, pattern, suffixes)
    return paths


def _has(path: str, suffixes: tuple[str, ...]) -> bool:
    """Whether a file has one of the suffixes, be it compressed or not."""
    return path.lower().removesuffix(ending(path)).endswith(suffixes)


def check_regular(relation: Relation, path: str) -> None:
    """Refuses a pipe or a device: reading it might never end."""
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return  # to open it says more
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        message = f"{path} is not a regular file"
        hint = "a pipe or a device cannot be read again: write its rows to a file"
        raise ContinuaError("SOURCE_NOT_FOUND", message, relation.source.span, hint=hint)


def _root(pattern: str) -> str:
    """The directory that the files of a pattern have in common, as far as the pattern says."""
    if os.path.isdir(pattern):
        return pattern
    root = os.path.dirname(pattern)
    while glob.has_magic(root) and not os.path.isdir(root):
        root = os.path.dirname(root)
    return root or os.curdir


def _not_found(relation: Relation, pattern: str, suffixes: tuple[str, ...]) -> ContinuaError:
    root = _root(pattern)
    where = os.path.abspath(root)
    if os.path.isdir(pattern):
        message = f"no {' or '.join(suffixes)} file in the directory {pattern}"
    else:
        message = f"no file {pattern}"
    if not os.path.isdir(root):
        hint: str | None = f"the directory {where} does not exist"
    elif names := sorted(os.listdir(root)):
        listed = ", ".join(names[:_LISTED]) + (", …" if len(names) > _LISTED else "")
        hint = did_you_mean(os.path.basename(pattern), names, f"in {where} there are {listed}")
    else:
        hint = f"the directory {where} is empty"
    return ContinuaError("SOURCE_NOT_FOUND", message, relation.source.span, hint=hint)
