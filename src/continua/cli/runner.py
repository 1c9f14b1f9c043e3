"""Runs statements in a session and prints what they give."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from continua.cli.show import emit, note, show
from continua.errors import ContinuaError, Source, counted
from continua.logical.scan import Scan
from continua.runtime.query import Query
from continua.runtime.result import Result, Snapshot
from continua.runtime.rows import Rows
from continua.runtime.sinks.kinds import FORMATS, file_sink, no_format
from continua.runtime.sinks.sink import HISTORY, NOTHING
from continua.session import Session
from continua.sql import statements
from continua.sql.parser import parse
from continua.workspace import Outcome

Moment = int | str


@dataclass(frozen=True)
class Presentation:
    """What of a query's result is shown, in which format, and where.

    Without a time that is its whole history; with one, the snapshot at that time.
    """

    format: str = "table"
    output: Path | None = None
    at: Moment | None = None

    def __post_init__(self) -> None:
        if self.format not in FORMATS:
            raise no_format(self.format, FORMATS)
        if self.output is None and self.format == "parquet":
            hint = "--output FILE.parquet"
            raise ContinuaError("CANNOT_WRITE", "Parquet goes to a file", hint=hint)
        if self.output is not None and self.output.exists() and not self.output.is_file():
            raise ContinuaError("CANNOT_WRITE", f"{self.output} is not a regular file")

    def of(self, outcome: Query | Result) -> Result:
        if isinstance(outcome, Result):
            return outcome
        return outcome.history() if self.at is None else outcome.snapshot(self.at)

    def hand_over(self, outcome: Query | Result, to: Callable[[Rows], None]) -> None:
        """Hands the result over: a history in order of time as Spark's tasks compute it."""
        if isinstance(outcome, Query) and self.at is None and not outcome.order:
            outcome.deliver("INSERTS" if outcome.kind == "stream" else "INTERVALS", to)
        else:
            to(self.of(outcome))


def presentation(format_: str | None, output: Path | None, at: str | None) -> Presentation:
    """The presentation that options ask for; the output's name may tell the format."""
    if format_ is None:
        suffix = output.suffix.lower().removeprefix(".") if output else ""
        format_ = suffix if suffix in FORMATS else "table"
    return Presentation(format_, output, None if at is None else moment(at))


def moment(text: str) -> Moment:
    """A time as the user writes it: whole numbers are integer time, other text a timestamp."""
    return int(text) if re.fullmatch(r"[+-]?\d+", text) else text


def run(session: Session, source: Source, how: Presentation) -> None:
    """Runs all statements of a text; queries print or write their results."""
    if how.output is not None:
        _check_one_query(source)
    known = session.rejected_counts()
    shown = 0
    for outcome in session.execute(source.text, source.name):
        asked = isinstance(outcome, Query | Snapshot)
        if asked and outcome is not None and how.output is not None:
            sink = file_sink(how.format, str(how.output))
            sink.open(NOTHING)
            how.hand_over(outcome, partial(sink.publish, HISTORY))
        elif outcome is not None:
            if shown and how.format != "json":
                emit("\n")
            shown += 1
            show(how.of(outcome), how.format if asked else "table")
        _note_rejected(session, outcome, known)
        known = session.rejected_counts()


def answer(session: Session, question: str) -> Result:
    """What SHOW or DESCRIBE says."""
    outcome = session.sql(question)
    assert isinstance(outcome, Result)
    return outcome


def _check_one_query(source: Source) -> None:
    parsed = parse(source.text, source.name)
    asking = (statements.Query, statements.Snapshot)
    queries = sum(isinstance(statement, asking) for statement in parsed)
    if queries != 1:
        message = f"--output takes the result of one query, but {source.name} has {queries}"
        hint = "CREATE SINK and INSERT INTO write the results of several queries"
        raise ContinuaError("WRONG_ARGUMENTS", message, hint=hint)


def _note_rejected(session: Session, outcome: Outcome, known: Mapping[str, int]) -> None:
    """Tells which sources of the statement passed over rows that could not be read."""
    read: set[str] = set()
    if isinstance(outcome, Query):
        scans = (node for node in outcome.plan.walk() if isinstance(node, Scan))
        read = {scan.relation.name.lower() for scan in scans}
    names = {name.lower(): name for name in session.names()}
    for key, count in session.rejected_counts().items():
        # INSERT INTO reads as well, but gives no plan to look at: there, a new count tells.
        if key in read or count != known.get(key):
            rows = counted(count, "row")
            verb = "was" if count == 1 else "were"
            note(f"{rows} of {names.get(key, key)} {verb} passed over (ON ERROR)")
