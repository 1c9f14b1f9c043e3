"""A live run over directories of JSON lines, for tests: drop files, take a step, start again."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from pathlib import Path

from pyspark.sql import DataFrame

from continua import Session
from continua.model.element import Tuple
from continua.model.instant import BEGINNING, Instant
from continua.model.schema import to_micros
from continua.model.timeline import Timeline
from continua.model.values import normal
from continua.runtime.live.running import Running

Row = Mapping[str, object]


class Flow:
    """Statements and a query whose streams read `{folder}/NAME`, run step by step.

    What the query delivers is gathered by slab, so that a slab that is delivered again after a
    restart counts once.
    """

    def __init__(
        self,
        folder: Path,
        session: Callable[[], Session],
        statements: Sequence[str],
        query: str,
        delivery: str = "CHANGES",
    ) -> None:
        self.folder = folder
        self._session = session
        self.statements = list(statements)
        self._query = query
        self._delivery = delivery
        self.slabs: dict[int, list[tuple[object, ...]]] = {}
        self._added: dict[str, tuple[str, dict[int, list[tuple[object, ...]]]]] = {}
        self.running: Running | None = None

    def drop(self, stream: str, name: str, rows: Sequence[Row]) -> None:
        """A new file of a stream, written elsewhere and renamed in."""
        target = self.folder / stream / f"{name}.json"
        target.parent.mkdir(parents=True, exist_ok=True)
        partial = self.folder / "partial"
        lines = [json.dumps(row, default=_json, ensure_ascii=False) + "\n" for row in rows]
        partial.write_text("".join(lines), encoding="utf-8")
        partial.rename(target)

    def step(self) -> Running:
        """Takes in what is there; starts anew if the run has been stopped."""
        if self.running is None:
            self.session = self._session()
            for statement in self.statements:
                self.session.sql(statement)
            query = self.session.sql(self._query)
            self.session.foreach_slab(query, self._gather, self._delivery)
            for name, (text, found) in self._added.items():
                self._join(name, text, found)
            self.running = self.session.start(self.folder / "checkpoint", once=True)
        else:
            self.running.run(once=True)
        self.running.wait()
        return self.running

    def declare(self, statement: str) -> None:
        """A statement now, and at every start from now on."""
        self.statements.append(statement)
        self.session.sql(statement)

    def beside(self, name: str, query: str) -> None:
        """A query that begins with the others."""
        self._added[name] = (query, {})

    def add(self, name: str, query: str) -> None:
        """A query that joins the others, now and at every start from now on."""
        self.beside(name, query)
        self._join(name, *self._added[name])

    def gathered(self, name: str) -> list[tuple[object, ...]]:
        """What a query that was added has delivered."""
        found = self._added[name][1]
        return [row for slab in sorted(found) for row in found[slab]]

    def _join(self, name: str, text: str, found: dict[int, list[tuple[object, ...]]]) -> None:
        def gather(slab: int, rows: DataFrame) -> None:
            found[slab] = [tuple(row) for row in rows.collect()]

        self.session.foreach_slab(self.session.sql(text), gather, self._delivery, name)

    def restart(self) -> None:
        if self.running is not None:
            self.running.stop()
            self.running = None

    def finish(self, added: str | None = None) -> Timeline:
        """The whole result of the query, or of one that was added."""
        self.end()
        return self.result(added)

    def end(self) -> None:
        """Takes in what is there, as the last that comes."""
        running = self.step()
        running.finish()
        running.stop()

    def result(self, added: str | None = None) -> Timeline:
        """What the query, or one that was added, has delivered."""
        slabs = self.slabs if added is None else self._added[added][1]
        deltas: dict[Tuple, dict[Instant, int]] = defaultdict(lambda: defaultdict(int))
        for rows in slabs.values():
            for row in rows:
                for values, at, n in self._changes(row):
                    deltas[Tuple(tuple(map(_value, values)))][at] += n
        return Timeline({e: _accumulated(changes) for e, changes in deltas.items()})

    def _gather(self, slab: int, rows: DataFrame) -> None:
        self.slabs[slab] = [tuple(row) for row in rows.collect()]

    def _changes(self, row: tuple[object, ...]) -> list[tuple[tuple[object, ...], Instant, int]]:
        if self._delivery == "CHANGES":
            *values, sign, at = row
            return [(tuple(values), _start(at), 1 if sign == "+" else -1)]
        *values, start, end = row
        opened = (tuple(values), _start(start), 1)
        return [opened] if end is None else [opened, (tuple(values), _start(end), -1)]


def _json(value: object) -> object:
    if isinstance(value, Decimal):
        return float(value)
    return str(value)


def _value(value: object) -> object:
    return normal(value) if isinstance(value, float) else value


def _start(at: object) -> Instant:
    if at is None:
        return BEGINNING
    if isinstance(at, datetime):
        return Instant(to_micros(at))
    assert isinstance(at, int)
    return Instant(at)


def _accumulated(changes: Mapping[Instant, int]) -> list[tuple[Instant, int]]:
    total, steps = 0, []
    for instant in sorted(changes):
        total += changes[instant]
        steps.append((instant, total))
    return steps
