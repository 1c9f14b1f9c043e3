"""Linear Road over stored reports: what is sent is what loops and dictionaries say."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from in_real_time import LIMIT, Outcome
from linear_road_small import QUERIES, declared, ordered, reports, sent, wanted
from search import CLOSE, search

from continua import Session


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("linear_road")
    pq.write_table(reports(), folder / "reports.parquet")
    return folder


def test_vehicles_report_every_half_minute_of_a_trip() -> None:
    by_vehicle = defaultdict(list)
    for row in reports().to_pylist():
        if row["type"] == 0:
            assert row["seg"] == row["pos"] // 5280
            by_vehicle[row["vid"]].append(row)
    following = [pair for rows in by_vehicle.values() for pair in pairwise(rows)]
    within = [(a, b) for a, b in following if a["lane"] != 4]
    assert all(b["t"] - a["t"] == 30 for a, b in within)
    assert all(abs(b["seg"] - a["seg"]) <= 1 and a["dir"] == b["dir"] for a, b in within)
    between = [(a, b) for a, b in following if a["lane"] == 4]
    assert len(between) > 10
    assert all(b["lane"] == 0 and b["t"] - a["t"] > 31 for a, b in between)


def test_much_happens() -> None:
    found = sent()
    assert sum(row[-1] > 0 for row in found.tolls) > 30
    assert len({row[-1] for row in found.tolls}) > 4
    assert len(found.alerts) > 20
    assert {direction for _, _, direction, *_ in found.alerts} == {0, 1}
    assert len(found.charges) > 20
    assert sum(row[-1] > 0 for row in found.balances) > 5


@pytest.fixture(scope="module")
def reference(stored: Path) -> Session:
    return declared(Session(engine="reference"), stored)


@pytest.mark.parametrize("name", QUERIES)
def test_reference_sends_what_must_be_sent(reference: Session, name: str) -> None:
    assert ordered(reference.query(QUERIES[name]).history()) == wanted(name)


@pytest.mark.spark
@pytest.mark.parametrize("name", ["alerts", "balances"])  # balances are made of all the tolls
def test_spark_sends_what_must_be_sent(
    sessions: Callable[[], Session], stored: Path, name: str
) -> None:
    session = declared(sessions(), stored)
    assert ordered(session.query(QUERIES[name]).history()) == wanted(name)


@pytest.mark.parametrize(("begin", "most"), [(1000, 5_300), (1000, 130), (64, 64)])
def test_search_comes_close_to_the_highest_load(begin: int, most: int) -> None:
    def tried(vehicles: int) -> Outcome:
        late = LIMIT + (1 if vehicles > most else -1)
        return Outcome(vehicles, vehicles / 30, [late] * 9, kept_up=True)

    found = search(tried, begin)
    held = max(outcome.vehicles for outcome in found if outcome.held)
    assert held <= most <= CLOSE * held
    assert len(found) < 10


def test_a_load_is_held_if_nearly_all_is_in_time_and_nothing_is_lost() -> None:
    in_time, late = [LIMIT] * 99, [LIMIT + 1]
    assert Outcome(1, 1.0, in_time + late, kept_up=True).held
    assert not Outcome(1, 1.0, in_time + 9 * late, kept_up=True).held
    assert not Outcome(1, 1.0, in_time, kept_up=False).held
    assert not Outcome(1, 1.0, [], kept_up=True).held
