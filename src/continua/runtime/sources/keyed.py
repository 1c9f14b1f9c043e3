"""Tables with a primary key: no two rows of a key are valid together."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame

from continua.model.catalog import Relation
from continua.model.element import SourceRow, Values
from continua.model.instant import Time
from continua.physical.spark_internals.java_errors import JAVA_RAISED
from continua.physical.validity import END, START
from continua.runtime.sources.doubt import is_doubt


def has_versions(relation: Relation) -> bool:
    """Whether its rows are the versions of rows that a key tells apart; of a log of changes, the
    changes make them."""
    return bool(relation.primary_key) and relation.changes is None


def overlapping(relation: Relation, rows: Iterable[SourceRow]) -> Iterator[tuple[Hashable, str]]:
    """The rows, given in order of time, that begin while another one of their key is valid: their
    positions, and what is wrong. Those that are named do not count for later ones."""
    positions = relation.positions(relation.primary_key)
    ends: dict[Values, Time] = {}
    for row in rows:
        key = tuple(row.values[i] for i in positions)
        if key in ends and row.start < ends[key]:
            shown = ", ".join(map(str, key))
            yield row.phi, f"another row of the key {shown} is valid at the same time"
        else:
            ends[key] = row.end


def may_overlap(relation: Relation, frame: DataFrame) -> bool:
    """Whether rows overlap as Spark reads them, or may do so: a row of them is in doubt."""
    key = ", ".join(f"c{i}" for i in relation.positions(relation.primary_key))
    rows = "ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING"
    before = f"max({END}) OVER (PARTITION BY {key} ORDER BY {START}, {END} {rows})"
    found = frame.selectExpr(START, f"{before} AS earlier").where(f"earlier > {START}")
    try:
        return found.head() is not None
    except (PySparkException, JAVA_RAISED) as error:
        if is_doubt(error):
            return True
        raise
