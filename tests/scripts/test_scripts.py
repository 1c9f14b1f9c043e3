"""Every script beside this file, on both engines: one script per example of the papers."""

from collections.abc import Callable
from pathlib import Path

import pytest

from continua import Session
from continua.testing import run_script

SCRIPTS = sorted(Path(__file__).parent.glob("*.script"))


def test_there_are_scripts() -> None:
    assert SCRIPTS


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_script(script: Path) -> None:
    run_script(script, Session(engine="reference"))


@pytest.mark.spark
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_script_on_spark(script: Path, sessions: Callable[[], Session]) -> None:
    run_script(script, sessions())


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_script_says_what_it_shows(script: Path) -> None:
    assert script.read_text(encoding="utf-8").startswith("-- ")
