"""What reaches the terminal: results on stdout, errors and notes on stderr."""

from __future__ import annotations

import os
import sys
import traceback

from rich.console import Console
from rich.text import Text

from continua.errors import ContinuaError
from continua.runtime.result import Explanation, Result
from continua.runtime.sinks.kinds import file_sink

FAILED = 1
"""The exit code of a mistake the user can mend."""
INTERNAL = 70
"""The exit code of a mistake of ours (EX_SOFTWARE of sysexits.h)."""


def emit(text: str) -> None:
    """Writes to stdout at once, so that results and errors keep their order."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        silence_stdout()
        reason = error.strerror or str(error)
        message = f"cannot write to the standard output: {reason}"
        raise ContinuaError("CANNOT_WRITE", message) from None


def silence_stdout() -> None:
    """Sends to nowhere what is left to write: Python tries once more when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def show(result: Result, format_: str = "table") -> None:
    """Prints a result; a plan without a frame, its lines being its layout."""
    emit(file_sink("table" if isinstance(result, Explanation) else format_).text(result))


def note(text: str) -> None:
    """Tells something on stderr that is no error."""
    _complain(Text(f"note: {text}", style="yellow"))


def report(error: Exception) -> int:
    """Prints an error on stderr; gives the exit code it stands for."""
    if not isinstance(error, ContinuaError):
        if os.environ.get("CONTINUA_DEBUG") == "1":
            traceback.print_exception(error, file=sys.stderr)
        said = " ".join(str(error).split())
        what = f"{type(error).__name__}: {said}" if said else type(error).__name__
        _complain(Text(f"internal error: {what}; please report it", style="red"))
        return INTERNAL
    text = Text(str(error))
    text.stylize("bold red", 0, len(f"error[{error.code}]"))
    if error.hint:
        text.stylize("cyan", len(text) - len(f"hint: {error.hint}"))
    _complain(text)
    return FAILED


def _complain(text: Text) -> None:
    """Prints in colour on a terminal and plainly elsewhere; a line stays a line."""
    console = Console(stderr=True)
    if console.is_terminal:
        console.print(text, soft_wrap=True)
    else:
        print(text.plain, file=sys.stderr)
