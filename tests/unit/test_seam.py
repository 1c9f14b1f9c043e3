"""A stream whose stored history comes from a source of its own: HISTORY … BEFORE."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from continua import ContinuaError, Session
from continua.model.catalog import Relation, Seam, SourceCall
from continua.sql.declare import declare_stream
from continua.sql.parser import parse
from continua.sql.statements import CreateStream

Row = tuple[int, int]
COLUMNS = "CREATE STREAM s (a INT, t INT)"


def declared(text: str) -> Relation:
    (statement,) = parse(text)
    assert isinstance(statement, CreateStream)
    return declare_stream(statement)


def session_of(text: str) -> Session:
    session = Session(engine="reference")
    session.sql(text)
    return session


def written(path: Path, rows: list[Row]) -> Path:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([("a", "t"), *rows])
    return path


def rows(session: Session, query: str) -> list[tuple[object, ...]]:
    return list(session.query(query).history().rows)


def test_it_is_declared_with_the_time_in_units_of_the_streams_time() -> None:
    relation = declared(f"{COLUMNS} SOURCE csv('n') HISTORY parquet('o') BEFORE 7 ORDERED BY t")
    assert relation.source == SourceCall("csv", ("n",))
    assert relation.seam == Seam(SourceCall("parquet", ("o",)), 7)
    for at in ("'1970-01-01 00:00:02'", "TIMESTAMP '1970-01-01 00:00:02'"):
        relation = declared(
            f"CREATE STREAM s (t TIMESTAMP) SOURCE csv('n') HISTORY csv('o') BEFORE {at} ORDERED BY t"
        )
        assert relation.seam is not None
        assert relation.seam.at == 2_000_000


def test_it_bears_on_what_a_query_means() -> None:
    plain = declared(f"{COLUMNS} SOURCE csv('n') ORDERED BY t")
    seams = [
        declared(f"{COLUMNS} SOURCE csv('n') HISTORY csv('{path}') BEFORE {at} ORDERED BY t")
        for path, at in (("o", 7), ("o", 8), ("p", 7))
    ]
    assert len({relation.digested for relation in (plain, *seams)}) == 4


def test_each_side_delivers_the_rows_of_its_time_and_no_others() -> None:
    session = session_of(f"""
        {COLUMNS} SOURCE rows((1, 3), (2, 5), (3, 9)) HISTORY rows((4, 1), (5, 4), (6, 5), (7, 99))
        BEFORE 5 ORDERED BY t
    """)
    assert rows(session, "SELECT a FROM s") == [(4, 1), (5, 4), (2, 5), (3, 9)]
    # Rows that are another side's are not even the end of history.
    assert list(session.sql("SNAPSHOT OF SELECT a FROM s [RANGE 2]") or ()) == [(3,)]


def test_equal_positions_of_the_two_sides_are_not_one_tuple() -> None:
    session = session_of(
        f"{COLUMNS} SOURCE rows((1, 2)) HISTORY rows((1, 1)) BEFORE 2 ORDERED BY t"
    )
    assert rows(session, "SELECT a FROM s [ROWS 2]") == [(1, 1, None), (1, 2, None)]
    assert rows(session, "SELECT COUNT(*) FROM s [ROWS 2]") == [(1, 1, 2), (2, 2, None)]


def test_files_of_two_kinds_are_one_stream(tmp_path: Path) -> None:
    old = written(tmp_path / "old.csv", [(1, 1), (2, 9)])
    new = tmp_path / "new.json"
    new.write_text('{"a": 3, "t": 2}\n{"a": 4, "t": 5}\n')
    session = session_of(
        f"{COLUMNS} SOURCE json('{new}') HISTORY csv('{old}') BEFORE 3 ORDERED BY t"
    )
    assert rows(session, "SELECT a FROM s") == [(1, 1), (4, 5)]


def test_one_file_may_be_both_sides(tmp_path: Path) -> None:
    both = written(tmp_path / "all.csv", [(1, 1), (2, 2), (3, 3), (4, 3)])
    session = session_of(
        f"{COLUMNS} SOURCE csv('{both}') HISTORY csv('{both}') BEFORE 3 ORDERED BY t"
    )
    assert rows(session, "SELECT a FROM s") == [(1, 1), (2, 2), (3, 3), (4, 3)]


def test_bad_rows_of_both_sides_are_passed_over_and_counted() -> None:
    session = session_of(f"""
        {COLUMNS} SOURCE rows(('y', 7), (1, 8)) HISTORY rows((2, 1), ('x', 2), (3, NULL)) BEFORE 5
        ORDERED BY t ON ERROR KEEP
    """)
    assert rows(session, "SELECT a FROM s") == [(2, 1), (1, 8)]
    assert session.rejected_counts() == {"s": 3}
    assert [place for place, *_ in session.rejected("s")] == [
        "rows:2",
        "rows:3",
        "rows:1",
    ]
    session.sql("CREATE OR REPLACE STREAM s (a INT, t INT) SOURCE rows((1, 1)) ORDERED BY t")
    assert session.rejected_counts() == {}


def test_rows_are_inserted_into_the_side_that_goes_on() -> None:
    session = session_of(f"{COLUMNS} HISTORY rows((1, 1)) BEFORE 3 ORDERED BY t")
    session.sql("INSERT INTO s VALUES (2, 3), (3, 2)")
    assert rows(session, "SELECT a FROM s") == [(1, 1), (2, 3)]


def test_describe_says_where_the_history_is_from() -> None:
    session = session_of("""
        CREATE STREAM s (t TIMESTAMP) SOURCE csv('n') HISTORY parquet('o') BEFORE '2026-01-01'
        ORDERED BY t
    """)
    assert ("parquet BEFORE 2026-01-01 00:00:00", "", "history") in list(
        session.sql("DESCRIBE s") or ()
    )


@pytest.mark.parametrize(
    ("clauses", "code", "message"),
    [
        ("SOURCE rows() HISTORY rows((1, 1)) ORDERED BY t", "SYNTAX", "expected BEFORE"),
        ("SOURCE rows() HISTORY rows((1, 1)) BEFORE ORDERED BY t", "SYNTAX", "expected"),
        ("SOURCE rows() HISTORY rows((1, 1)) BEFORE NULL ORDERED BY t", "SYNTAX", "a time"),
        ("SOURCE rows() HISTORY BEFORE 3 ORDERED BY t", "SYNTAX", "expected"),
        ("SOURCE rows() ORDERED BY t HISTORY rows((1, 1)) BEFORE 3", "SYNTAX", "an option"),
        (
            "SOURCE rows() HISTORY rows() BEFORE '2026-01-01' ORDERED BY t",
            "TYPE_MISMATCH",
            "the time of this stream is an integer",
        ),
        ("SOURCE rows() HISTORY rows() BEFORE 1.5 ORDERED BY t", "TYPE_MISMATCH", "an integer"),
        ("SOURCE rows() HISTORY rows() BEFORE 3", "TIME_ATTRIBUTE", "stamped on arrival"),
        ("SOURCE rows() HISTORY csv() BEFORE 3 ORDERED BY t", "WRONG_ARGUMENTS", "a path"),
        ("SOURCE rows() HISTORY cvs('o') BEFORE 3 ORDERED BY t", "UNKNOWN_FUNCTION", "cvs"),
        (
            "SOURCE csv('n') HISTORY rows((1, 1)) BEFORE 3 ORDERED BY t",
            "UNSUPPORTED",
            "a history of rows cannot go on with csv",
        ),
        (
            "SOURCE rows((1, 1)) HISTORY csv('o') BEFORE 3 ORDERED BY t",
            "UNSUPPORTED",
            "a history of csv cannot go on with rows",
        ),
        (
            "USING rate HISTORY csv('o') BEFORE 3 ORDERED BY t",
            "UNSUPPORTED",
            "cannot go on with",
        ),
    ],
)
def test_what_is_refused(clauses: str, code: str, message: str) -> None:
    session = Session(engine="reference")
    with pytest.raises(ContinuaError, match=message) as raised:
        session.sql(f"{COLUMNS} {clauses}")
    assert raised.value.code == code
    assert raised.value.span is not None
    assert session.names() == []


def test_a_table_has_none() -> None:
    with pytest.raises(ContinuaError, match="an option of the table"):
        Session(engine="reference").sql(
            "CREATE TABLE r (a INT, t INT) SOURCE rows() HISTORY rows() BEFORE 3 VALID FROM t"
        )
