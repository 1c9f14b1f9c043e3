"""Relations for tests of readers, and what Spark reads compared with what the reference reads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import date
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, Row, SparkSession

from continua.errors import ContinuaError, Source, Span
from continua.model.catalog import Relation, SourceCall
from continua.model.element import SourceRow
from continua.model.instant import INFINITY, MINUS_INFINITY, Time
from continua.model.schema import INTEGER_TIME, TIMESTAMP_TIME, Column, from_micros
from continua.model.types import DATE, TIMESTAMP, parse_type
from continua.physical.instant import BEGINNING, FOREVER
from continua.physical.scan import source_columns
from continua.physical.spark_internals.java_errors import JAVA_RAISED
from continua.runtime.sources.doubt import is_doubt
from continua.runtime.sources.kinds import source_of
from continua.runtime.sources.read import ReadRows
from continua.runtime.sources.read import read as read_source

SPAN = Span(Source("SOURCE"), 0, 6)


def read(relation: Relation) -> ReadRows:
    """What the exact reader gives."""
    return read_source(source_of(relation))


def open_source(ours: SparkSession, relation: Relation, identified: bool) -> DataFrame | None:
    """What Spark reads."""
    return source_of(relation).opened(ours, identified)


def stream(declared: str, function: str, *args: object, **rest: Any) -> Relation:
    """A relation; a stream ordered by `t` if it has such a column and nothing else is said."""
    found = []
    for part in declared.split(";"):
        name, _, type_ = part.strip().rpartition(" ")
        parsed = parse_type(type_)
        assert parsed is not None, part
        found.append(Column(name, parsed))
    start = rest.pop("start", "t" if any(c.name == "t" for c in found) else None)
    types = {c.name.lower(): c.type for c in found}
    time = None
    if start:
        time = INTEGER_TIME if types[start.lower()].integral else TIMESTAMP_TIME
    call = SourceCall(function, args, tuple(rest.pop("options", {}).items()), SPAN)
    return Relation("s", tuple(found), call, rest.pop("is_stream", True), time, start, **rest)


Listed = list[tuple[object, ...]]


def expected(rows: Iterable[SourceRow]) -> Listed:
    """Rows of the reference in the order of φ."""
    ordered = sorted(rows, key=lambda row: row.phi)  # type: ignore[arg-type, return-value]
    return [(*map(shown, row.values), _time(row.start), _time(row.end)) for row in ordered]


def _time(t: Time) -> int:
    return BEGINNING if t == MINUS_INFINITY else FOREVER if t == INFINITY else int(t)


def shown(value: object) -> object:
    """Values to compare: NaN is itself, and the two zeros differ."""
    return repr(value) if isinstance(value, float) else value


def plain(relation: Relation) -> list[str]:
    """The values as SQL, times as numbers: PySpark would move them to another zone."""
    forms = {TIMESTAMP: "unix_micros({})", DATE: "unix_date({})"}
    return [
        f"{forms.get(column.type, '{}').format(f'c{i}')} AS c{i}"
        for i, column in enumerate(relation.columns)
    ]


def values_of(relation: Relation, row: Row) -> tuple[object, ...]:
    cells: list[object] = [row[f"c{i}"] for i in range(len(relation.columns))]
    for i, column in enumerate(relation.columns):
        value = cells[i]
        if isinstance(value, int) and column.type == TIMESTAMP:
            cells[i] = from_micros(value)
        elif isinstance(value, int) and column.type == DATE:
            cells[i] = date.fromordinal(date(1970, 1, 1).toordinal() + value)
    return (*map(shown, cells), row["start"], row["end"])


def found(relation: Relation, frame: DataFrame) -> Listed:
    """What Spark has read, in the order of phi."""
    assert tuple(frame.columns) == source_columns(relation)
    for i, column in enumerate(relation.columns):
        assert frame.schema[i].dataType.simpleString() == str(column.type).lower()
    ordered = frame.orderBy("phi").selectExpr(*plain(relation), "start", "end")
    return [values_of(relation, row) for row in ordered.collect()]


def agree(ours: SparkSession, relation: Relation, identified: bool = True) -> str:
    """Checks that Spark reads what the reference reads, or leaves it to the reference.

    Gives `clean` if Spark has read it, `doubt` if the reference has to, `bad` if that fails, too.
    """
    try:
        reference: ReadRows | ContinuaError = read(relation)
    except ContinuaError as error:
        reference = error
    try:
        frame = open_source(ours, relation, identified)
        rows = None if frame is None else found(relation, frame)
    except ContinuaError as error:
        return "bad" if str(error) == str(reference) else f"other errors: {error} {reference}"
    except (PySparkException, JAVA_RAISED) as error:
        if not is_doubt(error):
            raise
        rows = None
    if rows is None:
        return "bad" if isinstance(reference, ContinuaError) else "doubt"
    assert isinstance(reference, ReadRows), f"Spark has overlooked: {reference}"
    assert not reference.rejected
    wanted = expected(reference.rows)
    assert rows == wanted if identified else Counter(rows) == Counter(wanted)
    return "clean"
