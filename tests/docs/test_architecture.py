"""The page on the architecture leads to what is there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
LINKS = re.findall(r"\[`(\w+)`\]\(\.\./(src/[\w/]+\.py)\)", TEXT)
PATHS = re.findall(r"`((?:src/continua/|tests/)?[\w/]+(?:\.py|/))`", TEXT)


@pytest.mark.parametrize(("name", "path"), LINKS)
def test_links_lead_to_what_they_name(name: str, path: str) -> None:
    body = ast.parse((ROOT / path).read_text(encoding="utf-8")).body
    defined = [node.name for node in body if isinstance(node, ast.ClassDef | ast.FunctionDef)]
    assert name in defined


@pytest.mark.parametrize("path", sorted(set(PATHS)))
def test_paths_exist(path: str) -> None:
    assert any((ROOT / below / path).exists() for below in (".", "src/continua"))


def test_there_is_something_to_look_at() -> None:
    assert len(LINKS) > 25
    assert len(PATHS) > 20
