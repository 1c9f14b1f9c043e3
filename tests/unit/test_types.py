"""A user's program is checked by `mypy --strict`: what it holds has types, and needs no casts."""

import os
import re
import sys
from pathlib import Path
from subprocess import PIPE, run

import pytest

import continua

pytestmark = pytest.mark.apart

ROOT = Path(__file__).resolve().parents[2]
SOURCES = Path(continua.__file__).resolve().parents[1]

PROGRAM = """
from collections.abc import Iterator
from pathlib import Path
from typing import assert_type

from pyspark.sql import DataFrame

from continua import (
    Column, ContinuaError, Counts, Progress, Query, Result, Running, Schema, Session, Span
)
from continua.testing import run_script

session = Session(engine="reference")
assert_type(session.sql("SHOW STREAMS"), Query | Result | None)
assert_type(session.execute("SHOW STREAMS"), Iterator[Query | Result | None])
outcome = session.sql("SHOW STREAMS")
if isinstance(outcome, Result):
    print(outcome.columns)

query = session.query("SELECT 1 AS one")
assert_type(query, Query)
assert_type(query.schema, Schema)
names: list[str] = [column.name for column in query.schema]
first: Column = next(iter(query.schema))
assert_type(query.snapshot(at="2026-01-01"), Result)
for (one,) in query.history():
    assert_type(one, object)
assert_type(query.explain(), str)
assert_type(query.to_spark(), DataFrame)
session.udf("half", lambda v: v / 2, "DOUBLE")


def handed(slab: int, rows: DataFrame) -> None:
    print(slab, rows.count())


def live(queries: Path) -> Progress:
    session = Session(live=True)
    session.foreach_slab(session.query(queries.read_text()), handed)
    running = session.start(once=True)
    assert_type(running, Running)
    assert_type(running.wait(), bool)
    for answer in session.tell("SHOW QUERIES"):
        assert_type(answer, Result)
    counts: Counts = running.progress.sources["bids"]
    print(counts.late, running.progress.state, running.late("bids").count())
    return running.progress


try:
    run_script(Path("auctions.script"), session)
except ContinuaError as error:
    span: Span | None = error.span
    print(error.code, span.line if span else None, error.hint)
"""


def checked(*programs: Path) -> str:
    """What mypy says of programs, and of no module that they import."""
    options = ["--strict", "--config-file=", "--follow-imports=silent"]
    options += ["--cache-dir", str(ROOT / ".mypy_cache" / "programs")]
    command = [sys.executable, "-m", "mypy", *options, *map(str, programs)]
    environment = {**os.environ, "MYPYPATH": str(SOURCES)}
    return run(command, stdout=PIPE, env=environment, cwd=programs[0].parent, text=True).stdout


def test_programs_need_no_casts(tmp_path: Path) -> None:
    program, readme = tmp_path / "program.py", tmp_path / "readme.py"
    program.write_text(PROGRAM)
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    readme.write_text("\n".join(re.findall(r"^```python\n(.*?)^```$", text, re.M | re.S)))
    assert checked(program, readme) == "Success: no issues found in 2 source files\n"


def test_mistakes_are_found(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "from continua import Session\n"
        "session = Session()\n"
        "session.sql('SELECT 1 AS one').history()\n"
        "session.query('SELECT 1 AS one').histroy()\n"
    )
    said = checked(program)
    assert 'program.py:3: error: Item "Result" of "Query | Result | None" has no attribute' in said
    assert 'program.py:4: error: "Query" has no attribute "histroy"' in said
