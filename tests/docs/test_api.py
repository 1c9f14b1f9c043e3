"""docs/api.md is made from the docstrings of what `continua` exports.

A docstring is Markdown, with its examples as Python's doctest has them. They become examples of the
page, and so they are run with those of the other pages (test_docs.py). After a change of a docstring,
`make api` writes the page.
"""

from __future__ import annotations

import ast
import difflib
import inspect
import sys
import textwrap
from collections.abc import Iterator
from doctest import DocTestParser, Example
from pathlib import Path
from types import ModuleType

import continua
import continua.testing.script

PAGE = Path(__file__).resolve().parents[2] / "docs" / "api.md"
INTRODUCTION = """\
# API reference

What a Python program uses: `continua` exports the classes, and `continua.testing` what tests of
queries need. The [tutorial](tutorial.md#from-python) shows how they go together, and the
[language reference](language.md) what the SQL in them may be.

This page is made from the docstrings by `make api`. The examples of a class go on from one another.
"""
EXPORTED = (
    *("Session", "Query", "Result", "Schema", "Column"),
    *("Running", "Progress", "Counts", "Sink", "Source", "FileSource", "File", "Record"),
    *("Problem", "Place", "Option", "ContinuaError", "Span"),
)
"""What `continua` exports, in the order of the page."""
TYPES = ("Rows",)
"""What it exports beside them for annotations; the page on sinks tells what they are."""
TESTING = ("run_script", "Script", "ScriptFailure")
INSIDE = {
    "Query.timeline",
    "Query.deliver",
    "Result.of",
    "Running.change",
    "ContinuaError.at",
    "Span.to",
    "Record.only",
    "Source.opened",
    "Source.unreadable",
    "Source.passed_over",
    "Source.live",
    "FileSource.parts",
    "FileSource.check",
    "FileSource.patterns",
    "FileSource.files",
    "FileSource.of",
    "FileSource.records",
    "FileSource.opened",
    "FileSource.live",
}
"""For other modules of the package, not for its users."""
WIDTH = 88


def page() -> str:
    """The whole page."""
    parts = [INTRODUCTION]
    for name in EXPORTED:
        parts += _documented(getattr(continua, name), "##")
    parts += ["## continua.testing\n", _text(continua.testing.script)]
    for name in TESTING:
        parts += _documented(getattr(continua.testing, name), "###")
    return "\n".join(parts)


def _documented(thing: object, level: str) -> Iterator[str]:
    """A class with its members, in the order of its source, or a function."""
    (node,) = ast.parse(textwrap.dedent(inspect.getsource(thing))).body
    assert isinstance(node, ast.FunctionDef | ast.ClassDef)
    yield f"{level} {node.name}\n"
    if isinstance(node, ast.FunctionDef):
        yield _signature(node.name, node, node.args.args)
        yield _text(node)
        return
    yield _text(node)
    for member in node.body:
        if isinstance(member, ast.FunctionDef) and _is_shown(member, node.name):
            yield from _member(member, node.name, f"{level}#")


def _is_shown(member: ast.FunctionDef, owner: str) -> bool:
    """Of the members that Python itself calls, constructors that have a docstring are shown."""
    if member.name == "__init__":
        return ast.get_docstring(member) is not None
    return not member.name.startswith("_") and f"{owner}.{member.name}" not in INSIDE


def _member(member: ast.FunctionDef, owner: str, level: str) -> Iterator[str]:
    decorators = [ast.unparse(decorator) for decorator in member.decorator_list]
    made = member.name == "__init__"
    yield f"{level} {owner}(…)\n" if made else f"{level} {owner}.{member.name}\n"
    if "property" in decorators:
        assert member.returns is not None
        yield f"```signature\n{member.name}: {ast.unparse(member.returns)}\n```\n"
    else:
        called = f"{owner}.{member.name}" if "classmethod" in decorators else member.name
        yield _signature(owner if made else called, member, member.args.args[1:])
    yield _text(member)


def _signature(called: str, function: ast.FunctionDef, arguments: list[ast.arg]) -> str:
    """How a function is called; each argument on a line of its own if they are long."""
    assert not function.args.kwonlyargs
    assert not function.args.vararg
    defaults = [f" = {ast.unparse(default)}" for default in function.args.defaults]
    defaults = [""] * (len(arguments) - len(defaults)) + defaults
    shown = [ast.unparse(a) + default for a, default in zip(arguments, defaults, strict=True)]
    assert function.returns is not None
    gives = "" if function.name == "__init__" else f" -> {ast.unparse(function.returns)}"
    line = f"{called}({', '.join(shown)}){gives}"
    if len(line) > WIDTH:
        lines = "".join(f"    {argument},\n" for argument in shown)
        line = f"{called}(\n{lines}){gives}"
    return f"```signature\n{line}\n```\n"


def _text(node: ast.ClassDef | ast.FunctionDef | ModuleType) -> str:
    """A docstring, its examples as blocks: what is run, and what it prints."""
    if isinstance(node, ModuleType):
        name, docstring = node.__name__, inspect.getdoc(node)
    else:
        name, docstring = node.name, ast.get_docstring(node)
    assert docstring, f"{name} has no docstring"
    shown: list[str] = []
    sources: list[str] = []
    for part in DocTestParser().parse(docstring):
        if isinstance(part, Example):
            sources.append(part.source)
            if part.want:
                shown += [*_block("python", sources), *_block("text", [part.want])]
                sources = []
        elif part.strip():
            shown += [*_block("python", sources), part.strip("\n") + "\n"]
            sources = []
    return "\n".join([*shown, *_block("python", sources)])


def _block(kind: str, texts: list[str]) -> list[str]:
    return [f"```{kind}\n{''.join(texts)}```\n"] if texts else []


def test_the_page_says_what_the_docstrings_say() -> None:
    written, made = PAGE.read_text(encoding="utf-8"), page()
    difference = difflib.unified_diff(
        written.split("\n"), made.split("\n"), "docs/api.md", "docstrings", lineterm=""
    )
    assert written == made, "make api writes the page anew:\n" + "\n".join(difference)


def test_all_that_is_exported_is_on_the_page() -> None:
    assert sorted((*EXPORTED, *TYPES)) == sorted(continua.__all__)
    assert sorted(TESTING) == sorted(continua.testing.__all__)


def test_what_is_inside_exists() -> None:
    for name in INSIDE:
        owner, _, member = name.partition(".")
        assert hasattr(getattr(continua, owner), member), name


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit("usage: test_api.py --write")
    PAGE.write_text(page(), encoding="utf-8")
