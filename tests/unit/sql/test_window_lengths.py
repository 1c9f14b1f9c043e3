"""Windows whose lengths no engine could carry out are refused when they are bound."""

from __future__ import annotations

import pytest

from continua import ContinuaError, Session

DECLARED = "CREATE STREAM s (v INT, t BIGINT) SOURCE rows((1, 1)) ORDERED BY t"


@pytest.mark.parametrize(
    ("reference", "words"),
    [
        ("HOP(s, 2, 9223372036854775807)", "in 4611686018427387904 windows"),
        ("HOP(s, 1, 100001)", "in 100001 windows"),
        ("s WINDOW(RANGE 9223372036854775808)", "at most 9223372036854775807"),
        ("TUMBLE(s, 9223372036854775807)", "together"),
        ("s WINDOW(RANGE 9223372036854775807 SLIDE 5)", "together"),
    ],
)
def test_too_long(reference: str, words: str) -> None:
    session = Session(engine="reference")
    session.sql(DECLARED)
    with pytest.raises(ContinuaError) as caught:
        session.sql(f"SELECT v FROM {reference}")
    assert caught.value.code == "WRONG_WINDOW"
    assert words in caught.value.message
    assert caught.value.span is not None
    assert caught.value.hint


def test_as_many_copies_as_there_may_be() -> None:
    session = Session(engine="reference")
    session.sql(DECLARED)
    assert len(session.sql("SELECT v FROM HOP(s, 1, 100000)").plan.schema) == 1


def test_a_length_is_not_rounded() -> None:
    session = Session(engine="reference")
    session.sql("CREATE STREAM z (v INT, t TIMESTAMP) ORDERED BY t")
    with pytest.raises(ContinuaError, match="not a whole number of time units"):
        session.sql(f"SELECT v FROM z WINDOW(RANGE 1.{'0' * 30}1 SECONDS)")
