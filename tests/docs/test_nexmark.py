"""docs/nexmark.md shows every query of NEXMark; that the texts are those of the files, its blocks say."""

from __future__ import annotations

import re
from pathlib import Path

from nexmark_queries import ALL

ROOT = Path(__file__).resolve().parents[2]


def test_the_page_shows_every_query_once_in_order() -> None:
    page = (ROOT / "docs" / "nexmark.md").read_text(encoding="utf-8")
    shown = re.findall(r"<!-- file: bench/queries/(\w+/q\d+)\.sql -->", page)
    assert shown == [asked.name for asked in ALL]


def test_every_query_begins_with_what_it_asks() -> None:
    for asked in ALL:
        sentence = re.match(r"-- [A-Z](.|\n-- )+?[.?](?=\n| )", asked.text)
        assert sentence is not None, f"{asked.name} does not say what it asks"
