"""Every script, run live: its streams come in parts, cut at random, with a restart in the middle."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from flow import Flow

from continua import ContinuaError, Session
from continua.model.catalog import Relation
from continua.model.timeline import Timeline
from continua.runtime.query import Query
from continua.testing.script import Script, _Block, _Run

pytestmark = pytest.mark.spark

SCRIPTS = sorted((Path(__file__).parents[1] / "scripts").glob("*.script"))
PARTS = 3


class Gathered(_Run):
    """What a script declares and asks for. Streams read directories, into which nothing has been
    put yet; so the queries that must fail are left to the runs over history."""

    def __init__(self, script: Script, folder: Path) -> None:
        super().__init__(script, Session(engine="reference"))
        self.folder = folder
        self.rows: dict[str, list[tuple[object, ...]]] = {}
        self.statements: list[str] = ["SET unbounded_state = 'allow'"]
        self.asked: list[tuple[_Block, str, int, Query, Timeline]] = []
        """Queries, with how many of the statements come before them and what they must give."""
        self.text = ""
        make = self.session.sql

        def noted(text: str) -> Any:
            outcome = make(text)
            if not isinstance(outcome, Query):
                self.statements.append(text)
            return outcome

        self.session.sql = noted  # type: ignore[method-assign]

    def _source(self, name: str, rows: Sequence[tuple[object, ...]], arriving: bool) -> str:
        if not (arriving and rows):
            return super()._source(name, rows, arriving)
        self.rows[name] = list(rows)
        return f"SOURCE json('{self.folder}/{name}')"

    def _query(self, block: _Block) -> None:
        self.text = block.text
        super()._query(block)

    def _compare(self, block: _Block, query: Query, expected: Timeline) -> None:
        self.asked.append((block, self.text, len(self.statements), query, expected))

    def _error(self, block: _Block) -> None:
        self.failed = None

    def parts(self, name: str, draw: random.Random) -> list[list[dict[str, object]]]:
        """The rows of a stream by their times, cut into files at random places."""
        relation = self.session._workspace.catalog.find(name)
        assert isinstance(relation, Relation)
        names = [column.name for column in relation.columns]
        at = names.index("time")
        rows = sorted(self.rows[name], key=lambda row: row[at])  # type: ignore[arg-type, return-value]
        cuts = sorted(draw.randint(0, len(rows)) for _ in range(PARTS - 1))
        bounds = zip([0, *cuts], [*cuts, len(rows)], strict=True)
        return [[dict(zip(names, row, strict=True)) for row in rows[a:b]] for a, b in bounds]


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_script_live(path: Path, live: Callable[[], Session], tmp_path: Path) -> None:
    script = Gathered(Script.load(path), tmp_path)
    script.run()
    assert script.asked or "error" in path.read_text()
    if not script.asked:
        pytest.skip("a script of errors alone: the runs over history look at them")
    draw = random.Random(path.stem)
    parts = {name: script.parts(name, draw) for name in script.rows}
    (_, first, after, *_), *others = script.asked
    flow = Flow(tmp_path, live, script.statements, first, after=after)
    for number, (_, text, after, *_) in enumerate(others, start=1):
        flow.beside(f"q{number}", text, after)
    for name in parts:
        flow.drop(name, "none", [])
    try:
        for number in range(PARTS):
            for name in draw.sample(sorted(parts), len(parts)):
                flow.drop(name, str(number), parts[name][number])
            flow.step()
            if number == PARTS // 2:
                flow.restart()
        flow.end()
    except ContinuaError as error:
        raise AssertionError(f"{path.stem}: {error}") from error
    for number, (block, _, _, query, expected) in enumerate(script.asked):
        found = flow.result(f"q{number}" if number else None)
        script._found = lambda _query, found=found: found  # type: ignore[method-assign]
        _Run._compare(script, block, query, expected)
