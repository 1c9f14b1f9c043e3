"""What properties are tried on depends on the commit alone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.apart

PROPERTY = Path(__file__).with_name("drawn.py")

CONSTANTS = "NUMBERS = [{}]\nTEXTS = [{}]\n".format(
    ", ".join(str(1000003 * k) for k in range(1, 60)),
    ", ".join(repr(f"a text of some module {k}") for k in range(1, 60)),
)


def drawn(folder: Path, options: list[str], **environment: str) -> str:
    file = folder / "drawn.txt"
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *options, str(PROPERTY)],
        cwd=folder,
        env={**os.environ, **environment, "CONTINUA_DRAWN": str(file)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return file.read_text()


def test_the_same_examples_are_drawn_wherever_and_however_a_property_runs(tmp_path: Path) -> None:
    alone, among_others = tmp_path / "alone", tmp_path / "among_others"
    alone.mkdir()
    among_others.mkdir()
    (among_others / "a_module_of_ours.py").write_text(CONSTANTS)
    first = drawn(alone, [], PYTHONHASHSEED="1")
    assert first.count("\n") >= 3 * 40
    path = os.pathsep.join([str(among_others), os.environ.get("PYTHONPATH", "")])
    modules = ["-p", "a_module_of_ours", "-p", "continua.cli.main"]
    second = drawn(among_others, modules, PYTHONHASHSEED="2", PYTHONPATH=path)
    assert second == first
    assert not (among_others / ".hypothesis" / "examples").exists()
