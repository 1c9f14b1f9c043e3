"""`continua shell` over an input that is not a terminal."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from continua.cli.entry import entries, is_complete
from continua.cli.prompt import history_file

STREAM = "CREATE STREAM s (a INT, t INT)\n  SOURCE rows((1, 1), (2, 5))\n  ORDERED BY t;\n"


@pytest.mark.parametrize(
    ("text", "complete"),
    [
        ("SELECT 1", False),
        ("SELECT 1;", True),
        ("SELECT 1; -- that is all", True),
        ("SELECT 1; SELECT", False),
        ("SELECT ';", False),
        ("SELECT ';'", False),
        ("SELECT 1 -- no end;", False),
        ("/* ; ", False),
        ("-- only a comment", True),
        ("", True),
        ("\\d", True),
        ("  \\explain SELECT 1", True),
    ],
)
def test_an_entry_is_complete_with_its_semicolon(text, complete):
    assert is_complete(text) is complete


def test_lines_make_entries():
    lines = ["SELECT\n", "1;\n", "\\d\n", "SELECT ';\n", "';\n", "SELECT 2"]
    assert list(entries(lines)) == ["SELECT\n1;\n", "\\d\n", "SELECT ';\n';\n", "SELECT 2"]


def test_statements_run_in_one_session(continua):
    ran = continua("shell", stdin=f"{STREAM}SELECT a\nFROM s;\n")
    assert (ran.exit_code, ran.stderr) == (0, "")
    assert ran.stdout == ("a │ at\n──┼───\n1 │  1\n2 │  5\n(2 rows)\n")


def test_an_error_does_not_stop_the_others_but_is_remembered(continua):
    ran = continua("shell", stdin=f"SELEC 1;\n{STREAM}\\at 5 SELECT a FROM s\n")
    assert ran.exit_code == 1
    assert ran.stderr.startswith(
        "error[SYNTAX]: no statement starts with 'SELEC'\n --> <shell>:1:1"
    )
    assert ran.stdout == "a\n─\n2\n(1 row)\n"


def test_an_early_leave_remembers_errors_too(continua):
    ran = continua("shell", stdin="SELEC 1;\n\\q\nSELECT 1 AS one;\n")
    assert (ran.exit_code, ran.stdout) == (1, "")


def test_a_mistake_of_ours_does_not_stop_the_shell(continua, monkeypatch):
    monkeypatch.setattr("continua.cli.commands.show", None)
    ran = continua("shell", stdin="\\d\nSELECT 1 AS one;\n")
    assert ran.exit_code == 1
    assert ran.stderr.startswith("internal error: ")
    assert ran.stdout.startswith("one ")


def test_describing_everything_and_one(continua):
    more = "CREATE TABLE p (id INT);\nCREATE SINK k USING csv OPTIONS (path 'out.csv');\n"
    listed = continua("shell", stdin=f"{STREAM}{more}\\d\n").stdout.splitlines()
    assert [line.split("│")[:2] for line in listed[2:-1]] == [
        ["s    ", " stream "],
        ["p    ", " table  "],
        ["k    ", " sink   "],
    ]
    assert "t    │ INT    │ time attribute" in continua("shell", stdin=f"{STREAM}\\d s\n").stdout


def test_explaining(continua):
    ran = continua("shell", stdin=f"{STREAM}\\explain SELECT a FROM s WHERE a > 1\n")
    assert ran.stdout == "result: a stream\nfilter (a > 1)\n└─ stream s(a INT)\n"


def test_a_moment_in_quotes(continua):
    stream = "CREATE STREAM s (a INT, t TIMESTAMP) SOURCE rows((7, TIMESTAMP '2026-01-01 10:00:00')) ORDERED BY t;\n"
    query = "\\at '2026-01-01 10:00' SELECT a FROM s;\n"
    assert continua("shell", stdin=stream + query).stdout == "a\n─\n7\n(1 row)\n"


def test_a_file_is_included_in_the_session(continua, tmp_path):
    (tmp_path / "q.sql").write_text(STREAM)
    assert (
        continua("shell", stdin="\\i q.sql\n\\at 1 SELECT a FROM s\n").stdout
        == "a\n─\n1\n(1 row)\n"
    )


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (
            "\\explan SELECT 1",
            "error[SYNTAX]: there is no command \\explan\nhint: did you mean \\explain?\n",
        ),
        ("\\x", "error[SYNTAX]: there is no command \\x\nhint: "),
        ("\\at 5", "error[SYNTAX]: \\at takes a time and a query\n"),
        ("\\i", "error[SYNTAX]: \\i takes the name of a file\n"),
        ("\\i nope.sql", "error[SOURCE_NOT_FOUND]: there is no file nope.sql\n"),
        ("\\d nope", "error[UNKNOWN_STREAM]: there is no stream, table or sink named nope\n"),
    ],
)
def test_commands_that_are_wrong(continua, entry, message):
    ran = continua("shell", stdin=f"{entry}\n")
    assert ran.exit_code == 1
    assert ran.stderr.startswith(message)


@pytest.mark.parametrize("command", ["\\?", "\\help"])
def test_help_lists_every_command_once(continua, command):
    said = continua("shell", stdin=f"{command}\n").stdout
    for usage in (
        "\\d [NAME]",
        "\\explain QUERY",
        "\\at TIME QUERY",
        "\\i FILE",
        "\\?, \\help",
        "\\q",
    ):
        assert said.count(f"  {usage} ") == 1


def test_the_history_lives_in_the_state_directory(monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", "/var/state")
    assert history_file() == Path("/var/state/continua/history")
    monkeypatch.setenv("XDG_STATE_HOME", "relative")
    monkeypatch.setenv("HOME", "/home/ada")
    assert history_file() == Path("/home/ada/.local/state/continua/history")


def test_interrupting_ends_with_a_word():
    with subprocess.Popen(
        [sys.executable, "-m", "continua", "shell"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write(b"SELECT 1 AS one;\n")
        process.stdin.flush()
        assert process.stdout.readline().startswith(b"one ")
        process.send_signal(signal.SIGINT)
        assert process.stderr.read() == b"note: interrupted\n"
    assert process.returncode == 130
