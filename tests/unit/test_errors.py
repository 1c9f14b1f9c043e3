"""What users see when something is wrong: every code, its place, its words and its hint."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pytest
from sqlglot import exp

from continua import ContinuaError, Query, Session
from continua.errors import (
    CODES,
    MISTAKE,
    NOT_YET,
    UNSUPPORTED,
    WIDTH,
    Source,
    Span,
    counted,
    nearest,
    with_article,
)
from continua.runtime.live.manifest import Counts
from continua.runtime.live.report import Progress
from continua.sql.parser import parse
from continua.sql.printer import print_statement

SETUP = """
CREATE STREAM bids (item INT, price DOUBLE, note STRING, time BIGINT)
SOURCE rows((1, 2.5, 'a', 1), (2, 3.5, 'b', 1), (3, 0, 'c', 2)) ORDERED BY time;
CREATE STREAM ticks (v INT, ts TIMESTAMP)
SOURCE rows((1, TIMESTAMP '2026-01-01 00:00:00')) ORDERED BY ts;
CREATE TABLE items (id INT, name STRING) SOURCE rows((1, 'lamp'), (2, 'chair'));
CREATE TABLE prices (id INT, amount INT, since BIGINT, till BIGINT)
SOURCE rows((1, 10, 1, 5)) VALID FROM since TO till;
CREATE SINK out USING csv OPTIONS (path 'out.csv');
CREATE STREAM dear AS SELECT item FROM bids WHERE price > 3
"""


class Case(NamedTuple):
    """Statements that fail; what is underlined; a part of the message, and of the hint if any."""

    sql: str
    code: str
    underlined: str | None
    message: str = ""
    hint: str | None = None


def unluckily(item: int) -> int:
    raise ValueError(f"no luck with {item}")


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Session:
    (tmp_path / "bids.csv").write_text("item,price,time\n1,2.5,1\n2,cheap,2\n")
    monkeypatch.chdir(tmp_path)
    session = Session(engine="reference")
    session.sql(SETUP)
    session.udf("unluckily", unluckily, "INT")
    session.udf("wordily", lambda item: "one", "INT")
    session.udaf("worst", unluckily, max, max, lambda p: p, "INT")
    return session


def run(session: Session, sql: str) -> None:
    """Runs the statements, and the query that is the last of them."""
    outcome = session.sql(sql)
    if isinstance(outcome, Query):
        outcome.history()


def failure(session: Session, sql: str) -> ContinuaError:
    with pytest.raises(ContinuaError) as caught:
        run(session, sql)
    return caught.value


CASES = [
    # The text is not a statement.
    Case("SELEC * FROM bids", "SYNTAX", "SELEC", "'SELEC'", "SELECT"),
    Case("INSERT INTO out SELEC item FROM bids", "SYNTAX", "SELEC", "a query", "SELECT"),
    Case("EXPLAIN item", "SYNTAX", "item", "a query"),
    Case("SELECT item FROM bids; garbage", "SYNTAX", "garbage", "garbage"),
    Case("SELECT * FROM bids WHERE", "SYNTAX", "WHERE", "missing after 'WHERE'"),
    Case("SELECT * FROM bids WHERE price >", "SYNTAX", ">", "missing"),
    Case("SELECT (1 FROM bids", "SYNTAX", "FROM", "expected )"),
    Case("SELECT 'abc FROM bids", "SYNTAX", "'", "never closed"),
    Case("SELECT item item2 item3 FROM bids", "SYNTAX", "item3", "not expected"),
    Case("SELECT * FROM bids )", "SYNTAX", ")", "')' is not expected"),
    Case("SELECT FROM bids", "SYNTAX", "SELECT FROM bids", "without columns", "SELECT *"),
    Case("SELECT item FROM bids ORDER BY 5", "SYNTAX", "5", "no output number 5"),
    Case("SELECT item FROM bids GROUP BY 7", "SYNTAX", "7", "no output number 7"),
    Case("SELECT item FROM bids ORDER BY item LIMIT 'a'", "SYNTAX", "'a'", "whole number"),
    Case("SELECT SUM(*) FROM bids", "SYNTAX", "SUM(*)", "SUM(*)"),
    Case("SELECT * FROM bids WINDOW(RANGE)", "SYNTAX", ")", "a duration", "10 SECONDS"),
    Case("SELECT * FROM bids WINDOW(RANG 5)", "SYNTAX", "RANG", "'RANG'", "RANGE"),
    Case("SELECT * FROM ticks WINDOW(RANGE 5 SECNDS)", "SYNTAX", "SECNDS", "SECNDS", "SECOND"),
    Case(
        "SELECT WINDOW(RANGE 5) FROM bids", "SYNTAX", "WINDOW(RANGE 5)", "follow a stream", "alias"
    ),
    Case("SELECT * FROM WINDOW(RANGE 5)", "SYNTAX", "WINDOW(RANGE 5)", "follow a stream"),
    Case("SHOW STREMS", "SYNTAX", "STREMS", "STREMS", "STREAMS"),
    Case("CREATE VIEW x AS SELECT 1", "SYNTAX", "VIEW", "VIEW", "STREAM"),
    Case(
        "CREATE STREAM x (a INTEGR, t INT)", "SYNTAX", "INTEGR", "INTEGR is not a type", "INTEGER"
    ),
    Case("CREATE STREAM x (a INT) ORDERD BY a", "SYNTAX", "ORDERD", "ORDERD", "ORDERED BY"),
    Case("INSERT INTO bids VALUES 1", "SYNTAX", "1", "row in brackets"),
    Case("SPREAD bids INTO a, b", "SYNTAX", "a, b", "1 stream into 2", "one output for each"),
    # Names.
    Case("SELECT * FROM bid", "UNKNOWN_STREAM", "bid", "named bid", "did you mean bids?"),
    Case("DESCRIBE bidz", "UNKNOWN_STREAM", "bidz", "bidz", "bids"),
    Case("INSERT INTO sunk SELECT * FROM bids", "UNKNOWN_STREAM", "sunk", "sunk", "known"),
    Case(
        "DROP TABLE bids", "UNKNOWN_STREAM", "bids", "is a stream, not a table", "DROP STREAM bids"
    ),
    Case("SELECT * FROM out", "UNKNOWN_STREAM", "out", "out is a sink"),
    Case("SELECT prise FROM bids", "UNKNOWN_COLUMN", "prise", "no column prise", "price"),
    Case("SELECT b.prise FROM bids b", "UNKNOWN_COLUMN", "b.prise", "prise in b", "price"),
    Case("SELECT c.price FROM bids b", "UNKNOWN_COLUMN", "c.price", "named c", "b"),
    Case("SELECT * FROM bids ORDER BY prce LIMIT 1", "UNKNOWN_COLUMN", "prce", "prce", "price"),
    Case("SELECT item FROM bids JOIN items ON item = idd", "UNKNOWN_COLUMN", "idd", "idd", "id"),
    Case("SELECT COUNT(*) FROM bids GROUP BY itemm", "UNKNOWN_COLUMN", "itemm", "itemm", "item"),
    Case("SELECT * FROM bids [PARTITION BY itm ROWS 1]", "UNKNOWN_COLUMN", "itm", "itm", "item"),
    Case("SPREAD bids ON itm INTO b2", "UNKNOWN_COLUMN", "itm", "itm", "item"),
    Case("SELECT time FROM dear", "UNKNOWN_COLUMN", "time", "time"),
    Case("SELECT ROUNDD(price) FROM bids", "UNKNOWN_FUNCTION", "ROUNDD(price)", "ROUNDD", "round"),
    Case(
        "CREATE STREAM x (a INT, t INT) SOURCE csvv('a.csv') ORDERED BY t",
        "UNKNOWN_FUNCTION",
        "SOURCE csvv('a.csv')",
        "csvv",
        "csv",
    ),
    Case(
        "SET unbounded_stat = 'allow'",
        "UNKNOWN_SETTING",
        "unbounded_stat",
        "stat",
        "unbounded_state",
    ),
    Case(
        "SET unbounded_state = 'maybe'",
        "UNKNOWN_SETTING",
        "SET unbounded_state = 'maybe'",
        "'maybe'",
        "allow",
    ),
    Case(
        "SET default_window = 'range'",
        "UNKNOWN_SETTING",
        "SET default_window = 'range'",
        "'range'",
        "'now', 'unbounded'",
    ),
    Case("SELECT item FROM bids a, bids b", "AMBIGUOUS_COLUMN", "item", "a or of b", "a.item"),
    Case(
        "SELECT price FROM bids, (SELECT price FROM bids)",
        "AMBIGUOUS_COLUMN",
        "price",
        "price",
        "bids.price",
    ),
    Case(
        "CREATE TABLE Bids (a INT)", "DUPLICATE_NAME", "Bids", "a stream named bids", "OR REPLACE"
    ),
    Case("CREATE STREAM x (a INT, b INT, A INT)", "DUPLICATE_NAME", "A", "two columns named A"),
    Case("WITH w AS (SELECT 1), w AS (SELECT 2) SELECT * FROM w", "DUPLICATE_NAME", "w", "w"),
    Case("DROP STREAM bids", "IN_USE", "bids", "dear is built on bids", "DROP STREAM dear"),
    Case("CREATE OR REPLACE STREAM bids (a INT)", "IN_USE", "bids", "dear", "DROP STREAM dear"),
    # Types, arguments, aggregates, columns.
    Case(
        "SELECT price + note FROM bids", "TYPE_MISMATCH", "price + note", "DOUBLE + STRING", "CAST"
    ),
    Case("SELECT item FROM bids WHERE price", "TYPE_MISMATCH", "price", "BOOLEAN"),
    Case(
        "SELECT item FROM bids WHERE note > 5",
        "TYPE_MISMATCH",
        "note > 5",
        "STRING with INT",
        "CAST",
    ),
    Case("SELECT SUM(note) FROM bids", "TYPE_MISMATCH", "SUM(note)", "numbers, not STRING"),
    Case("SELECT LENGTH(price) FROM bids", "TYPE_MISMATCH", "LENGTH(price)", "LENGTH takes STRING"),
    Case(
        "INSERT INTO items VALUES ('x', 'y')",
        "TYPE_MISMATCH",
        "INSERT INTO items VALUES ('x', 'y')",
        "column id",
    ),
    Case(
        "SELECT LENGTH(note, note) FROM bids",
        "WRONG_ARGUMENTS",
        "LENGTH(note, note)",
        "1 argument, not 2",
    ),
    Case("SELECT COUNT() FROM bids", "WRONG_ARGUMENTS", "COUNT", "COUNT needs an argument"),
    Case(
        "CREATE STREAM x (itemID INT, t TIMESTAMP) SOURCE auctions('Bidd') ORDERED BY t",
        "WRONG_ARGUMENTS",
        "SOURCE auctions('Bidd')",
        "'bidd'",
        "bid",
    ),
    Case(
        "CREATE STREAM x (itemID INT, timestamp TIMESTAMP)\n"
        "SOURCE auctions('Bid', event => 3) ORDERED BY timestamp",
        "WRONG_ARGUMENTS",
        "SOURCE auctions('Bid', event => 3)",
        "no option event",
        "events",
    ),
    Case(
        "CREATE TABLE x (a INT) SOURCE csv()", "WRONG_ARGUMENTS", "SOURCE csv()", "a path", "csv('"
    ),
    Case("CREATE SINK k USING parket", "WRONG_ARGUMENTS", "parket", "no format parket", "parquet"),
    Case(
        "INSERT INTO bids SELECT * FROM bids",
        "WRONG_ARGUMENTS",
        "bids",
        "not a sink",
        "CREATE SINK",
    ),
    Case("INSERT INTO dear VALUES (1)", "WRONG_ARGUMENTS", "dear", "dear takes no rows"),
    Case(
        "SELECT item FROM bids WHERE SUM(price) > 1",
        "AGGREGATE_MISUSE",
        "SUM(price)",
        "SUM",
        "HAVING",
    ),
    Case(
        "SELECT note, COUNT(*) FROM bids",
        "AGGREGATE_MISUSE",
        "note",
        "note",
        "add note to GROUP BY",
    ),
    Case(
        "SELECT note FROM bids GROUP BY item",
        "AGGREGATE_MISUSE",
        "note",
        "outside GROUP BY",
        "GROUP BY",
    ),
    Case(
        "SELECT SUM(COUNT(*)) FROM bids",
        "AGGREGATE_MISUSE",
        "COUNT(*)",
        "inside an aggregate",
        "subquery",
    ),
    Case(
        "SELECT COUNT(*) FROM bids GROUP BY MAX(price)",
        "AGGREGATE_MISUSE",
        "MAX(price)",
        "GROUP BY",
    ),
    Case("SELECT *, COUNT(*) FROM bids GROUP BY item", "AGGREGATE_MISUSE", "*", "*"),
    Case(
        "SELECT item FROM bids UNION ALL SELECT id, name FROM items",
        "COLUMN_COUNT",
        "item FROM bids UNION ALL SELECT id, name FROM items",
        "1 and 2 columns",
        "same number",
    ),
    Case(
        "SELECT item FROM bids WHERE item IN (SELECT id, name FROM items)",
        "COLUMN_COUNT",
        "id, name FROM items",
        "one column, this has 2",
    ),
    Case(
        "INSERT INTO items VALUES (1)",
        "COLUMN_COUNT",
        "INSERT INTO items VALUES (1)",
        "1 value for 2",
    ),
    Case(
        "WITH w (a, b) AS (SELECT 1) SELECT * FROM w", "COLUMN_COUNT", "w (a, b)", "2 names for 1"
    ),
    # Windows and time.
    Case(
        "SELECT * FROM items WINDOW(RANGE 5)",
        "NOT_A_STREAM",
        "WINDOW(RANGE 5)",
        "items is a table",
        "leave",
    ),
    Case("SELECT * FROM HOP(items, 1, 5)", "NOT_A_STREAM", "HOP(items, 1, 5)", "items is a table"),
    Case("SPREAD items INTO x", "NOT_A_STREAM", "items", "items"),
    # Batches.
    Case(
        "CREATE STREAM w AS SELECT * FROM bids [RANGE 5]; SPREAD w INTO x",
        "NOT_A_STREAM",
        "w",
        "w is a relation",
        "ISTREAM (SELECT * FROM w)",
    ),
    Case("CREATE GROUP g OF ticks, items SIMULTANEITY TUPLE", "NOT_A_STREAM", "items", "items"),
    Case("CREATE GROUP g OF ticks, dear SIMULTANEITY TUPLE", "NOT_A_STREAM", "dear", "dear"),
    Case("CREATE GROUP g OF bids", "SYNTAX", "s", "expected SIMULTANEITY"),
    Case("CREATE GROUP g OF bids SIMULTANEITY BATCH", "SYNTAX", "H", "BY", "BATCH BY a"),
    Case("CREATE GROUP g OF bids SIMULTANEITY ROW", "SYNTAX", "ROW", "'ROW'", "TUPLE"),
    Case("CREATE GROUP g OF ticks, ticks SIMULTANEITY TUPLE", "DUPLICATE_NAME", "ticks", "twice"),
    Case(
        "CREATE GROUP g OF ticks SIMULTANEITY BATCH BY ts",
        "UNKNOWN_COLUMN",
        "ts",
        "no column ts to order batches by",
    ),
    Case(
        "CREATE STREAM x (a INT, b INT, t INT) ORDERED BY t SIMULTANEITY BATCH BY b, c",
        "UNKNOWN_COLUMN",
        "c",
        "no column c to order batches by",
    ),
    Case(
        "CREATE STREAM x (a INT, t INT, u INT) ORDERED BY t UNTIL u SIMULTANEITY TUPLE",
        "TIME_ATTRIBUTE",
        "SIMULTANEITY TUPLE",
        "validity of their own",
        "UNTIL",
    ),
    Case("CREATE GROUP g OF bids SIMULTANEITY TUPLE", "IN_USE", "bids", "dear is built on bids"),
    Case(
        "CREATE GROUP g OF ticks SIMULTANEITY TUPLE; CREATE GROUP h OF ticks SIMULTANEITY TUPLE",
        "IN_USE",
        "ticks",
        "in the group g",
        "DROP GROUP g",
    ),
    Case(
        "CREATE GROUP g OF ticks SIMULTANEITY TUPLE; DROP STREAM ticks",
        "IN_USE",
        "ticks",
        "in the group g",
        "DROP GROUP g",
    ),
    Case(
        "CREATE GROUP g OF ticks SIMULTANEITY TUPLE; CREATE STREAM d AS SELECT v FROM ticks;"
        "DROP GROUP g",
        "IN_USE",
        "g",
        "d is built on ticks",
        "DROP STREAM d",
    ),
    Case(
        "CREATE STREAM x (a INT, t INT) ORDERED BY t SIMULTANEITY TUPLE;"
        "CREATE GROUP g OF x SIMULTANEITY TUPLE",
        "IN_USE",
        "x",
        "batches of its own",
        "SPREAD ALL",
    ),
    Case("CREATE GROUP g OF ticks SIMULTANEITY TUPLE; SELECT * FROM g", "UNKNOWN_STREAM", "g"),
    Case(
        "SPREAD bids INTO x; SELECT x.item FROM x [ROWS 1] x JOIN bids [ROWS 1] b ON TRUE",
        "GROUP_MISMATCH",
        "bids [ROWS 1] b",
        "different groups",
        "SPREAD ALL",
    ),
    Case(
        "SPREAD bids INTO x; SELECT item FROM x WHERE item IN (SELECT item FROM bids)",
        "GROUP_MISMATCH",
        "item IN (SELECT item FROM bids)",
        "different groups",
        "SPREAD ALL",
    ),
    Case(
        "SPREAD bids INTO x; SELECT item FROM x UNION ALL SELECT item FROM bids",
        "GROUP_MISMATCH",
        "item FROM x UNION ALL SELECT item FROM bids",
        "different groups",
        "SPREAD ALL",
    ),
    Case(
        "SPREAD bids INTO x; SPREAD dear, x INTO y, z",
        "GROUP_MISMATCH",
        "SPREAD dear, x INTO y, z",
        "different groups",
        "SPREAD ALL",
    ),
    Case(
        "CREATE STREAM x (item STRING, t INT) ORDERED BY t; SPREAD x, bids ON item INTO y, z",
        "TYPE_MISMATCH",
        "item",
        "STRING and INT",
        "CAST",
    ),
    Case("SELECT * FROM bids WINDOW(RANGE 0)", "WRONG_WINDOW", "0", "greater than 0"),
    Case(
        "SELECT * FROM bids [FROM 2*j-2 TO 2*j-1 ROWS EVERY 2 ROWS]",
        "WRONG_WINDOW",
        "[FROM 2*j-2 TO 2*j-1 ROWS EVERY 2 ROWS]",
        "before the first row",
    ),
    Case(
        "SELECT * FROM bids [RANGE INTERVAL 'NaN' SECOND]",
        "SYNTAX",
        "INTERVAL 'NaN' SECOND",
        "no length of time",
    ),
    Case(f"SELECT * FROM bids [ROWS {'9' * 5000}]", "SYNTAX", "9" * 5000, "too large"),
    Case(f"SELECT {'9' * 5000}", "TYPE_MISMATCH", "9" * 5000, "at most 38 digits"),
    Case("SELECT item FORM bids", "SYNTAX", "bids", "not expected", "FROM instead of FORM"),
    Case("SELECT item FROM bids WHER item > 1", "SYNTAX", "item", "not expected", "WHERE"),
    Case("SELECT 1e999", "TYPE_MISMATCH", "1e999", "out of range"),
    Case("SELECT * FROM bids q, bids q", "DUPLICATE_NAME", "bids q", "named q", "another alias"),
    Case("CREATE STREAM u (a INT) SOURCE using(1)", "UNKNOWN_FUNCTION", "SOURCE using(1)", "using"),
    Case("CREATE STREAM IF NOT EXISTS q (a INT)", "SYNTAX", "IF", "IF NOT EXISTS", "OR REPLACE"),
    Case("INSERT INTO items (a) VALUES (1)", "SYNTAX", "(", "list of columns", "every column"),
    Case("SELECT * FROM bids WINDOW(ROWS 0)", "WRONG_WINDOW", "0", "greater than 0"),
    Case("SELECT * FROM bids [RANGE 1.5]", "WRONG_WINDOW", "1.5", "whole number"),
    Case(
        "SELECT * FROM bids [RANGE 5 SECONDS]",
        "WRONG_WINDOW",
        "5 SECONDS",
        "no seconds",
        "bare number",
    ),
    Case(
        "SELECT * FROM TUMBLE(bids, 5, NULL)", "SYNTAX", "NULL", "expected a duration", "10 SECONDS"
    ),
    Case(
        "SELECT * FROM HOP(bids, 5, 10, price)",
        "SYNTAX",
        "price",
        "expected a duration",
        "10 SECONDS",
    ),
    Case(
        "SELECT * FROM TUMBLE(bids, 5, -INTERVAL '3' SECONDS)",
        "WRONG_WINDOW",
        "-INTERVAL '3' SECONDS",
        "no seconds",
        "as in -3",
    ),
    Case(
        "CREATE STREAM x (t INT, u INT) ORDERED BY t UNTIL u DEFAULT WINDOW UNBOUNDED",
        "WRONG_WINDOW",
        "DEFAULT WINDOW UNBOUNDED",
        "their own validity",
        "leave out",
    ),
    Case(
        "CREATE STREAM x (t INT) ORDERED BY t DEFAULT WINDOW RANGE 5",
        "SYNTAX",
        "RANGE",
        "expected UNBOUNDED",
        "SET default_window",
    ),
    Case("SELECT * FROM TUMBLE(bids, 5, 0.5)", "WRONG_WINDOW", "0.5", "whole number"),
    Case("SELECT * FROM TUMBLE(bids, 5, 1, 2)", "SYNTAX", ",", "expected )"),
    Case(
        "SELECT * FROM HOP(ticks, 1 HOUR, 1 DAY, -8)",
        "WRONG_WINDOW",
        "-8",
        "needs a unit",
        "-8 SECONDS",
    ),
    Case("SELECT * FROM TUMBLE(bids, -5)", "WRONG_WINDOW", "-5", "greater than 0"),
    Case("SELECT * FROM ticks [RANGE 5]", "WRONG_WINDOW", "5", "needs a unit", "5 SECONDS"),
    Case("SELECT * FROM ticks [RANGE 1 MONTH]", "WRONG_WINDOW", "MONTH", "month", "days"),
    Case(
        "SELECT * FROM bids WINDOW(FROM 10*j TO 10*j+1 ROWS EVERY 5 ROWS)",
        "WRONG_WINDOW",
        "WINDOW(FROM 10*j TO 10*j+1 ROWS EVERY 5 ROWS)",
        "runs ahead",
        "at most 5",
    ),
    Case(
        "SELECT * FROM bids WINDOW(FROM j+3 TO j+1 ROWS EVERY 1 ROWS)",
        "WRONG_WINDOW",
        "WINDOW(FROM j+3 TO j+1 ROWS EVERY 1 ROWS)",
        "beginning comes after its end",
    ),
    Case(
        "SELECT * FROM bids WINDOW(FROM -j TO 0 TIME EVERY 1 TIME)",
        "WRONG_WINDOW",
        "WINDOW(FROM -j TO 0 TIME EVERY 1 TIME)",
        "runs backwards",
        "grow with j",
    ),
    Case(
        "SELECT * FROM (SELECT v FROM ticks WINDOW(RANGE 1 HOUR)) d WINDOW(ROWS 5)",
        "NO_GRANULE",
        "WINDOW(ROWS 5)",
        "d is not a stream of instants",
        "GRANULE 1 SECOND",
    ),
    Case(
        "CREATE STREAM x (a INT, stamp INT) ORDERED BY stmp",
        "TIME_ATTRIBUTE",
        "stmp",
        "stmp",
        "stamp",
    ),
    Case("CREATE STREAM x (a STRING) ORDERED BY a", "TIME_ATTRIBUTE", "a", "a is STRING"),
    Case(
        "CREATE STREAM x (t INT, u TIMESTAMP) ORDERED BY t UNTIL u",
        "TIME_ATTRIBUTE",
        "u",
        "u TIMESTAMP",
    ),
    Case("CREATE STREAM x GRANULE 5 AS SELECT * FROM items", "TIME_ATTRIBUTE", "5", "tables only"),
    Case(
        "SELECT * FROM bids, ticks",
        "TIME_MISMATCH",
        "ticks",
        "integer time and of timestamps",
        "same kind",
    ),
    # Data.
    Case(
        "CREATE TABLE x (item INT) SOURCE csv('bid.csv'); SELECT * FROM x",
        "SOURCE_NOT_FOUND",
        "SOURCE csv('bid.csv')",
        "bid.csv",
        "did you mean bids.csv?",
    ),
    Case(
        "CREATE TABLE x (item INT) SOURCE csv('data/*.csv'); SELECT * FROM x",
        "SOURCE_NOT_FOUND",
        "SOURCE csv('data/*.csv')",
        "data/*.csv",
        "does not exist",
    ),
    Case(
        "CREATE TABLE x (item INT, price DOUBLE) SOURCE csv('bids.csv'); SELECT * FROM x",
        "BAD_ROW",
        "SOURCE csv('bids.csv')",
        "bids.csv, line 3: 'cheap' is not a DOUBLE in column price",
        "ON ERROR",
    ),
    Case(
        "CREATE STREAM x (a INT, t INT) SOURCE rows((1, NULL)) ORDERED BY t; SELECT * FROM x",
        "BAD_ROW",
        "SOURCE rows((1, NULL))",
        "time attribute t is NULL",
        "ON ERROR",
    ),
    Case(
        "CREATE TABLE x (item INT, prize DOUBLE) SOURCE csv('bids.csv'); SELECT * FROM x",
        "MISSING_COLUMN",
        "SOURCE csv('bids.csv')",
        "no column prize",
        "did you mean price?",
    ),
    # Values.
    Case(
        "SELECT price / (item - item) AS r FROM bids WHERE item = 1 / 0",
        "EVALUATION",
        "1 / 0",
        "division by zero",
        "NULLIF",
    ),
    Case(
        "SELECT item, MOD(item, 0) FROM bids",
        "EVALUATION",
        "MOD(item, 0)",
        "division by zero",
        "NULLIF",
    ),
    Case(
        "SELECT CAST(note AS INT) FROM bids", "EVALUATION", "note", "'a' is not an INT", "TRY_CAST"
    ),
    Case(
        "SELECT item + 2147483647 FROM bids", "EVALUATION", "item + 2147483647", "does not fit INT"
    ),
    Case("SELECT wordily(item) FROM bids", "EVALUATION", "wordily(item)", "'one' is not an INT"),
    Case(
        "SELECT name, (SELECT price FROM bids) FROM items",
        "TWO_ROWS",
        "price FROM bids",
        "more than one row at 1",
        "MAX",
    ),
    Case(
        "SELECT unluckily(item) FROM bids", "FUNCTION_FAILED", "unluckily(item)", "no luck with 1"
    ),
    Case("SELECT worst(item) FROM bids", "FUNCTION_FAILED", "worst(item)", "no luck with 1"),
    Case(
        "CREATE SINK k USING csv OPTIONS (path 'no/dir/out.csv');\nINSERT INTO k SELECT * FROM bids",
        "CANNOT_WRITE",
        "CREATE SINK k USING csv OPTIONS (path 'no/dir/out.csv')",
        "no/dir/out.csv",
    ),
    Case(
        "CREATE SINK k USING json; INSERT INTO k SELECT * FROM bids",
        "CANNOT_WRITE",
        "CREATE SINK k USING json",
        "k has no path",
        "OPTIONS (path",
    ),
    # Outside the language.
    Case(
        "SELECT SUM(price) OVER (PARTITION BY item) FROM bids",
        "UNSUPPORTED",
        "SUM(price) OVER (PARTITION BY item)",
        "OVER",
        "PARTITION BY … ROWS n",
    ),
    Case(
        "SELECT item FROM bids ORDER BY item LIMIT 5 OFFSET 2",
        "UNSUPPORTED",
        "2",
        "OFFSET",
        "LIMIT",
    ),
    Case("SELECT item FROM bids LIMIT 5", "UNSUPPORTED", "5", "LIMIT without ORDER BY", "top-k"),
    Case("SELECT * FROM a.bids", "UNSUPPORTED", "a.bids", "qualified name"),
    Case(
        "SELECT * FROM (SELECT item FROM bids ORDER BY item)",
        "UNSUPPORTED",
        "item FROM bids ORDER BY item",
        "ORDER BY without LIMIT",
        "top level",
    ),
    # Snapshots and parts of the history.
    Case(
        "SNAPSHOT OF SELECT item FROM bids AT 0",
        "OUTSIDE_HISTORY",
        "0",
        "history begins at 1, which is after 0",
        "nothing to look at",
    ),
    Case(
        "SNAPSHOT OF SELECT item FROM bids [RANGE 9] AT 3",
        "OUTSIDE_HISTORY",
        "3",
        "3 has not been reached: the progress is 2",
        "without AT",
    ),
    Case(
        "CREATE STREAM e (a INT, t INT) ORDERED BY t; SNAPSHOT OF SELECT a FROM e AT 1",
        "OUTSIDE_HISTORY",
        "1",
        "the streams have no rows",
    ),
    Case(
        "SNAPSHOT OF SELECT v FROM ticks AT 7",
        "TYPE_MISMATCH",
        "7",
        "the time of this query is a timestamp, not 7",
        "as in '2026-01-01 12:00'",
    ),
    Case(
        "SNAPSHOT OF SELECT item FROM bids AT '2026-01-01'",
        "TYPE_MISMATCH",
        "'2026-01-01'",
        "the time of this query is an integer",
        "as in 3",
    ),
    *(
        Case(
            f"SNAPSHOT OF SELECT item FROM bids AT {time}",
            "SYNTAX",
            underlined,
            "AT takes a time that is written down",
            "a number, or a text",
        )
        for time, underlined in [("time", "time"), ("1 + 1", "+"), ("NULL", "NULL"), ("(1)", "(")]
    ),
    Case("SNAPSHOT SELECT item FROM bids", "SYNTAX", "SNAPSHOT", "expected SNAPSHOT OF"),
    Case("SNAPSHOT OF bids AT 1", "SYNTAX", "bids", "expected a query"),
    Case(
        "SELECT * FROM (SNAPSHOT OF SELECT item FROM bids AT 1)",
        "SYNTAX",
        "SNAPSHOT",
        "SNAPSHOT OF begins a statement",
        "DURING [t1, t2)",
    ),
    Case(
        "SELECT item FROM bids DURING [5, 5)",
        "WRONG_WINDOW",
        "DURING [5, 5)",
        "the range is empty",
        "from t1 on, until just before t2",
    ),
    Case(
        "SELECT item FROM bids DURING [5, 3)",
        "WRONG_WINDOW",
        "DURING [5, 3)",
        "the range ends before it begins",
    ),
    Case(
        "SELECT item FROM bids DURING [1, 8]",
        "SYNTAX",
        "]",
        "a range of time ends with )",
        "until just before 8",
    ),
    Case("SELECT item FROM bids DURING [item, 8)", "SYNTAX", "item", "expected a literal value"),
    Case("SELECT item FROM bids DURING [NULL, 8)", "SYNTAX", "NULL", "expected a time"),
    Case("SELECT item FROM bids DURING [(1, 2), 8)", "SYNTAX", "(", "expected a time"),
    Case("SELECT item FROM bids DURING [1)", "SYNTAX", ")", "expected ,"),
    Case(
        "SELECT v FROM ticks DURING [0, '2026-01-01')",
        "TYPE_MISMATCH",
        "0",
        "the time of this query is a timestamp, not 0",
    ),
    Case(
        "SELECT id FROM items DURING [1, 8)",
        "NOT_A_STREAM",
        "DURING [1, 8)",
        "varies in time, and this is static",
    ),
    Case(
        "SELECT item FROM bids DURING [1, 8) ORDER BY item",
        "SYNTAX",
        "ORDER BY",
        "DURING ends a query",
        "into brackets",
    ),
    Case(
        "SELECT abs(item DURING [1, 8)) FROM bids",
        "SYNTAX",
        "DURING [1, 8)",
        "DURING stands after a query",
        "in brackets",
    ),
    # The time of the clock, and that of the instant.
    Case("SELECT CURRENT_DATE FROM bids", "UNSUPPORTED", "CURRENT_DATE", "clock", "NOW()"),
    *(
        Case(
            sql, "UNSUPPORTED", "now", "NOW() varies while a row is valid", "a condition by itself"
        )
        for sql in (
            "SELECT now() FROM bids [RANGE 5]",
            "SELECT now()",
            "SELECT name, now() FROM prices JOIN items ON prices.id = items.id",
            "SELECT item FROM bids [RANGE 5] WHERE time > now() OR item = 1",
            "SELECT item FROM bids [RANGE 5] WHERE NOT time > now()",
            "SELECT item FROM bids [RANGE 5] WHERE time <> now()",
            "SELECT item FROM bids [RANGE 5] WHERE time IN (now())",
            "SELECT item FROM bids [RANGE 5] WHERE time > 2 * now()",
            "SELECT item FROM bids [RANGE 5] WHERE price > 5 - now()",
            "SELECT item FROM bids [RANGE 5] GROUP BY item HAVING COUNT(*) > now() % 5",
            "SELECT item FROM bids [RANGE 5] WHERE (SELECT COUNT(*) FROM bids) < now() % 5",
        )
    ),
    Case(
        "SELECT item FROM bids [RANGE 5] WHERE time > NOW() - item",
        "UNSUPPORTED",
        "item",
        "NOW() is moved by constants only",
        "a + b > NOW()",
    ),
    Case(
        "SELECT item FROM bids [RANGE 5] WHERE time > NOW() - INTERVAL '1' SECOND",
        "TYPE_MISMATCH",
        "'1'",
        "NOW() is BIGINT here, and is moved by a whole number, not by INTERVAL",
        "NOW() - 10",
    ),
    Case(
        "SELECT v FROM ticks [RANGE 5 SECONDS] WHERE ts > NOW() - 10",
        "TYPE_MISMATCH",
        "10",
        "NOW() is TIMESTAMP here, and is moved by an interval, not by INT",
        "INTERVAL '10' SECOND",
    ),
    Case(
        "SELECT v FROM ticks [RANGE 5 SECONDS] WHERE v > NOW()",
        "TYPE_MISMATCH",
        "v > NOW",
        "cannot compare INT with TIMESTAMP",
    ),
    Case(
        "SELECT item FROM bids [RANGE 5] WHERE price > NOW()",
        "TYPE_MISMATCH",
        "price > NOW",
        "NOW() is BIGINT here, and price is DOUBLE",
        "CAST(… AS BIGINT)",
    ),
    Case(
        "SELECT item FROM bids [RANGE 5] WHERE time > NOW() - 9223372036854775807 - 9",
        "WRONG_WINDOW",
        "9223372036854775807",
        "a duration has at most",
    ),
    Case(
        "SELECT a.item FROM bids a JOIN bids b ON a.time > now()",
        "UNSUPPORTED",
        "now",
        "NOW() here",
        "fits into WHERE",
    ),
    Case("SELECT NOW(3) FROM bids", "WRONG_ARGUMENTS", "NOW(3)", "NOW() takes no arguments"),
    Case(
        "SELECT COUNT(*) FROM bids GROUP BY ROLLUP(item)", "UNSUPPORTED", "ROLLUP(item)", "ROLLUP"
    ),
    # Inside the language, not yet running.
    Case(
        "EXPLAIN COST SELECT item FROM bids",
        "NOT_YET",
        "EXPLAIN COST SELECT item FROM bids",
        "COST",
        "LOGICAL",
    ),
    Case(
        "CREATE TABLE x (a INT) USING kafka OPTIONS (subscribe 'a'); SELECT * FROM x",
        "UNSUPPORTED",
        "USING kafka OPTIONS (subscribe 'a')",
        "kafka",
        "spark",
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.code}: {case.sql[:60]}")
def test_error(session: Session, case: Case) -> None:
    error = failure(session, case.sql)
    assert error.code == case.code
    assert case.message in error.message
    assert error.span is not None, "an error has a place"
    assert error.span.text == case.underlined
    if case.hint is not None:
        assert case.hint in (error.hint or "no hint")


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.code}: {case.sql[:60]}")
def test_printed_form_shows_the_place_and_nothing_of_our_insides(
    session: Session, case: Case
) -> None:
    error = failure(session, case.sql)
    assert error.span is not None
    printed = str(error)
    first, *rest = printed.split("\n")
    assert first == f"error[{error.code}]: {error.message}"
    assert rest[0].endswith(f"--> <sql>:{error.span.line}:{error.span.column}")
    shown = case.sql.split("\n")[error.span.line - 1]
    marks = rest[3].split("| ", 1)[1]
    if len(shown) > WIDTH:
        shown, marked = shown[:WIDTH] + "…", WIDTH - error.span.column + 1
    else:
        marked = len(error.span.text)
    assert rest[2] == f"{error.span.line} | {shown}"
    assert marks == " " * (error.span.column - 1) + "^" * marked
    assert not re.search(r"Traceback|<class|object at 0x|sqlglot|continua\.|\bNone\b", printed)


# Every code but UNBOUNDED_STATE, which is a finding about a query and no failure on the reference.
# Those of live runs are met in tests/live.
LIVE = ("UNBOUNDED_STATE", "LATE_ROWS", "CHECKPOINT")


@pytest.mark.parametrize("code", [code for code in CODES if code not in LIVE])
def test_every_code_has_a_case(code: str) -> None:
    assert any(case.code == code for case in CASES)


def test_unbounded_state_is_found_and_the_window_underlined(session: Session) -> None:
    sql = "SELECT a.item FROM bids [UNBOUNDED] a JOIN bids [RANGE 5] b ON a.item = b.item"
    lines = session.sql(sql).explain().split("\n")
    at = next(i for i, line in enumerate(lines) if line.startswith("warning[UNBOUNDED_STATE]"))
    assert "join" in lines[at]
    assert lines[at + 3] == f"1 | {sql}"
    assert lines[at + 4] == "  | " + " " * sql.index("[UNBOUNDED]") + "^" * len("[UNBOUNDED]")
    assert "unbounded_state = 'allow'" in lines[at + 5]
    session.sql("SET unbounded_state = 'allow'")
    assert "UNBOUNDED_STATE" not in session.sql(sql).explain()


@pytest.mark.parametrize(
    ("sql", "kind"),
    [
        ("SELECT prise FROM bids", MISTAKE),
        ("SELECT item FROM bids LIMIT 5", UNSUPPORTED),
        ("EXPLAIN COST SELECT item FROM bids", NOT_YET),
    ],
)
def test_kind_tells_whose_turn_it_is(session: Session, sql: str, kind: str) -> None:
    assert failure(session, sql).kind == kind


# What the parser calls its nodes; a refused construct goes by the words its user wrote.
PARSER_WORDS = {name.upper() for name, value in vars(exp).items() if isinstance(value, type)}


@pytest.mark.parametrize("refused", ["note -> item", "?", ":param", "note[1]", "{'a': 1}"])
def test_words_of_the_parser_are_not_shown(session: Session, refused: str) -> None:
    error = failure(session, f"SELECT {refused} FROM bids")
    words = re.findall(r"\b[A-Z]{3,}\b", error.message)
    assert [word for word in words if word in PARSER_WORDS] == []
    assert error.span is not None, "an error has a place"


def test_a_long_line_is_cut_around_the_place() -> None:
    text = "SELECT " + "a" * 900_000 + " + prise + " + "b" * 900_000
    start = text.index("prise")
    error = ContinuaError("UNKNOWN_COLUMN", "no", Span(Source(text), start, start + 5))
    _, place, _, line, marks = str(error).split("\n")
    assert place == f" --> <sql>:1:{start + 1}"
    assert len(line) < 200
    assert line.startswith("1 | …a")
    assert line.endswith("b…")
    assert marks.index("^") == line.index("prise")
    assert marks.count("^") == 5


def test_a_line_that_is_just_short_enough_is_not_cut() -> None:
    for length in (WIDTH - 1, WIDTH, WIDTH + 1):
        text = "x" * length
        printed = str(ContinuaError("SYNTAX", "no", Span(Source(text), length - 1, length)))
        line, marks = printed.split("\n")[-2:]
        assert line == ("1 | " + "x" * length if length <= WIDTH else "1 | …" + "x" * WIDTH)
        assert marks == "  | " + " " * (len(line) - 5) + "^"


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT " + "x" * 900_000 + " FROM bids",
        "SELECT item FROM bids WHERE note = = '" + "x" * 900_000 + "'",
        "SHOW '" + "x" * 900_000 + "'",
        "x" * 900_000,
        "SELECT CAST('" + "x" * 900_000 + "' AS INT)",
        "SELECT item FROM bids WHERE " + " + ".join(["item"] * 10_000),
    ],
    ids=lambda sql: sql[:30],
)
def test_a_huge_statement_gives_a_short_message(session: Session, sql: str) -> None:
    with pytest.raises(ContinuaError) as caught:
        run(session, sql)
    assert len(str(caught.value)) < 3000


def deep(levels: int) -> dict[str, str]:
    """Queries that nest so many levels; each gives one row."""
    evenly = levels // 2 * 2
    return {
        "brackets": "SELECT " + "(" * levels + "1" + ")" * levels + " AS x",
        "sums": "SELECT " + "(" * (levels - 1) + "1" + " + 1)" * (levels - 1) + " AS x",
        "CASE": "SELECT "
        + "CASE WHEN 1 > 2 THEN 1 ELSE " * levels
        + "1"
        + " END" * levels
        + " AS x",
        "NOT": "SELECT " + "NOT " * evenly + "TRUE AS x",
        "signs": "SELECT " + "- " * evenly + "1 AS x",
        "functions": "SELECT " + "abs(" * levels + "1" + ")" * levels + " AS x",
        "casts": "SELECT " + "CAST(" * levels + "1" + " AS INT)" * levels + " AS x",
        "subqueries": "SELECT * FROM (" * levels + "SELECT 1 AS x" + ")" * levels,
        "conditions": "SELECT 1 AS x WHERE " + "(" * levels + "1 < 2" + " AND 1 < 3)" * levels,
    }


def long(parts: int) -> dict[str, str]:
    """Queries of so many parts side by side; each gives one row."""
    return {
        "AND": "SELECT 1 AS x WHERE " + " AND ".join(f"1 <> {n + 2}" for n in range(parts)),
        "OR": "SELECT 1 AS x WHERE " + " OR ".join(f"1 = {n}" for n in range(parts)),
        "both": "SELECT 1 AS x WHERE " + " AND ".join("(1 = 2 OR 1 = 1)" for _ in range(parts)),
        "+": "SELECT " + " + ".join(["1"] * parts) + " AS x",
        "||": "SELECT " + " || ".join(["'a'"] * parts) + " AS x",
        "IN": "SELECT 1 AS x WHERE 1 IN (" + ", ".join(map(str, range(parts))) + ")",
        "UNION": " UNION ".join(["SELECT 1 AS x"] * (parts // 4)),
        "HAVING": "SELECT 1 AS x GROUP BY 1 HAVING " + " AND ".join(["COUNT(*) = 1"] * parts),
    }


@pytest.mark.parametrize("query", [*deep(50).values(), *deep(199).values(), *long(400).values()])
def test_deep_and_long_queries_run(session: Session, query: str) -> None:
    (statement,) = parse(query)
    assert parse(print_statement(statement)) == [statement]
    found: Query = session.sql(query)
    assert found.explain()
    assert len(found.snapshot(at=0)) == 1


@pytest.mark.parametrize("query", [*deep(250).values(), *deep(20_000).values()])
def test_what_is_nested_too_deeply_is_refused_at_its_place(session: Session, query: str) -> None:
    error = failure(session, query)
    assert error.code == "UNSUPPORTED"
    assert error.message == "the statement is nested too deeply"
    assert error.span is not None
    assert error.span.start > 100
    assert error.hint


@pytest.mark.parametrize(
    ("refused", "named"),
    [
        ("ARRAY_AGG(item ORDER BY item)", "ORDER BY inside a function"),
        ("ARRAY_AGG(item)", "ARRAY_AGG gives an array"),
        ("FIRST(item)", "FIRST depends on an order"),
        ("percentile(item, 0.5)", "PERCENTILE is an aggregate"),
        ("named_struct('q', item)", "NAMED_STRUCT gives a value of several parts"),
        ("uuid()", "UUID does not give the same twice"),
        ("rand(3)", "RAND does not give the same twice"),
        ("item IN ((1, 2))", "a row in an expression"),
        ("percentile_cont(0.5) WITHIN GROUP (ORDER BY item)", "WITHIN GROUP"),
        ("SUM(item) IGNORE NULLS", "IGNORE NULLS"),
        ("note ILIKE 'a'", "ILIKE"),
        ("note LIKE 'a' ESCAPE '!'", "ESCAPE"),
        ("item & 1", "&"),
        ("note -> item", "note -> item"),
        ("abs(item) FILTER (WHERE TRUE)", "FILTER after something that is no aggregate"),
    ],
)
def test_a_refused_construct_is_named(session: Session, refused: str, named: str) -> None:
    error = failure(session, f"SELECT {refused} FROM bids")
    assert error.message.startswith(named)
    assert "\n" not in error.message


@pytest.mark.parametrize(
    ("clause", "named"),
    [
        ("bids TABLESAMPLE (10 PERCENT)", "TABLESAMPLE"),
        ("bids PIVOT (SUM(item) FOR note IN ('a'))", "PIVOT"),
        ("bids LATERAL VIEW explode(item) q", "LATERAL VIEW"),
        ("bids SORT BY item", "SORT BY"),
        ("bids WHERE COUNT(*) FILTER (WHERE TRUE) > 1", "the aggregate COUNT cannot stand here"),
        ("bids HAVING COUNT(*) FILTER (WHERE SUM(item) > 1) > 1", "an aggregate inside FILTER"),
    ],
)
def test_a_refused_clause_is_named(session: Session, clause: str, named: str) -> None:
    assert failure(session, f"SELECT 1 AS x FROM {clause}").message.startswith(named)


def test_spark_functions_are_elsewhere(session: Session) -> None:
    error = failure(session, "SELECT to_char(item, '999') FROM bids")
    assert error.message == "there is no function TO_CHAR"
    assert "engine='spark'" in (error.hint or "")


def test_articles_and_numbers() -> None:
    assert [with_article(type_) for type_ in ("INT", "BIGINT", "INTERVAL")] == [
        *("an INT", "a BIGINT", "an INTERVAL")
    ]
    assert [counted(number, "row") for number in (0, 1, 2)] == ["0 rows", "1 row", "2 rows"]


@pytest.mark.parametrize("number", [1, 2])
def test_progress_counts_rows(number: int) -> None:
    sources = {"s": Counts(rows=number)}
    said = str(Progress(3, 0, None, None, sources, {}, {"left": number}, {}, 0))
    rows = "1 row" if number == 1 else "2 rows"
    assert said == f"slab 3; s: {rows}; {rows} kept; 0.00 s"


def test_place_in_a_text_of_several_lines(session: Session) -> None:
    sql = "SELECT item\nFROM bids\nWHERE item = 1\n  AND prise > 5"
    assert str(failure(session, sql)) == (
        "error[UNKNOWN_COLUMN]: there is no column prise\n"
        " --> <sql>:4:7\n"
        "  |\n"
        "4 |   AND prise > 5\n"
        "  |       ^^^^^\n"
        "hint: did you mean price?"
    )


def test_fragment_of_several_lines_is_underlined_to_the_end_of_its_first(session: Session) -> None:
    error = failure(session, "SELECT item, price +\n  note\nFROM bids")
    assert error.span is not None
    assert error.span.text == "price +\n  note"
    assert str(error).split("\n")[3:5] == ["1 | SELECT item, price +", "  |              ^^^^^^^"]


def test_gutter_is_as_wide_as_the_number_of_the_line(session: Session) -> None:
    error = failure(session, "\n" * 11 + "SELECT prise FROM bids")
    assert str(error).split("\n")[1:5] == [
        "  --> <sql>:12:8",
        "   |",
        "12 | SELECT prise FROM bids",
        "   |        ^^^^^",
    ]


def test_tabs_keep_their_width_and_letters_count_once(session: Session) -> None:
    error = failure(session, "SELECT item FROM bids WHERE\n\tnote = 'grün' AND prise > 5")
    assert str(error).split("\n")[3:5] == [
        "2 | \tnote = 'grün' AND prise > 5",
        "  | \t                  ^^^^^",
    ]


def test_comments_do_not_move_the_place(session: Session) -> None:
    error = failure(session, "-- the dear ones\nSELECT item /* all */, prise -- sic\nFROM bids")
    assert error.span is not None
    assert (error.span.line, error.span.column, error.span.text) == (2, 24, "prise")


def test_place_after_window_clauses_and_streamers(session: Session) -> None:
    sql = (
        "SELECT * FROM ISTREAM (SELECT item FROM bids WINDOW(RANGE 5) b) s [ROWS 5] WHERE s.itm > 1"
    )
    error = failure(session, sql)
    assert error.code == "UNKNOWN_COLUMN"
    assert error.span is not None
    assert error.span.text == "s.itm"
    assert error.span.column == sql.index("s.itm") + 1


def test_second_statement_fails_and_the_first_has_run(session: Session) -> None:
    error = failure(session, "CREATE STREAM cheap AS SELECT item FROM bids;\nSELECT itm FROM cheap")
    assert error.span is not None
    assert error.span.line == 2
    assert "cheap" in session.names()


def test_a_text_goes_by_its_name(session: Session) -> None:
    with pytest.raises(ContinuaError) as caught:
        list(session.execute("SELECT prise FROM bids", "queries.sql"))
    assert "--> queries.sql:1:8" in str(caught.value)


def test_error_of_a_derived_stream_points_to_its_definition(session: Session) -> None:
    session.sql("CREATE STREAM shares AS\nSELECT 1 / (item - 1) AS share FROM bids")
    error = failure(session, "SELECT share FROM shares")
    assert error.code == "EVALUATION"
    assert error.span is not None
    assert error.span.line == 2
    assert error.span.text.startswith("1 / (item - 1")


def test_time_of_a_snapshot_that_does_not_fit(session: Session) -> None:
    with pytest.raises(ContinuaError) as caught:
        session.sql("SELECT item FROM bids").snapshot(at="yesterday")
    assert caught.value.code == "TYPE_MISMATCH"
    assert "yesterday" in caught.value.message


def test_unknown_engine_and_type() -> None:
    with pytest.raises(ContinuaError, match="no engine referenc") as caught:
        Session(engine="referenc")
    assert "reference" in (caught.value.hint or "")
    with pytest.raises(ContinuaError, match="INTEGR is not a type") as caught:
        Session(engine="reference").udf("f", unluckily, "INTEGR")
    assert "INTEGER" in (caught.value.hint or "")


def test_error_keeps_the_place_it_has() -> None:
    source = Source("SELECT a")
    here, there = Span(source, 0, 6), Span(source, 7, 8)
    placed = ContinuaError("SYNTAX", "no", hint="yes").at(here)
    assert (placed.span, placed.hint) == (here, "yes")
    assert placed.at(there).span == here
    assert here.to(there).text == "SELECT a"


def test_codes_are_explained() -> None:
    assert {kind for kind, _ in CODES.values()} == {MISTAKE, UNSUPPORTED, NOT_YET}
    assert all(words for _, words in CODES.values())
    with pytest.raises(AssertionError):
        ContinuaError("NO_SUCH_CODE", "no")


def test_nearest_name() -> None:
    assert nearest("PRISE", ["item", "Price"]) == "Price"
    assert nearest("prise", ["item", "note"]) is None
