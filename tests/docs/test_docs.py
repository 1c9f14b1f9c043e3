"""Runs every example of README.md and docs/*.md and compares what it prints with the page.

The kinds of fenced blocks, by their info string:

`sql`      Statements, run in the page's session. A `text` block right after shows what they print:
           of a query its history or, after `<!-- at: TIME -->`, its snapshot; an `error` block shows
           the error they end with.
`python`   Run in the page's namespace. A `text` block shows its standard output, an `error` block
           the ContinuaError it ends with. After `<!-- file: PATH -->` it is that file, and not run.
`console`  `$ continua …` lines, each followed by what it prints.
`script`   A script of continua.testing.
`timeline` The streams and results of the script right after it, drawn.
`csv`, `toml`
           The file named by `<!-- file: PATH -->` before it.
`shell`    Commands that set up the tree; only known ones may stand there.
`grammar`, `drawing`, `signature`
           Not run.

Any other block fails. The packages below `docs/data` are there as if they had been installed. After
a change of the tool, `python tests/docs/test_docs.py --write` runs the pages and writes what the
examples print now; read the difference before you commit it.
"""

from __future__ import annotations

import contextlib
import difflib
import io
import os
import re
import shlex
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

import pytest
from typer.testing import CliRunner

# A helper beside other tests; as a script, this finds it by itself.
sys.path.append(str(Path(__file__).resolve().parents[1] / "live"))

from installed import installed

from continua import ContinuaError, Session
from continua.cli.main import app
from continua.testing import Script

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
MEANING = {"semantics", "disagreements", "time_travel"}
OUTPUTS = {"text", "error"}


@dataclass
class Block:
    """A fenced block: its first line of text in the page (from 1), and the options before it."""

    page: Path
    kind: str
    line: int
    text: str
    options: dict[str, str]
    output: Block | None = None

    @property
    def place(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


class PageProblem(Exception):
    """An example that cannot be run as the page has it."""


def all_blocks(page: Path) -> list[Block]:
    """The fenced blocks of a page, outputs too, in order."""
    found: list[Block] = []
    options: dict[str, str] = {}
    lines = page.read_text(encoding="utf-8").split("\n")
    number, after_block = 0, False
    while number < len(lines):
        line = lines[number]
        fence = re.fullmatch(r"```(\w*)\s*", line)
        if fence is None:
            if line.startswith("```"):
                raise PageProblem(f"{page.name}:{number + 1}: a fence that is not understood")
            comment = re.fullmatch(r"<!--\s*(\w+):\s*(.*?)\s*-->", line)
            if comment is not None:
                options[comment[1]] = comment[2]
            elif line.strip():
                options, after_block = {}, False
            number += 1
            continue
        if "```" not in lines[number + 1 :]:
            raise PageProblem(f"{page.name}:{number + 1}: a fence that is never closed")
        end = lines.index("```", number + 1)
        text = "\n".join(lines[number + 1 : end])
        block = Block(page, fence[1], number + 2, text, options)
        if block.kind in OUTPUTS:
            if not after_block or found[-1].kind not in ("sql", "python"):
                raise PageProblem(f"{block.place}: an output without an example right before it")
            found[-1].output = block
            after_block = False
        else:
            after_block = True
        found.append(block)
        options, number = {}, end + 1
    return found


def blocks(page: Path) -> list[Block]:
    return [block for block in all_blocks(page) if block.kind not in OUTPUTS]


@dataclass
class Comparison:
    """What a block of the page says, and what it should say."""

    block: Block
    found: str

    @property
    def difference(self) -> str:
        written, found = self.block.text.split("\n"), self.found.split("\n")
        names = (f"{self.block.place} (page)", f"{self.block.place} (run)")
        return "\n".join(difflib.unified_diff(written, found, *names, lineterm=""))


class PageRun:
    """Runs the examples of one page in order; the current directory is the reader's."""

    def __init__(self, page: Path) -> None:
        self.page = page
        # Pages about what queries mean run on the specification, pages about use on Spark.
        self.session = Session("reference" if page.stem in MEANING else "spark")
        self.namespace: dict[str, object] = {"__name__": page.stem}

    def comparisons(self) -> Iterator[Comparison]:
        found = blocks(self.page)
        for block, following in zip_longest(found, found[1:]):
            kind = "file" if "file" in block.options else block.kind
            match kind:
                case "sql" | "python":
                    yield from self._example(block)
                case "console":
                    yield Comparison(block, _console(block))
                case "file" | "csv" | "toml":
                    file = ROOT / block.options.get("file", "")
                    if not file.is_file():
                        raise PageProblem(f"{block.place}: no <!-- file: PATH --> before it")
                    yield Comparison(block, file.read_text(encoding="utf-8").rstrip("\n"))
                case "shell":
                    _check_commands(block)
                case "timeline":
                    if following is None or following.kind != "script":
                        raise PageProblem(f"{block.place}: no script follows it")
                    yield Comparison(block, drawn(Script.parse(following.text, block.place)))
                case "script" | "grammar" | "drawing" | "signature":
                    pass
                case other:
                    raise PageProblem(f"{block.place}: no kind of block is called {other!r}")

    def _example(self, block: Block) -> Iterator[Comparison]:
        printed = io.StringIO()
        wanted = block.output.kind if block.output else None
        try:
            with contextlib.redirect_stdout(printed):
                self._sql(block) if block.kind == "sql" else self._python(block)
        except ContinuaError as error:
            if wanted != "error" or block.output is None:
                raise PageProblem(f"{block.place}: the example fails:\n{error}") from error
            yield Comparison(block.output, str(error))
            return
        if wanted == "error":
            raise PageProblem(f"{block.place}: an error is shown, but nothing failed")
        if block.output is not None:
            yield Comparison(block.output, printed.getvalue().rstrip("\n"))
        elif block.kind == "python" and printed.getvalue():
            raise PageProblem(f"{block.place}: it prints what the page does not show")

    def _sql(self, block: Block) -> None:
        at = block.options.get("at")
        shown = 0
        for outcome in self.session.execute(block.text):
            if outcome is None:
                continue
            if hasattr(outcome, "history"):
                moment = int(at) if at and at.lstrip("-").isdigit() else at
                outcome = outcome.history() if at is None else outcome.snapshot(moment)
            if shown:
                print()
            print(outcome)
            shown += 1

    def _python(self, block: Block) -> None:
        padded = "\n" * (block.line - 1) + block.text
        try:
            exec(compile(padded, str(block.page), "exec"), self.namespace)
        except ContinuaError:
            raise
        except Exception as error:
            raise PageProblem(f"{block.place}: {type(error).__name__}: {error}") from error


def _command(arguments: list[str]) -> str:
    return CliRunner().invoke(app, arguments, env={"COLUMNS": "100"}).output


def _console(block: Block) -> str:
    """The block with each command followed by what it prints, errors and notes included."""
    lines: list[str] = []
    for line in block.text.split("\n"):
        if not line.startswith("$ "):
            continue
        words = shlex.split(line[2:])
        if words[0] == "cat":
            printed = "".join(Path(name).read_text(encoding="utf-8") for name in words[1:])
        elif words[0] == "continua":
            printed = _command(words[1:])
        else:
            raise PageProblem(f"{block.place}: {words[0]} cannot be run here")
        lines += [line, *(printed.rstrip("\n").split("\n") if printed else [])]
    return "\n".join(lines)


def _check_commands(block: Block) -> None:
    """A set-up command is a target of the Makefile, or the activation of what it makes."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for line in block.text.split("\n"):
        words = line.partition("#")[0].split()
        target = len(words) == 2 and words[0] == "make" and words[1]
        known = target and re.search(rf"^{target}:", makefile, re.MULTILINE)
        if not known and words != [".", ".venv/bin/activate"]:
            raise PageProblem(f"{block.place}: {line!r} is no known command")


# Timelines: a stream of integer time as a drawing, `[───)` being an interval.

UNIT = 4
"""Characters per unit of time."""

Line = tuple[str, list[tuple[int | None, int | None]]]


def drawn(script: Script) -> str:
    """The streams and tables of a script, and the results of its queries, against time."""
    session = Session("reference")
    inputs = [b for b in script.blocks if b.kind in ("stream", "table", "sql")]
    Script(script.name, inputs).run(session)
    sections: list[tuple[str, list[Line]]] = []
    streams = {block.rest.partition(" ")[0] for block in script.blocks if block.kind == "stream"}
    queries = sum(block.kind == "query" for block in script.blocks)
    for block in script.blocks:
        name = block.rest.partition(" ")[0]
        if block.kind == "stream":
            # With its time a tuple is unlike all others, and stands by itself.
            told = session.sql(f"SELECT {name}.*, {name}.time FROM {name}").delivered("INTERVALS")
            sections.append((name, _lines([(*v, start, end) for *v, _, start, end in told])))
        elif block.kind == "table":
            sections.append((name, _lines(session.sql(f"SELECT * FROM {name}").history())))
        elif block.kind == "query":
            number = sum(title.startswith("result") for title, _ in sections) + 1
            title = f"result {number}" if queries > 1 else "result"
            query = session.sql(block.text)
            streams |= {title} if query.kind == "stream" else set()
            sections.append((title, _lines(query.delivered("INTERVALS"))))
    times = [t for _, lines in sections for _, parts in lines for part in parts for t in part]
    known = [t for t in times if t is not None]
    low, high = min(known), max(known)
    names = max(len(name) for name, _ in sections) + 1
    labels = max(len(label) for _, lines in sections for label, _ in lines) + 2 + UNIT
    header = "".join(f"{t:<{UNIT}}" for t in range(low, high + 1)).rstrip()
    rows = [f"{'time':<{names}}{'':<{labels}}{header}"]
    for name, lines in sections:
        for number, (label, parts) in enumerate(lines):
            strokes = _strokes(parts, low - 1, high + 1, name in streams)
            rows.append(f"{'' if number else name:<{names}}{label:<{labels - UNIT}}{strokes}")
        if not lines:
            rows.append(f"{name:<{names}}nothing")
    return "\n".join(rows)


def _lines(rows: Iterable[tuple[object, ...]]) -> list[Line]:
    """Rows with intervals; those of equal tuples share a line if they do not touch."""
    lines: list[Line] = []
    for *values, start, end in rows:
        shown = ", ".join("NULL" if v is None else str(v) for v in values)
        label = f"({shown})"
        for other, parts in lines:
            if other == label and parts[-1][1] is not None and parts[-1][1] < (start or 0):
                parts.append((start, end))
                break
        else:
            lines.append((label, [(start, end)]))
    return lines


def _strokes(parts: list[tuple[int | None, int | None]], low: int, high: int, points: bool) -> str:
    canvas = [" "] * ((high - low) * UNIT + 1)
    for start, end in parts:
        first = 0 if start is None else (start - low) * UNIT
        last = len(canvas) - 1 if end is None else (end - low) * UNIT
        if points and start is not None and end == start + 1:
            canvas[first] = "●"
            continue
        canvas[first : last + 1] = "─" * (last + 1 - first)
        canvas[first] = "◀" if start is None else "["
        canvas[last] = "▶" if end is None else ")"
    return "".join(canvas).rstrip()


@contextlib.contextmanager
def reader_directory() -> Iterator[None]:
    """A directory like the root of the tree for who reads; what examples write stays in it."""
    before = os.getcwd()
    with contextlib.ExitStack() as stack:
        directory, site = (stack.enter_context(tempfile.TemporaryDirectory()) for _ in range(2))
        for project in (ROOT / "docs" / "data").glob("*/pyproject.toml"):
            stack.enter_context(installed(project.parent, Path(site)))
        (Path(directory) / "docs").symlink_to(ROOT / "docs")
        os.chdir(directory)
        try:
            yield
        finally:
            os.chdir(before)


# The examples.


@pytest.mark.apart
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples_print_what_the_page_says(page: Path) -> None:
    with reader_directory():
        wrong = [c.difference for c in PageRun(page).comparisons() if c.found != c.block.text]
    assert not wrong, "\n\n" + "\n\n".join(wrong)


def _scripts() -> list[Block]:
    return [block for page in PAGES for block in blocks(page) if block.kind == "script"]


@pytest.mark.parametrize("block", _scripts(), ids=lambda block: block.place)
def test_scripts_hold(block: Block) -> None:
    # Empty lines in front make the line of a failure the line of the page.
    padded = "\n" * (block.line - 1) + block.text
    script = Script.parse(padded, str(block.page.relative_to(ROOT)))
    kinds = {part.kind for part in script.blocks}
    assert kinds & {"snapshots", "elements", "intervals", "error"}, f"{block.place} expects nothing"
    script.run()


def write_outputs(page: Path) -> int:
    """Puts into the page what its examples print now; gives the number of blocks changed."""
    lines = page.read_text(encoding="utf-8").split("\n")
    with reader_directory():
        comparisons = [c for c in PageRun(page).comparisons() if c.found != c.block.text]
    for comparison in reversed(comparisons):
        block = comparison.block
        first = block.line - 1
        height = lines[first:].index("```")
        lines[first : first + height] = comparison.found.split("\n")
    page.write_text("\n".join(lines), encoding="utf-8")
    return len(comparisons)


if __name__ == "__main__":
    if sys.argv[1:2] != ["--write"]:
        sys.exit("usage: test_docs.py --write [PAGE]…")
    chosen = [Path(name).resolve() for name in sys.argv[2:]] or PAGES
    for chosen_page in chosen:
        print(f"{chosen_page.relative_to(ROOT)}: {write_outputs(chosen_page)} blocks written")
