"""The backslash commands of the shell."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from continua.cli.explain import explain
from continua.cli.runner import Presentation, answer, moment, run
from continua.cli.script import read_script
from continua.cli.show import emit, show
from continua.errors import ContinuaError, Source, did_you_mean
from continua.model.schema import Column
from continua.model.types import STRING
from continua.runtime.result import Result
from continua.session import Session

SHELL = "<shell>"
"""How messages call what is typed."""


class Quit(Exception):
    """The user wants to leave."""


@dataclass(frozen=True)
class Command:
    """A command: how it is written, what it does in words, and doing it with its argument."""

    usage: str
    summary: str
    act: Callable[[Session, str], None]


def run_command(session: Session, text: str) -> None:
    """Runs an entry that starts with a backslash."""
    name, _, argument = text.strip().partition(" ")
    command = COMMANDS.get(name)
    if command is None:
        hint = did_you_mean(name, COMMANDS, "\\? lists the commands")
        raise ContinuaError("SYNTAX", f"there is no command {name}", hint=hint)
    command.act(session, argument.strip())


def _describe(session: Session, name: str) -> None:
    if name:
        run(session, Source(f"DESCRIBE {name}", SHELL), Presentation())
        return
    rows = [
        (name, kind, definition)
        for kind in ("stream", "table", "sink")
        for name, definition in answer(session, f"SHOW {kind}s")
    ]
    show(Result.of([Column(c, STRING) for c in ("name", "kind", "definition")], rows))


def _explain(session: Session, query: str) -> None:
    explain(session, Source(query, SHELL))


def _at(session: Session, argument: str) -> None:
    found = re.fullmatch(r"(?:'([^']*)'|(\S+))\s+(.+)", argument, re.DOTALL)
    if found is None:
        hint = "as in \\at '2026-01-01 12:00' SELECT * FROM s"
        raise ContinuaError("SYNTAX", "\\at takes a time and a query", hint=hint)
    time = found[2] if found[1] is None else found[1]
    run(session, Source(found[3], SHELL), Presentation(at=moment(time)))


def _include(session: Session, file: str) -> None:
    if not file:
        raise ContinuaError("SYNTAX", "\\i takes the name of a file", hint="as in \\i query.sql")
    run(session, read_script(file), Presentation())


def _help(session: Session, argument: str) -> None:
    width = max(len(command.usage) for command in COMMANDS.values())
    emit("Statements end with a semicolon and may take several lines. Commands take one line:\n")
    listed = dict.fromkeys(COMMANDS.values())
    emit("".join(f"  {c.usage:{width}}  {c.summary}\n" for c in listed))


def _quit(session: Session, argument: str) -> None:
    raise Quit


_HELP = Command("\\?, \\help", "list the commands", _help)

COMMANDS = {
    "\\d": Command("\\d [NAME]", "list streams, tables and sinks, or describe one", _describe),
    "\\explain": Command("\\explain QUERY", "show the plan of a query", _explain),
    "\\at": Command("\\at TIME QUERY", "show the result valid at a time", _at),
    "\\i": Command("\\i FILE", "run the statements of a file", _include),
    "\\?": _HELP,
    "\\help": _HELP,
    "\\q": Command("\\q", "leave the shell (so does Ctrl-D)", _quit),
}
"""All commands by name."""
