"""The tables of docs/language.md list what there is, and links in all pages lead somewhere.

A table is found by the comment before it, `<!-- list: WHAT -->` or `<!-- table: WHAT -->`.
"""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import pytest

from continua import ContinuaError, Session
from continua.cli.main import app
from continua.errors import CODES
from continua.model.types import TYPE_NAMES
from continua.runtime.sinks.kinds import FORMATS
from continua.runtime.sources.kinds import FUNCTIONS as SOURCES

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def _rows(marker: str) -> list[list[str]]:
    """The cells of the tables that stand after a marker in docs/language.md, without headings."""
    text = (ROOT / "docs" / "language.md").read_text(encoding="utf-8")
    found = []
    for part in text.split(f"<!-- {marker} -->\n")[1:]:
        table = itertools.takewhile(lambda line: line.startswith("|"), part.split("\n"))
        for row in list(table)[2:]:
            cells = re.split(r"(?<!\\)\|", row)[1:-1]
            found.append([cell.strip().replace("\\|", "|") for cell in cells])
    assert found, f"docs/language.md has no table {marker}"
    return found


def _listed(what: str) -> list[str]:
    """The names in the first column of the tables that list something."""
    found = [name for row in _rows(f"list: {what}") for name in re.findall(r"`([^`]+)`", row[0])]
    assert len(found) == len(set(found)), f"docs/language.md lists some {what} twice"
    return found


@pytest.mark.parametrize("kind", ["scalar", "aggregate"])
def test_all_functions_are_listed(kind: str) -> None:
    shown = {name for name, its_kind in Session().sql("SHOW FUNCTIONS") if its_kind == kind}
    assert {name.lower() for name in _listed(f"{kind} functions")} == shown


def _evaluated() -> list[tuple[str, str, str]]:
    """The examples in tables of docs/language.md: expression, FROM, value."""
    over = "FROM VALUES (1), (2), (4), (5), (NULL) AS t(v)"
    tables = {
        "table: evaluated": "",
        "list: scalar functions": "",
        "list: aggregate functions": over,
    }
    return [
        (row[-2].strip("`"), source, row[-1].strip("`"))
        for marker, source in tables.items()
        for row in _rows(marker)
    ]


@pytest.mark.parametrize(("expression", "source", "value"), _evaluated())
def test_expressions_have_the_value_listed(expression: str, source: str, value: str) -> None:
    result = Session(engine="reference").sql(f"SELECT {expression} AS x {source}").snapshot()
    shown = str(result).split("\n")[2].strip()
    assert shown == value, f"docs/language.md: {expression}"


@pytest.mark.parametrize("row", _rows("table: refused"), ids=lambda row: row[0])
def test_forms_are_refused_with_the_hint_listed(row: list[str]) -> None:
    session = Session()
    session.sql("CREATE STREAM s (k STRING, v INT, t INT) SOURCE rows(('x', 10, 1)) ORDERED BY t")
    _, text, code, hint = row
    with pytest.raises(ContinuaError) as refused:
        session.sql(text.strip("`"))
    assert (refused.value.code, refused.value.hint or "") == (code.strip("`"), hint)


def test_all_error_codes_are_listed_with_their_kind() -> None:
    expected = [[f"`{code}`", kind, summary] for code, (kind, summary) in CODES.items()]
    assert _rows("list: error codes") == expected


def test_all_settings_are_listed() -> None:
    assert set(_listed("settings")) == {name for name, _ in Session().sql("SHOW SETTINGS")}


def test_all_sources_are_listed() -> None:
    assert {name.partition("(")[0] for name in _listed("sources")} == set(SOURCES)


def test_all_types_are_listed() -> None:
    # DECIMAL has synonyms that the parser knows apart from the table of names.
    names = {name.partition("(")[0] for name in _listed("types")} - {"NUMERIC", "DEC"}
    assert names == set(TYPE_NAMES)


def test_all_commands_are_listed() -> None:
    known = {command.callback.__name__ for command in app.registered_commands if command.callback}
    assert set(_listed("commands")) == known


def test_all_formats_are_listed() -> None:
    assert set(_listed("formats")) == set(FORMATS)


# Links.


def _slug(heading: str) -> str:
    """The anchor that GitHub makes of a heading."""
    kept = re.sub(r"[^\w\- ]", "", heading.strip().lower())
    return kept.replace(" ", "-")


def _prose(page: Path) -> str:
    return re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    broken = []
    for target in re.findall(r"\]\(([^)\s]+)\)", _prose(page)):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        if not file.exists():
            broken.append(target)
        elif anchor and file.suffix == ".md":
            headings = re.findall(r"^#+ (.*)$", _prose(file), flags=re.M)
            if anchor not in map(_slug, headings):
                broken.append(target)
    assert not broken, f"{page.name}: {', '.join(broken)}"


# Citations.


CITATION = re.compile(r"\bdesign((?:,? §\d+)+)")


def _citing() -> list[Path]:
    """Every text of the repository that may cite the design."""
    kinds = ("*.py", "*.script", "*.md", "*.sql")
    folders = ("src", "tests", "docs", "bench")
    found = [path for name in folders for kind in kinds for path in (ROOT / name).rglob(kind)]
    return [*found, *ROOT.glob("*.md")]


def _cited(text: str) -> list[str]:
    """The sections of the design that a text cites, also where a line ends between the words."""
    joined = re.sub(r"\s*\n\s*(?:--|#)?\s*", " ", text)
    return [number for cited in CITATION.findall(joined) for number in re.findall(r"\d+", cited)]


def test_citations_are_found_across_lines() -> None:
    assert _cited("-- NOW (design\n-- §3); coalesce (design §2, §6) and (design\n    §7)") == list(
        "3267"
    )


def test_citations_of_the_design_lead_to_its_sections() -> None:
    design = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
    sections = re.findall(r"^## (\d+)\. ", design, flags=re.M)
    assert sections == [str(number) for number in range(1, len(sections) + 1)]
    cited = {path: _cited(path.read_text(encoding="utf-8")) for path in _citing()}
    assert sum(map(len, cited.values())) > 40
    wrong = [
        f"{path.relative_to(ROOT)}: §{number}"
        for path, numbers in cited.items()
        for number in numbers
        if number not in sections
    ]
    assert not wrong, ", ".join(wrong)
