"""Linear Road over stored reports: what is sent is what loops and dictionaries say."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from linear_road_small import QUERIES, declared, ordered, reports, sent, wanted

from continua import Session


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("linear_road")
    pq.write_table(reports(), folder / "reports.parquet")
    return folder


def test_much_happens() -> None:
    found = sent()
    assert sum(row[-1] > 0 for row in found.tolls) > 30
    assert len({row[-1] for row in found.tolls}) > 4
    assert len(found.alerts) > 30
    assert len(found.charges) > 20
    assert sum(row[-1] > 0 for row in found.balances) > 5


@pytest.fixture(scope="module")
def reference(stored: Path) -> Session:
    return declared(Session(engine="reference"), stored)


@pytest.mark.parametrize("name", QUERIES)
def test_reference_sends_what_must_be_sent(reference: Session, name: str) -> None:
    assert ordered(reference.query(QUERIES[name]).history()) == wanted(name)


@pytest.mark.spark
@pytest.mark.parametrize("name", QUERIES)
def test_spark_sends_what_must_be_sent(
    sessions: Callable[[], Session], stored: Path, name: str
) -> None:
    session = declared(sessions(), stored)
    assert ordered(session.query(QUERIES[name]).history()) == wanted(name)
