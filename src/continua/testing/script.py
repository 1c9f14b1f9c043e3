"""Scripts: streams with their tuples by time, queries, and what they must give.

A script is plain text. A line at the left margin starts a block, indented lines fill it:

    -- Two bids within five units of time, the second of which outlives the first.
    stream bids (item INT, price INT)
      at 1  (7, 10)
      at 3  (7, 12) (8, 5)*2
    query
      SELECT item, MAX(price) AS best FROM bids WINDOW(RANGE 5) GROUP BY item
    snapshots
      at 1  (7, 10)
      at 3  (7, 12) (8, 5)
      at 8  nothing

Blocks:

- `stream NAME (columns)`: a stream of integer time; its time attribute is called `time`. Each line
  gives tuples at a time. `at [1, 8)` gives tuples their own validity. Times in quotes make it a
  stream of timestamps. What follows the columns is appended to `CREATE STREAM`, as `GRANULE 5`.
- `table NAME (columns)`: a static table, each line holding rows; with `at [1, 8)` a versioned one.
- `changes NAME (columns, PRIMARY KEY (…))`: a table that is made of changes, each line holding some
  at a time. What follows the columns is appended to `CREATE TABLE`, as `OPERATION op`.
- `sql`: statements to run.
- `query`: the query that the following blocks speak of.
- `snapshots`: the result at every instant. It changes at the times listed and at no other.
- `elements`: the elements of a result that is a stream, `at 1 (7, 10) (7, 10)`; at other times
  there are none.
- `intervals`: the result as rows with intervals, `(7, 10) [1, 6)`; how intervals are cut does not
  matter.

  In these three, `(3, 1)` is batch 1 of time 3, where a time has several.
- `error CODE`: the query, or the `sql` block before, fails with this code. Each line below is a
  fragment that the message contains.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from continua.errors import ContinuaError, check_argument, counted
from continua.logical.expr.cast import ValueProblem, accept
from continua.model.element import Tuple
from continua.model.instant import INFINITY, MINUS_INFINITY, Instant, Interval, Time
from continua.model.schema import Schema, to_micros
from continua.model.timeline import Timeline
from continua.model.types import TIMESTAMP
from continua.runtime.query import Query
from continua.session import Session
from continua.sql.literals import parse_rows
from continua.sql.printer import print_literal

_KINDS = (
    "stream",
    "table",
    "changes",
    "sql",
    "query",
    "snapshots",
    "elements",
    "intervals",
    "error",
)
_AT = re.compile(r"at\s+(\[[^)]*\)|\([^)]*\)|'[^']*'|\S+)\s*(.*)")
_BOUND = r"(\([^)]*\)|[^,(]+?)"
_INTERVAL = re.compile(rf"(.*?)\s*\[\s*{_BOUND}\s*,\s*{_BOUND}\s*\)")
_BATCH = re.compile(r"\((.*),\s*(\d+)\s*\)")


class ScriptFailure(AssertionError):
    """A script whose expectation was not met; the message shows where, and both sides."""


@dataclass
class _Block:
    kind: str
    rest: str
    line: int
    lines: list[tuple[int, str]] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "\n".join(line for _, line in self.lines)


@dataclass
class Script:
    """A script that has been read; `run` checks it."""

    name: str
    blocks: list[_Block]

    @classmethod
    def parse(cls, text: str, name: str = "<script>") -> Script:
        """The script that a text is; `name` is how messages call it.

        Raises `ScriptFailure` if a line is not understood.
        """
        blocks: list[_Block] = []
        for number, line in enumerate(text.split("\n"), 1):
            if not line.strip() or line.lstrip().startswith("--"):
                continue
            if line[0].isspace():
                if not blocks:
                    raise ScriptFailure(f"{name}:{number}: an indented line before any block")
                blocks[-1].lines.append((number, line.strip()))
                continue
            kind, _, rest = line.strip().partition(" ")
            if kind not in _KINDS:
                known = ", ".join(_KINDS)
                raise ScriptFailure(f"{name}:{number}: no block is called {kind!r} ({known})")
            blocks.append(_Block(kind, rest.strip(), number))
        return cls(name, blocks)

    @classmethod
    def load(cls, path: str | Path) -> Script:
        """The script in a file.

        Raises `ContinuaError` (`SOURCE_NOT_FOUND`) if it cannot be read, and as `parse` does.
        """
        check_argument(path, str | Path, "a script is a path, or a text of several lines")
        try:
            return cls.parse(Path(path).read_text(encoding="utf-8"), str(path))
        except OSError as error:
            message = f"cannot read {path}: {error.strerror or error}"
            raise ContinuaError("SOURCE_NOT_FOUND", message) from None

    def run(self, session: Session | None = None) -> None:
        """Runs the blocks in order; raises `ScriptFailure` at the first unmet expectation."""
        _Run(self, session or Session()).run()


def run_script(script: str | Path, session: Session | None = None) -> None:
    """Runs a script.

    - `script`: a path, or a text of several lines.
    - `session`: the session to run it in; without one, a new session on Spark.

    Raises `ScriptFailure` at the first expectation that is not met.

    >>> from continua.testing import run_script
    >>> run_script(
    ...     '''
    ... stream bids (item INT, price INT)
    ...   at 1  (7, 10)
    ...   at 3  (7, 12)
    ... query
    ...   SELECT MAX(price) AS best FROM bids WINDOW(RANGE 5)
    ... snapshots
    ...   at 1  (10)
    ...   at 3  (12)
    ...   at 8  nothing
    ... ''',
    ...     Session(engine="reference"),
    ... )
    """
    if isinstance(script, str) and "\n" in script:
        Script.parse(script).run(session)
    else:
        Script.load(script).run(session)


class _Run:
    def __init__(self, script: Script, session: Session) -> None:
        self.script = script
        self.session = session
        self.query: Query | None = None
        self.failed: ContinuaError | None = None

    def run(self) -> None:
        blocks = self.script.blocks
        for block, following in zip(blocks, [*blocks[1:], None], strict=True):
            may_fail = following is not None and following.kind == "error"
            try:
                getattr(self, f"_{block.kind}")(block)
                if may_fail and self.query is not None:
                    self.query.history()
            except ContinuaError as error:
                if not may_fail:
                    raise self._failure(block, str(error)) from error
                self.failed = error

    def _failure(self, block: _Block, message: str, line: int | None = None) -> ScriptFailure:
        return ScriptFailure(f"{self.script.name}:{line or block.line}: {message}")

    def _stream(self, block: _Block) -> None:
        self._declare(block, "STREAM", "ORDERED BY time", " UNTIL until", timed=True)

    def _table(self, block: _Block) -> None:
        self._declare(block, "TABLE", "VALID FROM time", " TO until", timed=False)

    def _changes(self, block: _Block) -> None:
        self._declare(block, "TABLE", "CHANGES ORDERED BY time", "", timed=True)

    def _declare(self, block: _Block, kind: str, ordered: str, until: str, timed: bool) -> None:
        head = re.fullmatch(r"(\w+)\s*\((.*?)\)(?=\s|$)\s*(.*)", _balanced(block.rest))
        if head is None:
            raise self._failure(block, f"expected {block.kind} NAME (columns)")
        name, columns, options = head.group(1), head.group(2).replace("\0", ")"), head.group(3)
        arriving, rows, ended, quoted = timed, [], False, False
        for number, line in block.lines:
            at = _AT.fullmatch(line)
            if at is None and arriving:
                raise self._failure(block, "expected: at TIME (row) …", number)
            when: tuple[object, ...] = ()
            if at is not None:
                timed = True
                when, of_text = _times(at.group(1))
                quoted, ended = quoted or of_text, ended or len(when) == 2
            values = at.group(2) if at else line
            rows += [(*row, *when) for row in parse_rows(values, self.script.name)]
        type_ = "TIMESTAMP" if quoted else "BIGINT"
        # A primary key stands last.
        columns, key, rest = columns.partition(", PRIMARY KEY")
        declared = [columns] + [f"time {type_}"] * timed + [f"until {type_}"] * ended
        order = (ordered + until * ended) * timed
        source = self._source(name, rows, arriving)
        listed = f"{', '.join(declared)}{key}{rest}"
        text = f"CREATE {kind} {name} ({listed}) {source} {order} {options}"
        self.session.sql(text)

    def _source(self, name: str, rows: Sequence[tuple[object, ...]], arriving: bool) -> str:
        """Where a stream or table has its rows from. arriving: whether each comes at a time."""
        return f"SOURCE rows({', '.join(map(print_literal, rows))})" if rows else ""

    def _sql(self, block: _Block) -> None:
        self.query = None
        self.session.sql(block.text)

    def _query(self, block: _Block) -> None:
        self.query, self.failed = None, None
        outcome = self.session.sql(block.text)
        if not isinstance(outcome, Query):
            raise self._failure(block, "this is not a query")
        self.query = outcome

    def _snapshots(self, block: _Block) -> None:
        query = self._asked(block)
        steps: dict[Tuple, list[tuple[Instant, int]]] = {}
        for instant, found in self._by_time(block, query):
            for e in {*steps, *found}:
                steps.setdefault(e, []).append((instant, found.count(e)))
        self._compare(block, query, Timeline(steps))

    def _elements(self, block: _Block) -> None:
        query = self._asked(block)
        if query.kind != "stream":
            raise self._failure(block, "the result is a relation: ask for snapshots or intervals")
        elements = [
            (e, Interval(instant, instant.next_time), 1)
            for instant, found in self._by_time(block, query)
            for e in found
        ]
        self._compare(block, query, Timeline.of(elements))

    def _by_time(self, block: _Block, query: Query) -> Iterator[tuple[Instant, list[Tuple]]]:
        """The tuples that the lines of a block list, with their times."""
        for number, line in block.lines:
            at = _AT.fullmatch(line)
            if at is None:
                raise self._failure(block, "expected: at TIME (row) …, or: at TIME nothing", number)
            rows = [] if at.group(2) == "nothing" else parse_rows(at.group(2), self.script.name)
            found = [Tuple(self._values(row, query.schema, block, number)) for row in rows]
            yield self._instant(at.group(1), query), found

    def _intervals(self, block: _Block) -> None:
        query = self._asked(block)
        elements = []
        for number, line in block.lines:
            match = _INTERVAL.fullmatch(line)
            if match is None:
                raise self._failure(block, "expected: (row) [FROM, TO)", number)
            start, end = (self._instant(match.group(i), query) for i in (2, 3))
            for row in parse_rows(match.group(1), self.script.name):
                values = self._values(row, query.schema, block, number)
                elements.append((Tuple(values), Interval(start, end), 1))
        self._compare(block, query, Timeline.of(elements))

    def _found(self, query: Query) -> Timeline:
        """The result of the query."""
        return query.timeline()

    def _compare(self, block: _Block, query: Query, expected: Timeline) -> None:
        actual = self._found(query)
        if actual == expected:
            return
        instants = sorted({*actual.instants(), *expected.instants()})
        where = next(i for i in instants if actual.at(i) != expected.at(i))
        time = query.plan.time
        shown = str(time.value(where.t) if time else where.t)
        if query.plan.batched:
            shown = f"({shown}, {where.i})"
        sides = [
            ", ".join(f"{e.values}×{n}" for e, n in sorted(s.items(), key=repr)) or "nothing"
            for s in (expected.at(where), actual.at(where))
        ]
        message = f"at {shown}:\n  expected {sides[0]}\n  found    {sides[1]}"
        raise self._failure(block, message)

    def _error(self, block: _Block) -> None:
        error, self.failed = self.failed, None
        if error is None:
            raise self._failure(block, f"expected {block.rest}, but nothing failed")
        if error.code != block.rest:
            raise self._failure(block, f"expected {block.rest}, found:\n{error}")
        for number, fragment in block.lines:
            if fragment not in str(error):
                message = f"the message does not contain {fragment!r}:\n{error}"
                raise self._failure(block, message, number)

    def _asked(self, block: _Block) -> Query:
        if self.query is None:
            raise self._failure(block, "no query has been asked")
        return self.query

    def _instant(self, text: str, query: Query) -> Instant:
        batch = _BATCH.fullmatch(text)
        if batch is None:
            return Instant(self._time(text, query))
        return Instant(self._time(batch.group(1).strip(), query), int(batch.group(2)))

    def _time(self, text: str, query: Query) -> Time:
        infinities: dict[str, Time] = {"-∞": MINUS_INFINITY, "∞": INFINITY}
        if text in infinities:
            return infinities[text]
        (value,), quoted = _times(text)
        moment = accept(value, TIMESTAMP) if quoted else value
        if isinstance(moment, datetime):
            return to_micros(moment)
        assert isinstance(moment, int)
        return moment

    def _values(
        self, row: tuple[object, ...], schema: Schema, block: _Block, line: int
    ) -> tuple[object, ...]:
        if len(row) != len(schema):
            columns = counted(len(schema), "column")
            raise self._failure(block, f"{counted(len(row), 'value')} for {columns}", line)
        try:
            return tuple(accept(v, c.type) for v, c in zip(row, schema, strict=True))
        except ValueProblem as problem:
            raise self._failure(block, str(problem), line) from None


def _balanced(text: str) -> str:
    """The text with brackets inside brackets hidden, as in `(price DECIMAL(10, 2))`."""
    head, _, rest = text.partition("(")
    return head + "(" + re.sub(r"(\([^()]*)\)", "\\1\0", rest)


def _times(text: str) -> tuple[tuple[object, ...], bool]:
    """`5`, `'2026-01-01 00:00:00'` or `[1, 8)`: the times, and whether they are quoted."""
    parts = [part.strip() for part in text.strip("[)").split(",")]
    quoted = any(part.startswith("'") for part in parts)
    values = (
        None if p in ("∞", "-∞", "NULL") else (p.strip("'") if quoted else int(p)) for p in parts
    )
    return tuple(values), quoted
