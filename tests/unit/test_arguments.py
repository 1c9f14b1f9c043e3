"""Arguments of the wrong kind are mistakes like any other: a code, what was expected, a hint."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas
import pytest

from continua import ContinuaError, Query, Session
from continua.testing import run_script


@pytest.fixture
def session() -> Session:
    session = Session(engine="reference")
    session.sql("CREATE STREAM s (v INT, t INT) SOURCE rows((1, 1), (2, 3)) ORDERED BY t")
    return session


@pytest.fixture
def query(session: Session) -> Query:
    found: Query = session.sql("SELECT v FROM s")
    return found


def refused(call: Callable[[], object]) -> ContinuaError:
    with pytest.raises(ContinuaError) as caught:
        call()
    assert caught.value.message
    return caught.value


@pytest.mark.parametrize("text", [None, 5, b"SELECT 1", ["SELECT 1"], Path("query.sql")])
def test_statements_are_a_text(session: Session, text: Any) -> None:
    for call in (session.sql, session.tell, lambda given: list(session.execute(given))):
        error = refused(lambda call=call: call(text))  # type: ignore[misc]
        assert (error.code, repr(text) in error.message) == ("WRONG_ARGUMENTS", True)
        assert "session.sql(" in (error.hint or "")
    assert refused(lambda: list(session.execute("SELECT 1", 5))).code == "WRONG_ARGUMENTS"  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("given", "hint"),
    [
        ({"engine": 5}, "spark, reference"),
        ({"engine": None}, "spark, reference"),
        ({"engine": "sparc"}, "did you mean spark"),
        ({"spark": 5}, "set up when it is needed"),
        ({"spark": "local[2]"}, "set up when it is needed"),
        ({"live": "yes"}, None),
        ({"live": 1}, None),
        ({"live": True, "engine": "reference"}, "spark"),
    ],
)
def test_sessions(given: dict[str, Any], hint: str | None) -> None:
    error = refused(lambda: Session(**given))
    assert error.code == "WRONG_ARGUMENTS"
    assert hint is None or hint in (error.hint or "")


@pytest.mark.parametrize(
    "given",
    [(5, abs, "INT"), ("f", None, "INT"), ("f", abs, int), ("f", abs, None), ("f", abs, "INTT")],
)
def test_functions(session: Session, given: tuple[Any, Any, Any]) -> None:
    name, function, type_ = given
    assert refused(lambda: session.udf(name, function, type_)).code == "WRONG_ARGUMENTS"
    four = [function] * 4
    assert refused(lambda: session.udaf(name, *four, type_)).code == "WRONG_ARGUMENTS"
    assert "types are" in (refused(lambda: session.udf("f", abs, 5)).hint or "")  # type: ignore[arg-type]


def test_dataframes(session: Session) -> None:
    for frame in (None, 5, [(1,)], pandas.DataFrame({"a": [1]})):
        error = refused(lambda frame=frame: session.from_dataframe("d", frame))  # type: ignore[misc]
        assert error.code == "WRONG_ARGUMENTS"
        assert "createDataFrame" in (error.hint or "")
    assert "name" in refused(lambda: session.from_dataframe(5, None)).message  # type: ignore[arg-type]


def test_queries_to_run_live(session: Session, query: Query) -> None:
    wrong: Any = "SELECT v FROM s"
    number: Any = 5
    for call in (
        lambda: session.watch(wrong),
        lambda: session.watch(query, number),
        lambda: session.foreach_slab(wrong, print),
        lambda: session.foreach_slab(query, number),
        lambda: session.foreach_slab(query, print, delivery=number),
        lambda: session.foreach_slab(query, print, delivery="CHANGED"),
        lambda: session.foreach_slab(query, print, name=number),
        lambda: session.start(number),
        lambda: session.start("kept", files_at_once=0),
        lambda: session.start("kept", files_at_once="one"),  # type: ignore[arg-type]
    ):
        assert refused(call).code == "WRONG_ARGUMENTS"
    assert "session.sql(" in (refused(lambda: session.watch(wrong)).hint or "")
    assert "CHANGES" in (
        refused(lambda: session.foreach_slab(query, print, delivery="CHANGED")).hint or ""
    )
    assert not Path("kept").exists()


@pytest.mark.parametrize("at", ["x", 1.5, True, [1], b"1", 2**70, ""])
def test_times(session: Session, query: Query, at: Any) -> None:
    error = refused(lambda: query.snapshot(at))
    assert error.code in ("TYPE_MISMATCH", "WRONG_ARGUMENTS")
    assert repr(at) in error.message
    if not isinstance(at, int | str):
        assert refused(lambda: session.sql("SELECT 1").snapshot(at)).code == "WRONG_ARGUMENTS"


def test_results(query: Query) -> None:
    wrong: Any = "x"
    assert refused(lambda: query.delivered(wrong)).code == "WRONG_ARGUMENTS"
    assert "LOGICAL" in (refused(lambda: query.explain(wrong)).hint or "")
    assert refused(lambda: query.history().to_text(wrong)).code == "WRONG_ARGUMENTS"


def test_rejected(session: Session) -> None:
    number: Any = 5
    assert refused(lambda: session.rejected(number)).code == "WRONG_ARGUMENTS"
    assert refused(lambda: session.rejected("t")).code == "UNKNOWN_STREAM"


def test_scripts() -> None:
    wrong: Any = None
    assert refused(lambda: run_script(wrong)).code == "WRONG_ARGUMENTS"
    assert refused(lambda: run_script("/no/such.script")).code == "SOURCE_NOT_FOUND"
