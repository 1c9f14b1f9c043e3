"""Kinds of sinks that other packages give, by entry points."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from installed import installed

from continua import ContinuaError, Session

MODULE = """
from continua import Option, Sink

CALLS = []


class Noted(Sink):
    OPTIONS = (
        Option.text("label", required=True),
        Option.number("most", default=3),
        Option.truth("loud", default=False),
        Option.choice("way", ("up", "down")),
    )
    DELIVERIES = ("CHANGES",)

    def open(self, after):
        CALLS.append(("open", self.name, after, dict(self.options)))

    def publish(self, slab, rows):
        CALLS.append(("publish", slab, rows.columns, list(rows)))
        if self.options["label"] == "fails":
            raise self.refused("it is full", "make room")

    def close(self):
        CALLS.append(("close",))


class Nothing:
    pass
"""

PROJECT = """
[project]
name = "noted-sinks"
version = "1.0"

[project.entry-points."continua.sinks"]
noted = "noted_sinks:Noted"
nothing = "noted_sinks:Nothing"
missing = "noted_sinks.missing:Sink"
"""


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "noted_sinks.py").write_text(MODULE)
    (tmp_path / "package" / "pyproject.toml").write_text(PROJECT)
    made = Session(engine="reference")
    made.sql("CREATE STREAM s (v INT, t INT) SOURCE rows((10, 1), (20, 3)) ORDERED BY t")
    with installed(tmp_path / "package", tmp_path / "site"):
        yield made


def calls() -> list[tuple[object, ...]]:
    found: list[tuple[object, ...]] = sys.modules["noted_sinks"].CALLS
    return found


def test_history_is_one_slab(session: Session) -> None:
    session.sql("""
        CREATE SINK k USING noted OPTIONS (label 'a', Most '7', way 'DOWN');
        INSERT INTO k SELECT v FROM s [RANGE 1] WHERE v < 15
    """)
    options = {"label": "a", "most": 7, "loud": False, "way": "down"}
    # INTERVALS are usual, which it does not take.
    rows = [(10, "+", 1), (10, "-", 2)]
    assert calls() == [
        ("open", "k", -1, options),
        ("publish", 0, ("v", "change", "at"), rows),
        ("close",),
    ]


def test_what_fails_is_closed_and_has_a_place(session: Session) -> None:
    with pytest.raises(ContinuaError, match="it is full") as caught:
        session.sql("""
            CREATE SINK k USING noted OPTIONS (label 'fails');
            INSERT INTO k SELECT v FROM s [RANGE 1]
        """)
    assert (caught.value.code, caught.value.hint) == ("CANNOT_WRITE", "make room")
    assert caught.value.span is not None
    assert caught.value.span.text.startswith("CREATE SINK k")
    assert calls()[-1] == ("close",)


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        (
            "USING noted OPTIONS (label 'a', most 2.5)",
            "most is a whole number, not Decimal('2.5')",
            None,
        ),
        ("USING noted OPTIONS (most TRUE)", "most is a whole number, not True", None),
        (
            "USING noted OPTIONS (way 'left')",
            "way is one of up, down, not 'left'",
            None,
        ),
        (
            "USING noted OPTIONS (label 'a') AS INSERTS",
            "a sink of noted does not take INSERTS",
            "it takes CHANGES",
        ),
        ("USING note", "there is no format note", "did you mean noted?"),
        (
            "USING xyz",
            "there is no format xyz",
            "the formats are table, csv, json, parquet, noted, nothing, missing",
        ),
        (
            "USING nothing",
            "noted_sinks:Nothing, which the format nothing is to be, is no sink",
            "a class made from Sink",
        ),
        (
            "USING missing",
            "the format missing cannot be loaded: ModuleNotFoundError: No module named "
            "'noted_sinks.missing'; 'noted_sinks' is not a package",
            None,
        ),
    ],
)
def test_declarations_that_are_refused(
    session: Session, text: str, message: str, hint: str | None
) -> None:
    with pytest.raises(ContinuaError) as caught:
        session.sql(f"CREATE SINK k USING csv; CREATE OR REPLACE SINK k {text}")
    assert (caught.value.code, caught.value.message) == ("WRONG_ARGUMENTS", message)
    assert caught.value.hint == hint
    assert list(session.sql("SHOW SINKS")) == [("k", "csv")]


def test_what_is_required(session: Session) -> None:
    with pytest.raises(ContinuaError) as caught:
        session.sql("CREATE SINK k USING noted; INSERT INTO k SELECT v FROM s [RANGE 1]")
    assert caught.value.message == "the sink k has no label"
    assert caught.value.hint == "CREATE SINK k USING noted OPTIONS (label '…')"
