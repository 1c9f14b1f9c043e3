"""The program on a real terminal: colours, and the shell with its editor."""

import os
import pty
import select
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

COMMAND = [sys.executable, "-m", "continua"]
ENTER, TAB, UP, CTRL_D = b"\r", b"\t", b"\x1b[A", b"\x04"


def environment(**changes: str) -> dict[str, str]:
    plain = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR")}
    return {**plain, "TERM": "xterm", "PROMPT_TOOLKIT_NO_CPR": "1", "COLUMNS": "40", **changes}


def test_errors_are_coloured_and_keep_their_lines():
    master, terminal = pty.openpty()
    text = "SELECT " + "a, " * 40 + "b FROM s WHER 1"
    command = [
        *COMMAND,
        "sql",
        f"CREATE STREAM s (a INT, t INT) ORDERED BY t; {text}; SELECT a FROM t",
    ]
    ran = subprocess.run(command, stderr=terminal, env=environment(), check=False)
    os.close(terminal)
    said = os.read(master, 100_000).decode()
    os.close(master)
    assert ran.returncode == 1
    assert said.startswith("\x1b[1;31merror[")
    assert text in said


def test_hints_are_coloured():
    master, terminal = pty.openpty()
    subprocess.run([*COMMAND, "sql", "SELEC 1"], stderr=terminal, env=environment(), check=False)
    os.close(terminal)
    said = os.read(master, 100_000).decode()
    os.close(master)
    assert said.startswith("\x1b[1;31merror[SYNTAX]\x1b[0m: ")
    assert "\x1b[36mhint: did you mean SELECT?\x1b[0m" in said


class Terminal:
    """A shell on a pseudo-terminal: what is typed, and what appears until something expected."""

    def __init__(self, state: Path) -> None:
        self._master, terminal = pty.openpty()
        self._seen = b""
        self.process = subprocess.Popen(
            [*COMMAND, "shell"],
            stdin=terminal,
            stdout=terminal,
            stderr=terminal,
            env=environment(XDG_STATE_HOME=str(state)),
            start_new_session=True,
        )
        os.close(terminal)

    def type(self, *keys: bytes) -> None:
        os.write(self._master, b"".join(keys))

    def expect(self, text: str) -> None:
        """Waits for a text, and forgets what came before its end."""
        while text.encode() not in self._seen:
            ready, _, _ = select.select([self._master], [], [], 30)
            assert ready, f"{text!r} did not appear, but {self._seen!r}"
            self._seen += os.read(self._master, 100_000)
        _, _, self._seen = self._seen.partition(text.encode())

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._master)


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    shell = Terminal(tmp_path)
    yield shell
    shell.close()


def test_the_shell_edits_completes_and_remembers(terminal, tmp_path):
    terminal.expect("continua>")
    terminal.type(b"SELE", TAB)
    terminal.expect("CT")
    terminal.type(b" 'a' AS", ENTER)
    terminal.expect("...")
    terminal.type(b"first;", ENTER)
    terminal.expect("(1 row)")
    terminal.expect("continua>")
    terminal.type(b"SELEC 1;", ENTER)
    terminal.expect("hint: did you mean SELECT?")
    terminal.expect("continua>")
    terminal.type(UP, UP)
    terminal.expect("first")
    terminal.type(ENTER)
    terminal.expect("(1 row)")
    terminal.expect("continua>")
    terminal.type(CTRL_D)
    assert terminal.process.wait(timeout=300) == 0
    remembered = (tmp_path / "continua" / "history").read_text()
    assert "+SELECT 'a' AS\n+first;\n" in remembered
