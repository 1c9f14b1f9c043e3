"""A live run over directories of JSON lines, for tests: drop files, take a step, start again."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from pathlib import Path

from pyspark.sql import DataFrame
from pyspark.sql import Row as Delivered

from continua import Session
from continua.model.element import Tuple
from continua.model.instant import BEGINNING, FOREVER, LATEST, Instant
from continua.model.schema import to_micros
from continua.model.timeline import Timeline
from continua.model.values import normal
from continua.runtime.live.running import Running

Row = Mapping[str, object]


@dataclass
class Asked:
    """A query, and what it has delivered by slab."""

    text: str
    after: int | None
    slabs: dict[int, list[Delivered]] = field(default_factory=dict)


class Flow:
    """Statements and a query whose streams read `{folder}/NAME`, run step by step.

    What the query delivers is gathered by slab, so that a slab that is delivered again after a
    restart counts once. If no delivery is given, these are the changes of a relation, or the
    elements of a stream. `after` is the number of statements that are carried out before the query
    is asked; by default all are.
    """

    def __init__(
        self,
        folder: Path,
        session: Callable[[], Session],
        statements: Sequence[str],
        query: str,
        delivery: str | None = None,
        after: int | None = None,
    ) -> None:
        self.folder = folder
        self._session = session
        self.statements = list(statements)
        self._delivery = delivery
        self._asked = {"query": Asked(query, after)}
        self.running: Running | None = None

    @property
    def slabs(self) -> dict[int, list[Delivered]]:
        """What the query has delivered."""
        return self._asked["query"].slabs

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
            carried_out = 0
            for name, asked in self._asked.items():
                for statement in self.statements[carried_out : asked.after]:
                    self.session.sql(statement)
                carried_out = max(carried_out, len(self.statements[: asked.after]))
                self._join(name)
            self.running = self.session.start(self.folder / "checkpoint", once=True)
        else:
            self.running.run(once=True)
        self.running.wait()
        return self.running

    def declare(self, statement: str) -> None:
        """A statement now, and at every start from now on."""
        self.statements.append(statement)
        self.session.sql(statement)

    def beside(self, name: str, query: str, after: int | None = None) -> None:
        """A query that begins with the others."""
        self._asked[name] = Asked(query, after)

    def add(self, name: str, query: str) -> None:
        """A query that joins the others, now and at every start from now on."""
        self.beside(name, query)
        self._join(name)

    def gathered(self, name: str) -> list[Delivered]:
        """What a query that was added has delivered."""
        found = self._asked[name].slabs
        return [row for slab in sorted(found) for row in found[slab]]

    def _join(self, name: str) -> None:
        def gather(slab: int, rows: DataFrame) -> None:
            if name == "query":
                self._gather(slab, rows)
            else:
                self._asked[name].slabs[slab] = rows.collect()

        query = self.session.sql(self._asked[name].text)
        delivery = self._delivery or ("INSERTS" if query.kind == "stream" else "CHANGES")
        self.session.foreach_slab(query, gather, delivery, name)

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
        slabs = self._asked[added or "query"].slabs
        deltas: dict[Tuple, dict[Instant, int]] = defaultdict(lambda: defaultdict(int))
        for rows in slabs.values():
            for row in rows:
                for values, at, n in _changes(row):
                    deltas[Tuple(tuple(map(_value, values)))][at] += n
        return Timeline({e: _accumulated(changes) for e, changes in deltas.items()})

    def _gather(self, slab: int, rows: DataFrame) -> None:
        self.slabs[slab] = rows.collect()


def _changes(row: Delivered) -> Iterator[tuple[tuple[object, ...], Instant, int]]:
    """What a row says of its values: from which instants on there is one more, or one less."""
    names = row.__fields__
    width = 2 if names[-1].startswith("batch") else 1
    if names[-width] == "at":
        at = _instant(*row[-width:])
        if names[-width - 1] == "change":
            yield row[: -width - 1], at, 1 if row[-width - 1] == "+" else -1
            return
        # An element of a stream lasts for its unit of time.
        values, start, end = row[:-width], at, at.next_time
    else:
        values, start = row[: -2 * width], _instant(*row[-2 * width : -width])
        end = FOREVER if row[-width] is None else _instant(*row[-width:])
    yield values, start, 1
    if end.t <= LATEST:
        yield values, end, -1


def _json(value: object) -> object:
    if isinstance(value, Decimal):
        return float(value)
    return str(value)


def _value(value: object) -> object:
    return normal(value) if isinstance(value, float) else value


def _instant(at: object, batch: object = 0) -> Instant:
    """What is shown as a time and, where it may have several, a batch of it."""
    if at is None:
        return BEGINNING
    assert isinstance(batch, int)
    if isinstance(at, datetime):
        return Instant(to_micros(at), batch)
    assert isinstance(at, int)
    return Instant(at, batch)


def _accumulated(changes: Mapping[Instant, int]) -> list[tuple[Instant, int]]:
    total, steps = 0, []
    for instant in sorted(changes):
        total += changes[instant]
        steps.append((instant, total))
    return steps
