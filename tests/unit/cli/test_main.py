"""The program as a whole: its version, its help, its demonstration."""

import subprocess
import sys

import pytest

from continua import __version__


def test_version_as_a_module():
    command = [sys.executable, "-m", "continua", "--version"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, f"continua {__version__}\n", "")


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ([], ["run", "sql", "explain", "shell", "demo", "--version"]),
        (["run"], ["FILE.sql", "stdin", "--format", "--output", "exactly one query", "--at"]),
        (["sql"], ["TEXT", "--format", "--output", "--at"]),
        (["explain"], ["QUERY|FILE.sql"]),
        (["shell"], ["history and completion"]),
        (["demo"], ["auction"]),
    ],
)
def test_help(continua, command, words):
    ran = continua(*command, "--help")
    assert ran.exit_code == 0
    said = " ".join(ran.stdout.split())
    assert [word for word in words if word not in said] == []


def test_an_unknown_command_is_a_usage_error(continua):
    ran = continua("frobnicate")
    assert ran.exit_code == 2
    assert "No such command 'frobnicate'" in ran.stderr


def test_the_demonstration(continua):
    ran = continua("demo")
    assert (ran.exit_code, ran.stderr) == (0, "")
    parts = [
        "    CREATE STREAM Bid (",
        "    WHERE num >= ALL (",
        "    itemID │ num │ valid_from          │ valid_to\n",
        "      1002 │   5 │ 2026-01-01 01:35:27 │ 2026-01-01 01:49:44\n",
        "rows, 166 not shown)",
        # The moment is told to have two leaders, so it must have them.
        "      1002 │   3\n      1003 │   3\n    (2 rows)\n",
        "  continua shell ",
    ]
    places = [ran.stdout.find(part) for part in parts]
    assert -1 not in places
    assert places == sorted(places)
    assert max(map(len, ran.stdout.splitlines())) <= 100
    assert continua("demo").stdout == ran.stdout
