"""From cells to what a scan reads: validity in time, positions, and what becomes of bad rows."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

from pyspark.sql import DataFrame

from continua.model.catalog import Relation
from continua.model.change import SPELLINGS
from continua.model.instant import EARLIEST, LATEST
from continua.model.types import BIGINT, TIMESTAMP
from continua.physical.failures import BAD_ROW
from continua.physical.instant import BEGINNING, FOREVER, Instant, instant
from continua.physical.scan import source_columns
from continua.physical.validity import OWN, START, Validity
from continua.runtime.sources.spark_text import Cell

_NUMBER = "monotonically_increasing_id()"


@dataclass(frozen=True)
class Part:
    """Files, or other inputs, that are read in the same way.

    good: what else must hold of a row, as SQL; else the reference decides.
    phi: the position of a row, as SQL; None if nobody needs it.
    timely: whether the time attribute of a stream is known to be there and in range.
    """

    frame: DataFrame
    cells: Sequence[Cell]
    good: Sequence[str]
    phi: str | None
    timely: bool = False


@dataclass(frozen=True)
class Typed:
    """A part with its values as c0, c1, … and its validity as start and end.

    good: what must hold of every row.
    guards: what must hold of a column's value, if the column is used.
    """

    frame: DataFrame
    good: Sequence[str]
    guards: Mapping[int, str]
    phi: str | None


def rows_of(relation: Relation, parts: Sequence[Part]) -> DataFrame | None:
    """The rows of all parts as `physical.scan.source_columns` has them.

    A row that only the reference's reader can judge makes a query over the rows fail with
    `BAD_ROW`. If bad rows are to be passed over, they are looked for now, and None is given if
    there is one: the reader also knows how many there are, and where.
    """
    now = time.time_ns() // 1000
    typed = [typed_part(relation, part, now) for part in parts]
    if relation.on_error != "FAIL" and _any_bad(typed):
        return None
    return _union([_checked(relation, part) for part in typed])


def passing_over(relation: Relation, part: Part) -> DataFrame:
    """The good rows of a part that no other reader can read, if others are to be passed over."""
    typed = typed_part(relation, part, time.time_ns() // 1000)
    if relation.on_error == "FAIL":
        return _checked(relation, typed)
    return _selected(relation, typed, typed.frame.where(_every(typed.good)), {})


def passed_over(relation: Relation, part: Part) -> DataFrame:
    """The rows of such a part that are not good, with what can be said of them."""
    typed = typed_part(relation, part, time.time_ns() // 1000)
    values = ", ".join(f"r{i} AS `{c.name}`" for i, c in enumerate(relation.columns))
    return typed.frame.where(f"NOT ({_every(typed.good)})").selectExpr(
        "CAST(NULL AS STRING) AS place",
        "'cannot be read as declared, or has no valid time' AS reason",
        f"to_json(struct({values})) AS text",
    )


def _any_bad(typed: Sequence[Typed]) -> bool:
    goods = [t.frame.selectExpr(f"{_every([*t.good, *t.guards.values()])} AS good") for t in typed]
    return _union(goods).selectExpr("bool_and(good)").head() == (False,)


def _every(conditions: Sequence[str]) -> str:
    return " AND ".join(conditions) or "TRUE"


def _union(frames: Sequence[DataFrame]) -> DataFrame:
    return reduce(DataFrame.unionAll, frames)


def typed_part(relation: Relation, part: Part, now: int) -> Typed:
    """The part with typed values; `now` is the time of rows that are stamped on arrival."""
    positions = {column.name.lower(): i for i, column in enumerate(relation.columns)}
    first, last = (positions[n.lower()] if n else None for n in (relation.start, relation.end))
    good, guards = list(part.good), {}
    for i, cell in enumerate(part.cells):
        if cell.good is None or (part.timely and i == first):
            continue
        if cell.seldom and i not in (first, last):
            guards[i] = _known(cell.good)
        else:
            good.append(cell.good)
    good += [*_changes(relation), *_validity(relation, first, last, part.timely)]
    values = [f"{cell.value} AS c{i}" for i, cell in enumerate(part.cells)]
    if good:
        # Where rows are numbered, no filter is moved below: values are computed before they are
        # looked at, and so once.
        values.append(f"{_NUMBER} AS number")
    frame = part.frame.selectExpr("*", *values)
    for name, value in _bounds(relation, first, last, now).outputs:
        frame = frame.selectExpr("*", f"{value} AS {name}")
    return Typed(frame, list(map(_known, good)), guards, part.phi)


def _known(condition: str) -> str:
    """A condition over NULL is one that is not known to hold."""
    return f"coalesce({condition}, FALSE)"


def _changes(relation: Relation) -> list[str]:
    """What must hold of the key of a row of a table, and of its operation."""
    good = [f"c{i} IS NOT NULL" for i in relation.positions(relation.primary_key)]
    if relation.changes is not None and relation.changes.operation is not None:
        (i,) = relation.positions((relation.changes.operation,))
        good.append(f"lower(c{i}) IN ({', '.join(map(repr, SPELLINGS))})")
    return good


def _validity(relation: Relation, first: int | None, last: int | None, timely: bool) -> list[str]:
    """What must hold of the validity of a row."""
    good = []
    if relation.is_stream and first is not None and not timely:
        good.append(START.known)
    for i in (first, last):
        if i is not None and relation.columns[i].type == BIGINT and not (timely and i == first):
            good.append(f"(c{i} IS NULL OR c{i} BETWEEN {EARLIEST} AND {LATEST})")
    if last is not None:
        good.append(OWN.lasts)
    return good


def _bounds(relation: Relation, first: int | None, last: int | None, now: int) -> Validity:
    """The validity of a row, whose end is computed from its start."""
    beginning, forever = instant(BEGINNING), instant(FOREVER)

    def bound(i: int) -> Instant:
        timestamp = relation.columns[i].type == TIMESTAMP
        return instant(f"unix_micros(c{i})" if timestamp else f"CAST(c{i} AS BIGINT)")

    if first is None:
        start = instant(now) if relation.is_stream else beginning
    else:
        start = bound(first) if relation.is_stream else bound(first).otherwise(beginning)
    if last is not None:
        return Validity(start, bound(last).otherwise(forever))
    return Validity(start, START.next if relation.is_stream else forever)


def _checked(relation: Relation, part: Typed) -> DataFrame:
    failure = f"raise_error('{BAD_ROW}')"
    frame = part.frame
    if part.good:
        # A filter that numbers rows is not put together with others, which could otherwise pass
        # over bad rows before they are seen.
        frame = frame.where(f"number + {_NUMBER} >= IF({_every(part.good)}, 0L, {failure})")
    guarded = {i: f"IF({good}, c{i}, {failure})" for i, good in part.guards.items()}
    return _selected(relation, part, frame, guarded)


def _selected(
    relation: Relation, part: Typed, frame: DataFrame, values: Mapping[int, str]
) -> DataFrame:
    columns = [f"{values.get(i, f'c{i}')} AS c{i}" for i in range(len(relation.columns))]
    phi = part.phi or "CAST(NULL AS BIGINT)"
    selected = frame.selectExpr(*columns, f"{phi} AS phi", *OWN)
    assert tuple(selected.columns) == source_columns(relation)
    return selected
