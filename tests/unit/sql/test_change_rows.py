"""What INSERT, UPDATE and DELETE AT a time do not take, and what a declaration of changes does not."""

from __future__ import annotations

import pytest

from continua import ContinuaError, Session

DECLARED = """
CREATE TABLE r (id INT, v STRING, n INT, PRIMARY KEY (id));
INSERT INTO r VALUES (1, 'a', 10), (2, 'b', 20) AT 5;
CREATE STREAM s (a INT, t INT) ORDERED BY t;
CREATE TABLE c (a INT, t INT, PRIMARY KEY (a)) CHANGES ORDERED BY t;
CREATE TABLE p (a INT, since INT) VALID FROM since;
CREATE TABLE x (a INT) SOURCE csv('x.csv');
CREATE TABLE y (a INT, valid_to INT);
CREATE TABLE z (a INT);
CREATE STREAM over_z AS SELECT a FROM z;
"""


@pytest.mark.parametrize(
    ("statement", "code", "message"),
    [
        ("UPDATE r SET n = 1", "SYNTAX", "UPDATE needs a time from which on it holds"),
        ("DELETE FROM r", "SYNTAX", "DELETE needs a time from which on it holds"),
        ("DELETE FROM r AT 'x'", "TYPE_MISMATCH", "AT: 'x' is not a BIGINT"),
        ("DELETE FROM r AT NULL", "TYPE_MISMATCH", "AT takes a time"),
        ("DELETE FROM r AT 9223372036854775807", "TYPE_MISMATCH", "AT takes a time"),
        ("DELETE FROM r WHERE AT 5", "SYNTAX", "expected an expression"),
        ("DELETE FROM r WHERE id = 1 AT 5 6", "SYNTAX", "expected the end of the statement"),
        ("UPDATE r SET n = AT 5", "SYNTAX", "expected an expression"),
        ("UPDATE r n = 1 AT 5", "SYNTAX", "expected SET"),
        ("UPDATE r SET n = 1, n = 2 AT 5", "DUPLICATE_NAME", "a column is set twice"),
        ("UPDATE r SET m = 1 AT 5", "UNKNOWN_COLUMN", "there is no column m to set"),
        ("UPDATE r SET valid_to = 9 AT 5", "UNKNOWN_COLUMN", "there is no column valid_to to set"),
        ("UPDATE r SET n = m AT 5", "UNKNOWN_COLUMN", "there is no column m"),
        ("UPDATE r SET n = 'x' AT 5", "TYPE_MISMATCH", "column n: 'x' is not an INT"),
        ("UPDATE r SET n = n / 0 AT 5", "EVALUATION", "division by zero"),
        ("UPDATE r SET n = 1 WHERE n AT 5", "TYPE_MISMATCH", "a condition must be BOOLEAN"),
        ("UPDATE r SET n = (SELECT 1) AT 5", "UNSUPPORTED", "a subquery in UPDATE or DELETE"),
        ("DELETE FROM r WHERE id IN (SELECT a FROM s) AT 5", "UNSUPPORTED", "a subquery"),
        ("UPDATE r SET id = 1 AT 6", "BAD_ROW", "r has a row of the key 1 already"),
        ("UPDATE r SET id = NULL AT 6", "BAD_ROW", "a row has NULL in its key"),
        ("INSERT INTO r VALUES (1, 'a', 1) AT 6", "BAD_ROW", "r has a row of the key 1 already"),
        ("INSERT INTO r VALUES (1, 'a', 1)", "BAD_ROW", "r has a row of the key 1 already"),
        ("INSERT INTO r VALUES (NULL, 'a', 1) AT 6", "BAD_ROW", "a row has NULL in its key"),
        ("INSERT INTO r VALUES (3, 'a') AT 6", "COLUMN_COUNT", "row 1 has 2 values for 3 columns"),
        ("INSERT INTO r VALUES (3, 'a', 'x') AT 6", "TYPE_MISMATCH", "row 1, column n"),
        ("UPDATE s SET a = 1 AT 5", "UNSUPPORTED", "s is a stream"),
        ("INSERT INTO s VALUES (1, 2) AT 5", "UNSUPPORTED", "its tuples bring their own time"),
        ("DELETE FROM c AT 4", "UNSUPPORTED", "c is made of a log of changes"),
        ("INSERT INTO c VALUES (1) AT 4", "UNSUPPORTED", "c is made of a log of changes"),
        ("DELETE FROM p AT 7", "TIME_ATTRIBUTE", "the rows of p have no end"),
        ("DELETE FROM x AT 5", "WRONG_ARGUMENTS", "x reads csv(…); its rows cannot be changed"),
        ("INSERT INTO y VALUES (1, 2) AT 4", "DUPLICATE_NAME", "y has a column valid_to"),
        ("INSERT INTO z VALUES (1) AT 4", "IN_USE", "the stream over_z is built on z"),
        ("DELETE FROM over_z AT 4", "WRONG_ARGUMENTS", "it has no rows to change"),
        ("DELETE FROM nothing AT 4", "UNKNOWN_STREAM", "nothing"),
        ("MERGE INTO r USING s", "UNSUPPORTED", "MERGE"),
    ],
)
def test_refused(statement: str, code: str, message: str) -> None:
    session = Session(engine="reference")
    session.sql(DECLARED)
    before = str(session.query("SELECT * FROM r").history())
    with pytest.raises(ContinuaError) as caught:
        session.sql(statement)
    assert caught.value.code == code
    assert message in caught.value.message
    assert caught.value.span is not None
    assert str(session.query("SELECT * FROM r").history()) == before


@pytest.mark.parametrize(
    ("declaration", "code", "message"),
    [
        ("TABLE b (id INT, t INT) CHANGES ORDERED BY t", "SYNTAX", "needs a PRIMARY KEY"),
        ("TABLE b (id INT, PRIMARY KEY (x))", "UNKNOWN_COLUMN", "the key's x is not among"),
        (
            "TABLE b (id INT, t INT, PRIMARY KEY (t)) CHANGES ORDERED BY t",
            "TIME_ATTRIBUTE",
            "t tells when or how a row changes",
        ),
        (
            "TABLE b (id INT, f INT, PRIMARY KEY (f)) VALID FROM f",
            "TIME_ATTRIBUTE",
            "f tells when or how a row changes",
        ),
        (
            "TABLE b (id INT PRIMARY KEY, t INT PRIMARY KEY)",
            "SYNTAX",
            "a table has one primary key",
        ),
        ("STREAM b (id INT PRIMARY KEY, t INT) ORDERED BY t", "SYNTAX", "a stream has no primary"),
        (
            "TABLE b (id INT PRIMARY KEY, t INT) CHANGES ORDERED BY t OPERATION x",
            "UNKNOWN_COLUMN",
            "the operation x is not among the columns",
        ),
        (
            "TABLE b (id INT PRIMARY KEY, o INT, t INT) CHANGES ORDERED BY t OPERATION o",
            "TYPE_MISMATCH",
            "the operation is a STRING, and o is INT",
        ),
        (
            "TABLE b (id INT PRIMARY KEY, t INT) CHANGES ORDERED BY t GRANULE 5",
            "SYNTAX",
            "expected an option of the table",
        ),
        (
            "TABLE b (id INT PRIMARY KEY, t INT) SLACK 5",
            "SYNTAX",
            "expected an option of the table",
        ),
        (
            "TABLE b (id INT PRIMARY KEY, t STRING) CHANGES ORDERED BY t",
            "TIME_ATTRIBUTE",
            "a time attribute is TIMESTAMP or an integer",
        ),
    ],
)
def test_refused_declarations(declaration: str, code: str, message: str) -> None:
    with pytest.raises(ContinuaError) as caught:
        Session(engine="reference").sql(f"CREATE {declaration}")
    assert caught.value.code == code
    assert message in caught.value.message


LOG = "(id INT, v STRING, op STRING, t INT, PRIMARY KEY (id))"


@pytest.mark.parametrize(
    ("columns", "history", "rows", "message", "left"),
    [
        (LOG, "CHANGES", "(1, 'a', 'u', 1)", "b at 1: an update of a row that is not there", 0),
        (LOG, "CHANGES", "(1, 'a', 'd', 1)", "b at 1: a delete of a row that is not there", 0),
        (
            LOG,
            "CHANGES",
            "(1, 'a', 'i', 1), (1, 'b', 'i', 2)",
            "b at 2: an insert of a row that is there already",
            1,
        ),
        (LOG, "CHANGES", "(NULL, 'a', 'i', 1)", "rows, row 1: the key id is NULL", 0),
        (LOG, "CHANGES", "(1, 'a', 'x', 1)", "'x' in column op is no operation", 0),
        (LOG, "CHANGES", "(1, 'a', NULL, 1)", "NULL in column op is no operation", 0),
        (LOG, "CHANGES", "(1, 'a', 'i', NULL)", "the time attribute t is NULL", 0),
        (
            "(id INT, f INT, t INT, PRIMARY KEY (id))",
            "VALID FROM f TO t",
            "(1, 5, 9), (1, 1, 6), (2, 1, 6), (1, 9, 12)",
            "rows, row 1: another row of the key 1 is valid at the same time",
            3,
        ),
        (
            "(id INT, PRIMARY KEY (id))",
            "",
            "(1), (2), (1)",
            "rows, row 3: another row of the key 1 is valid at the same time",
            2,
        ),
        ("(id INT, PRIMARY KEY (id))", "", "(1), (NULL)", "row 2: the key id is NULL", 1),
    ],
)
def test_bad_rows(columns: str, history: str, rows: str, message: str, left: int) -> None:
    """They are an error, or passed over."""
    session = Session(engine="reference")
    history = "CHANGES ORDERED BY t OPERATION op" if history == "CHANGES" else history
    text = f"CREATE OR REPLACE TABLE b {columns} SOURCE rows({rows}) {history}"
    session.sql(text)
    with pytest.raises(ContinuaError) as caught:
        session.query("SELECT * FROM b").history()
    assert caught.value.code == "BAD_ROW"
    assert message in caught.value.message
    session.sql(f"{text} ON ERROR DROP")
    assert len(list(session.query("SELECT * FROM b").history())) == left
