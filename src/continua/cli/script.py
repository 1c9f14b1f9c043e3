"""SQL text from where the user keeps it: a file, the standard input, the command line."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from continua.errors import ContinuaError, Source

STDIN = "-"


def read_script(file: str) -> Source:
    """The text of a file, or of the standard input for `-`."""
    if file == STDIN:
        return Source(decode(sys.stdin.buffer.read(), "<stdin>"), "<stdin>")
    try:
        return Source(decode(Path(file).read_bytes(), file), file)
    except FileNotFoundError:
        raise ContinuaError("SOURCE_NOT_FOUND", f"there is no file {file}") from None
    except IsADirectoryError:
        raise ContinuaError("SOURCE_NOT_FOUND", f"{file} is a directory") from None
    except OSError as error:
        message = f"cannot read {file}: {error.strerror or error}"
        raise ContinuaError("SOURCE_NOT_FOUND", message) from None


def script_or_text(argument: str) -> Source:
    """An argument that is either a file of SQL or SQL itself."""
    named = argument == STDIN or argument.lower().endswith(".sql") or os.path.isfile(argument)
    return read_script(argument) if named else Source(argument)


def decode(data: bytes, name: str) -> str:
    """Bytes as text; a byte order mark is no part of it."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ContinuaError("SYNTAX", f"{name} is not UTF-8 text (line {line})") from None
