"""NEXMark's queries give on both engines what DuckDB finds over the same events, asked once."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from nexmark import Nexmark
from nexmark_check import Expected
from nexmark_queries import ALL, Asked, store
from pyspark.sql import SparkSession

from continua import Query, Session

pytestmark = pytest.mark.spark

EVENTS = {
    "minutes": Nexmark(2_500, rate=10, seed=10),
    "a minute": Nexmark(150, rate=3),
    "days": Nexmark(400, rate=0.003),
}
OVER_A_MINUTE = ["nexmark/q19", "tods/q5"]
"""Here the reference looks at all pairs, or at all bids so far whenever something happens."""

OVER_DAYS = ["nexmark/q10", "nexmark/q14", "nexmark/q15", "nexmark/q16", "nexmark/q17"]
OVER_DAYS += ["tods/q4", "tods/q6"]
FEW = {"nexmark/q02": 4, "nexmark/q08": 5, "tods/q5": 9}
"""How many rows the queries that give fewer than twenty give at least."""


class Stored:
    """The events of a kind in a folder, and what DuckDB finds over them."""

    def __init__(self, spark: SparkSession, folder: Path, events: Nexmark) -> None:
        self.folder = folder
        store(spark, folder, events, parts=1, keys=range(1_000, 1_040))
        self.expected = Expected(folder)

    def check(self, asked: Asked, query: Query) -> None:
        rows, differing = self.expected.compare(asked, query.history().to_arrow())
        assert not differing
        assert rows >= FEW.get(asked.name, 20), "an empty result shows nothing"


@pytest.fixture(scope="module")
def stored(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Stored]:
    folder = tmp_path_factory.mktemp("nexmark")
    return {name: Stored(spark, folder / name, events) for name, events in EVENTS.items()}


def events_of(asked: Asked) -> str:
    if asked.name in OVER_DAYS:
        return "days"
    return "a minute" if asked.name in OVER_A_MINUTE else "minutes"


def test_every_query_is_there() -> None:
    suite = [f"nexmark/q{number:02}" for number in range(23)]
    assert [asked.name for asked in ALL] == [*suite, *(f"tods/q{n}" for n in range(1, 7))]


@pytest.mark.parametrize("asked", ALL, ids=lambda asked: asked.name)
def test_reference(stored: dict[str, Stored], asked: Asked) -> None:
    events = stored[events_of(asked)]
    events.check(asked, asked.over(Session(engine="reference"), events.folder))


@pytest.mark.parametrize("asked", ALL, ids=lambda asked: asked.name)
def test_spark(sessions: Callable[[], Session], stored: dict[str, Stored], asked: Asked) -> None:
    events = stored[events_of(asked)]
    events.check(asked, asked.over(sessions(), events.folder))


def test_differences_are_found(stored: dict[str, Stored]) -> None:
    """A row too few, one too many, one that ends too late; and how intervals are cut is no difference."""
    events = stored["minutes"]
    q07 = next(asked for asked in ALL if asked.name == "nexmark/q07")
    found = q07.over(Session(engine="reference"), events.folder).history().to_arrow()
    first, others = found.slice(0, 1), found.slice(1)
    late = pc.add(first["valid_to"], timedelta(microseconds=1))
    middle = pc.add(first["valid_from"], timedelta(seconds=1))
    last = first.num_columns - 1
    wrong = {
        "missing": others,
        "twice": pa.concat_tables([found, first]),
        "late": pa.concat_tables([first.set_column(last, "valid_to", late), others]),
    }
    changes = {
        name: [change[-1] for change in events.expected.compare(q07, table)[1]]
        for name, table in wrong.items()
    }
    assert changes == {"missing": [-1, 1], "twice": [1, -1], "late": [1, -1]}
    halves = [
        first.set_column(last, "valid_to", middle),
        first.set_column(last - 1, "valid_from", middle),
        others,
    ]
    assert events.expected.compare(q07, pa.concat_tables(halves))[1] == []
