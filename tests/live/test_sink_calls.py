"""What sinks are told, in which order: opened before anything is published, closed at the end."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

import pytest
from flow import Flow

from continua import ContinuaError, Session, Sink
from continua.runtime.rows import Rows
from continua.runtime.sinks.kinds import FORMATS

pytestmark = pytest.mark.spark

STREAM = "CREATE STREAM r (v INT, t BIGINT) SOURCE json('{}/r') ORDERED BY t"


class Noted(Sink):
    """Notes what it is told."""

    calls: ClassVar[list[tuple[str, str, int]]] = []
    refuses = False

    def open(self, after: int) -> None:
        if Noted.refuses and self.name == "b":
            raise self.refused("not here")
        self.calls.append((self.name, "open", after))

    def publish(self, slab: int, rows: Rows) -> None:
        self.calls.append((self.name, "publish", slab))

    def forget(self, after: int) -> None:
        self.calls.append((self.name, "forget", after))

    def close(self) -> None:
        self.calls.append((self.name, "close", 0))


@pytest.fixture
def flow(live: Callable[[], Session], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Flow:
    monkeypatch.setitem(FORMATS, "noted", Noted)
    monkeypatch.setattr(Noted, "calls", [])
    monkeypatch.setattr(Noted, "refuses", False)
    statements = [STREAM.format(tmp_path), "CREATE SINK a USING noted; CREATE SINK b USING noted"]
    flow = Flow(tmp_path, live, [*statements, "INSERT INTO a SELECT v FROM r"], "SELECT v FROM r")
    flow.drop("r", "1", [{"v": 1, "t": 1}, {"v": 4, "t": 4}])
    return flow


def told(name: str) -> list[tuple[str, int]]:
    """What a sink has been told since the last look."""
    found = [(what, slab) for sink, what, slab in Noted.calls if sink == name]
    Noted.calls[:] = [call for call in Noted.calls if call[0] != name]
    return found


def test_a_run_that_goes_on(flow: Flow) -> None:
    slab = flow.step().progress.slab
    flow.restart()
    assert told("a") == [("open", 0), ("publish", slab), ("close", 0)]
    flow.step()
    flow.restart()
    assert told("a") == [("forget", slab), ("open", slab), ("publish", slab), ("close", 0)]


def test_a_query_that_joins_and_leaves(flow: Flow) -> None:
    slab = flow.step().progress.slab
    flow.session.sql("INSERT INTO b SELECT v + 1 AS w FROM r")
    assert told("b") == [("open", slab)]
    flow.session.sql("DROP QUERY b")
    assert told("b") == [("close", 0)]
    flow.restart()


def test_what_was_opened_is_closed_if_another_cannot_be(flow: Flow) -> None:
    flow.step()
    told("a")
    Noted.refuses = True
    text = "INSERT INTO a SELECT v + 1 AS w FROM r; INSERT INTO b SELECT v + 2 AS w FROM r"
    with pytest.raises(ContinuaError, match="not here"):
        flow.session.tell(text)
    assert [what for what, _ in told("a_1")] == ["open", "close"]
    assert told("a") == [], "those that run go on"
    flow.restart()
    assert told("a") == [("close", 0)]
