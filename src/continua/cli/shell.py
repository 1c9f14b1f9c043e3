"""The shell: statements typed one after the other, in one session."""

from __future__ import annotations

import sys

from continua.cli.commands import COMMANDS, SHELL, Quit, run_command
from continua.cli.completion import SqlCompleter
from continua.cli.entry import entries, is_command
from continua.cli.prompt import terminal_prompt
from continua.cli.runner import Presentation, run
from continua.cli.script import decode
from continua.cli.show import emit, note, report
from continua.errors import Source
from continua.session import Session

WELCOME = "continua: statements end with a semicolon, \\? lists the commands, \\q leaves.\n"


def shell(session: Session) -> bool:
    """Runs entries until the user leaves; tells whether the input was free of errors.

    Mistakes at a terminal are part of the conversation, so there it is always true.
    """
    flawless = True
    try:
        if sys.stdin.isatty() and sys.stdout.isatty():
            _converse(session)
        else:
            for entry in entries(decode(line, "<stdin>") for line in sys.stdin.buffer):
                flawless &= run_entry(session, entry)
    except Quit:
        pass
    return flawless


def run_entry(session: Session, text: str) -> bool:
    """Runs an entry; an error is printed, and the shell can go on."""
    try:
        if is_command(text):
            run_command(session, text)
        else:
            run(session, Source(text, SHELL), Presentation())
    except (Quit, BrokenPipeError):
        raise
    except Exception as error:
        report(error)
        return False
    return True


def _converse(session: Session) -> None:
    summaries = {name: command.summary for name, command in COMMANDS.items()}
    prompt = terminal_prompt(SqlCompleter(session, summaries))
    emit(WELCOME)
    while True:
        try:
            run_entry(session, prompt.prompt())
        except KeyboardInterrupt:
            note("interrupted; \\q leaves the shell")
        except EOFError:
            return
