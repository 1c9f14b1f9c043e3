"""Linear Road while reports arrive: what is sent is what loops and dictionaries say."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from pathlib import Path

import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from linear_road_small import DURATION, QUERIES, declared, ordered, reports, wanted
from pyspark.sql import DataFrame

from continua import Session

pytestmark = pytest.mark.spark

CUTS = (0, 405, DURATION)
"""Seconds at which files begin: the second within a minute, and while vehicles stand."""


def test_what_must_be_sent_is_sent(live: Callable[[], Session], tmp_path: Path) -> None:
    incoming = tmp_path / "in"
    incoming.mkdir()
    session = declared(live(), incoming)
    found: dict[str, list[tuple[object, ...]]] = defaultdict(list)

    def gather(name: str, slab: int, rows: DataFrame) -> None:
        found[name] += rows.collect()

    for name, query in QUERIES.items():
        session.foreach_slab(session.query(query), partial(gather, name), "INSERTS", name)
    times = reports()["t"]
    running, slabs = None, set()
    for begin, end in pairwise(CUTS):
        inside = pc.and_(pc.greater_equal(times, begin), pc.less(times, end))
        pq.write_table(reports().filter(inside), tmp_path / "partial")
        (tmp_path / "partial").rename(incoming / f"{begin:04}.parquet")
        if running is None:
            running = session.start(tmp_path / "checkpoint", once=True)
        else:
            running.run(once=True)
        running.wait()
        slabs.add(running.progress.slab)
    assert running is not None
    assert len(slabs) == len(CUTS) - 1
    running.finish()
    running.stop()
    assert {name: ordered(rows) for name, rows in found.items()} == {
        name: wanted(name) for name in QUERIES
    }
