"""The terminal side of the shell: an editor for statements of several lines, with a history."""

from __future__ import annotations

import os
from pathlib import Path

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import Completer
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent

from continua.cli.entry import is_complete

PROMPT = "continua> "
CONTINUATION = "      ... "


def terminal_prompt(completer: Completer) -> PromptSession[str]:
    """Asks for an entry; Enter ends it where it is complete and breaks the line elsewhere."""
    return PromptSession(
        PROMPT,
        multiline=True,
        prompt_continuation=CONTINUATION,
        completer=completer,
        complete_while_typing=False,
        history=_history(),
        key_bindings=_bindings(),
    )


def history_file() -> Path:
    """Where entries are remembered: in the user's state directory (XDG)."""
    # A relative XDG path counts as none, says the XDG specification.
    state = Path(os.environ.get("XDG_STATE_HOME", ""))
    base = state if state.is_absolute() else Path.home() / ".local" / "state"
    return base / "continua" / "history"


def _history() -> History:
    """The history file; where none can be written, entries are remembered until the end."""
    file = history_file()
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        file.open("ab").close()
    except OSError:
        return InMemoryHistory()
    return FileHistory(file)


def _bindings() -> KeyBindings:
    bindings = KeyBindings()

    @bindings.add("enter")
    def _enter(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        menu = buffer.complete_state
        if menu and menu.current_completion and len(menu.completions) > 1:
            buffer.complete_state = None  # Enter takes the choice, not yet the statement
        elif is_complete(buffer.text):
            buffer.validate_and_handle()
        else:
            buffer.insert_text("\n")

    return bindings
