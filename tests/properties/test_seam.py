"""Wherever the seam lies: a query over both sides gives what it gives over the whole."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from both_engines import session_of
from drawing import examples
from hypothesis import event, given
from hypothesis import strategies as st
from queries import Case, batched_cases, cases
from streams import Source, literal, literal_row

from continua import ContinuaError, Session
from continua.model.timeline import Timeline


@st.composite
def declarations(draw: Any, case: Case) -> list[str]:
    """The streams of a case with a seam at some time; each side may have rows of the other."""
    return [draw(with_seam(source, case.rows[source.name])) for source in case.sources]


@st.composite
def with_seam(draw: Any, source: Source, rows: Sequence[tuple[object, ...]]) -> str:
    whole = source.declare(rows)
    if not whole.startswith("CREATE STREAM"):
        return whole
    at: Any = source.stamp(draw(st.integers(-3, 20)))
    position = [name for name, _ in source.all_columns].index(source.times[0])

    def stored(row: Any) -> bool:
        return bool(row[position] < at)

    past = [row for row in rows if stored(row) or draw(st.booleans())]
    present = [row for row in rows if not stored(row) or draw(st.booleans())]
    event(f"history: {any(map(stored, rows))}, after it: {not all(map(stored, rows))}")
    head, order = source.declare([]).split(" ORDERED BY ")
    history = f"HISTORY rows({written(past)}) BEFORE {literal(at)}"
    return f"{head} SOURCE rows({written(present)}) {history} ORDERED BY {order}"


def written(rows: Sequence[tuple[object, ...]]) -> str:
    return ", ".join(map(literal_row, rows))


def result(session: Session, case: Case) -> Timeline | str:
    try:
        found: Timeline = session.query(case.query.ours).timeline()
    except ContinuaError as error:
        return error.code
    return found


@examples(250)
@given(case=cases() | batched_cases(), data=st.data())
def test_a_seam_cannot_be_seen(case: Case, data: Any) -> None:
    session = Session(engine="reference")
    for statement in [*data.draw(declarations(case)), *case.views]:
        session.sql(statement)
    assert result(session, case) == result(session_of(case), case)
