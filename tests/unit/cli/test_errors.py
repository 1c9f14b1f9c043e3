"""What a user sees when something is wrong: a message and an exit code, never a traceback."""

import os
import subprocess
import sys

import pytest

from continua.session import Session

COMMAND = [sys.executable, "-m", "continua"]


def test_a_mistake_is_shown_with_its_place_and_a_hint(continua):
    ran = continua("sql", "SELECT 1 AS one;\nSELEC 2")
    assert (ran.exit_code, ran.stdout) == (1, "")
    assert ran.stderr == (
        "error[SYNTAX]: no statement starts with 'SELEC'\n --> <sql>:2:1\n  |\n"
        "2 | SELEC 2\n  | ^^^^^\nhint: did you mean SELECT?\n"
    )


def test_a_mistake_in_a_file_names_the_file(continua, tmp_path):
    (tmp_path / "q.sql").write_text("SELECT a FROM nowhere")
    assert " --> q.sql:1:15\n" in continua("run", "q.sql").stderr


def test_what_came_before_a_mistake_is_printed(continua):
    ran = continua("sql", "SELECT 1 AS one; SELECT a FROM nowhere", "--format", "csv")
    assert ran.exit_code == 1
    assert ran.stdout.startswith("one,")


@pytest.mark.parametrize("command", ["run", "explain"])
def test_a_file_that_is_not_there(continua, command):
    ran = continua(command, "nope.sql")
    assert ran.exit_code == 1
    assert ran.stderr == "error[SOURCE_NOT_FOUND]: there is no file nope.sql\n"


def test_a_directory_is_no_file(continua, tmp_path):
    ran = continua("run", str(tmp_path))
    assert (ran.exit_code, ran.stderr) == (
        1,
        f"error[SOURCE_NOT_FOUND]: {tmp_path} is a directory\n",
    )


def test_a_file_that_is_no_text(continua, tmp_path):
    (tmp_path / "q.sql").write_bytes(b"SELECT 1;\n\xff\xfe")
    ran = continua("run", "q.sql")
    assert (ran.exit_code, ran.stderr) == (
        1,
        "error[SYNTAX]: q.sql is not UTF-8 text (line 2)\n",
    )


def _fail(*_args, **_kwargs):
    raise RuntimeError("boom\nbang")


def test_a_mistake_of_ours_is_one_line(continua, monkeypatch):
    monkeypatch.setattr(Session, "execute", _fail)
    ran = continua("sql", "SELECT 1")
    assert ran.exit_code == 70
    assert ran.stderr == "internal error: RuntimeError: boom bang; please report it\n"


def test_a_mistake_of_ours_shows_its_traceback_to_developers(continua, monkeypatch):
    monkeypatch.setattr(Session, "execute", _fail)
    monkeypatch.setenv("CONTINUA_DEBUG", "1")
    assert "Traceback (most recent call last)" in continua("sql", "SELECT 1").stderr


def test_a_reader_that_has_left_ends_the_program_quietly():
    with subprocess.Popen(
        [*COMMAND, "sql", "SELECT 1 AS one"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.stderr is not None
        assert process.stderr.read() == b""
    assert process.returncode == 141


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
def test_a_full_disk():
    with open("/dev/full", "w") as full:
        command = [*COMMAND, "sql", "SELECT 1 AS one"]
        ran = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert ran.returncode == 1
    assert ran.stderr.startswith("error[CANNOT_WRITE]: cannot write to the standard output: ")


def test_closed_standard_streams_do_no_harm():
    script = '"$0" -m continua sql "SELECT 1 AS one" >&- 2>&- <&-'
    assert subprocess.run(["sh", "-c", script, sys.executable], check=False).returncode == 0


def test_results_are_utf8_whatever_the_locale():
    ran = subprocess.run(
        [*COMMAND, "sql", "SELECT 'ü' AS x"],
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert "│" in ran.stdout.decode()
    assert "ü" in ran.stdout.decode()
