"""Compressed text files, told by the endings of their names."""

from __future__ import annotations

import bz2
import gzip
import io
import os
import zlib
from collections.abc import Callable
from typing import IO, Final, TextIO

import pyarrow as pa

from continua.errors import ContinuaError
from continua.model.catalog import Relation


def _zstd(path: str) -> IO[bytes]:
    return io.BufferedReader(pa.input_stream(path, compression="zstd"))


def _gzip(path: str) -> IO[bytes]:
    return io.BufferedReader(gzip.open(path))


def _bzip2(path: str) -> IO[bytes]:
    return io.BufferedReader(bz2.open(path))


_OPENED: Final[dict[str, Callable[[str], IO[bytes]]]] = {
    ".gz": _gzip,
    ".bz2": _bzip2,
    ".zst": _zstd,
}

READ: Final = tuple(_OPENED)
"""The endings of compressed files that both engines read."""

_OTHERS = (
    *(".xz", ".lzma", ".lz4", ".lzo", ".snappy", ".deflate", ".br", ".z"),
    *(".zip", ".7z", ".rar", ".tgz", ".passthrough"),
)

ENDINGS: Final = (*READ, *_OTHERS)
"""The endings of all files that are not what the rest of their names says."""

DAMAGED: Final = (EOFError, zlib.error, gzip.BadGzipFile)
"""What a file raises that is not compressed as its name says; otherwise an `OSError` without a
number."""


def ending(path: str) -> str:
    """The ending of a compressed file, or nothing."""
    last = os.path.splitext(path)[1].lower()
    return last if last in ENDINGS else ""


def is_read(path: str) -> bool:
    """Whether it is a plain file, or compressed in a way that can be read."""
    return ending(path) in ("", *READ)


def open_bytes(relation: Relation, path: str) -> IO[bytes]:
    """The contents of a text file, decompressed if its name says that it is compressed."""
    found = ending(path)
    if not found:
        return open(path, "rb")
    if found not in _OPENED:
        message = f"{path} is compressed by a method that is not read"
        hint = f"those that are read end in {', '.join(READ)}"
        raise ContinuaError("SOURCE_NOT_FOUND", message, relation.source.span, hint=hint)
    if not os.path.getsize(path):
        raise EOFError("it is empty")
    return _OPENED[found](path)


def open_text(relation: Relation, path: str) -> TextIO:
    """A file as text. Bytes that are not UTF-8 must not stop it: they become surrogates, which are
    refused per row."""
    raw = open_bytes(relation, path)
    return io.TextIOWrapper(raw, encoding="utf-8-sig", errors="surrogateescape", newline="")
