"""How a command ends: whatever stops it becomes a message and an exit code."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

import typer

from continua.cli.show import note, report, silence_stdout
from continua.runtime.spark_errors import translated_java

Arguments = ParamSpec("Arguments")

INTERRUPTED = 130
BROKEN_PIPE = 141
"""As shells count: 128 and the number of the signal, SIGINT or SIGPIPE."""


def guarded(command: Callable[Arguments, None]) -> Callable[Arguments, None]:
    """The command, which no longer raises anything but the end of the program."""

    @wraps(command)
    def guard(*args: Arguments.args, **kwargs: Arguments.kwargs) -> None:
        try:
            with translated_java():
                command(*args, **kwargs)
            sys.stdout.flush()
        except typer.Exit:
            raise
        except KeyboardInterrupt:
            note("interrupted")
            raise typer.Exit(INTERRUPTED) from None
        except BrokenPipeError:
            silence_stdout()
            raise typer.Exit(BROKEN_PIPE) from None
        except Exception as error:
            raise typer.Exit(report(error)) from None

    return guard
