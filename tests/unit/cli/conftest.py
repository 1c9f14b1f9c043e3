"""Runs the command line inside the test's process, from an empty directory."""

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from continua.cli.main import app

Continua = Callable[..., Result]


@pytest.fixture(autouse=True)
def _on_the_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is tested here is the command line; the reference starts at once."""
    monkeypatch.setenv("CONTINUA_ENGINE", "reference")


@pytest.fixture
def continua(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Continua:
    """Calls a command; its result has exit_code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CONTINUA_DEBUG", raising=False)

    def call(*args: str, stdin: str | bytes | None = None) -> Result:
        return CliRunner().invoke(app, args, input=stdin, prog_name="continua")

    return call


@pytest.fixture
def bids(tmp_path: Path) -> str:
    """The declaration of a stream over a file in the current directory."""
    (tmp_path / "bids.csv").write_text("item,price,t\n1,10,1\n2,x,2\n1,30,3\noops,1,3\n2,5,4\n")
    return (
        "CREATE STREAM bids (item INT, price INT, t INT)\n"
        "SOURCE csv('bids.csv') ORDERED BY t ON ERROR DROP;\n"
    )
