"""Sessions on Spark: what users see of results, of their own Spark, and of their mistakes."""

import gzip
import os
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from continua import ContinuaError, Session

pytestmark = [pytest.mark.spark, pytest.mark.core]

BIDS = """
CREATE STREAM bids (item INT, price BIGINT, at TIMESTAMP)
SOURCE rows((7, 10, '2026-01-01 00:00:01'), (8, 5, '2026-01-01 00:00:03'),
            (7, 12, '2026-01-01 00:00:04'), (NULL, 0, '2026-01-01 00:00:04')) ORDERED BY at
"""


@pytest.fixture
def session(sessions: Callable[[], Session]) -> Session:
    session = sessions()
    session.sql(BIDS)
    return session


def both(session: Session, text: str) -> tuple[object, object]:
    """The history of a query on Spark and on the reference."""
    reference = Session(engine="reference")
    reference.sql(BIDS)
    return list(session.sql(text).history()), list(reference.sql(text).history())


@pytest.mark.parametrize(
    "text",
    [
        "SELECT item, MAX(price) AS best FROM bids WINDOW(RANGE 2 SECONDS) GROUP BY item",
        "SELECT x.item, y.price FROM bids WINDOW(RANGE 9 SECONDS) x JOIN bids y ON x.item = y.item",
        "SELECT * FROM bids WINDOW(ROWS 2)",
        "SELECT item FROM bids WINDOW(RANGE 1 SECOND) EXCEPT SELECT item FROM bids WHERE price > 5",
        "SELECT price, at FROM bids ORDER BY price DESC",
    ],
)
def test_history_is_the_same_row_by_row(session: Session, text: str) -> None:
    ours, theirs = both(session, text)
    assert ours == theirs


def test_snapshot_at_a_time_and_at_the_last(session: Session) -> None:
    query = session.sql("SELECT item, price FROM bids WINDOW(RANGE 2 SECONDS)")
    assert list(query.snapshot("2026-01-01 00:00:03")) == [(8, 5)]
    assert list(query.snapshot()) == [(None, 0), (7, 12), (8, 5)]


def test_zero_rows(session: Session, spark: SparkSession) -> None:
    empty = spark.createDataFrame([], "a INT, t INT")
    session.from_dataframe("empty", empty, time="t")
    for text in (
        "SELECT a FROM empty WINDOW(RANGE 2)",
        "SELECT a, COUNT(*) AS n FROM empty WINDOW(RANGE 2) GROUP BY a",
        "SELECT x.a FROM empty WINDOW(ROWS 2) x JOIN empty y ON x.a = y.a",
    ):
        assert list(session.sql(text).history()) == []
        assert list(session.sql(text).snapshot()) == []
        assert session.sql(text).to_spark().count() == 0
    assert list(session.sql("SELECT (SELECT COUNT(*) FROM empty) AS n").history()) == [
        (0, None, None)
    ]


def test_skewed_and_empty_partitions(session: Session, spark: SparkSession) -> None:
    """A thousand rows on one key and one partition of eight; the counts are the same."""
    frame = spark.range(1000).selectExpr("0 AS k", "CAST(id AS INT) AS t").coalesce(1)
    session.from_dataframe("skewed", frame.union(frame.limit(0).repartition(7)), time="t")
    query = session.sql("SELECT k, COUNT(*) AS n FROM skewed WINDOW(RANGE 10) GROUP BY k")
    rows = list(query.history())
    assert rows[9] == (0, 10, 9, 1000)
    assert len(rows) == 19


def test_a_users_session_stays_as_it_is(spark: SparkSession) -> None:
    theirs = spark.newSession()
    theirs.conf.set("spark.sql.session.timeZone", "America/New_York")
    theirs.conf.set("spark.sql.ansi.enabled", "false")
    before = {row.key: row.value for row in theirs.sql("SET").collect()}
    session = Session(spark=theirs)
    session.sql(BIDS)
    session.udf("double", lambda a: None if a is None else 2 * a, "BIGINT")
    rows = list(session.sql("SELECT double(price) AS d, HOUR(at) AS h FROM bids").history())
    assert [row[:2] for row in rows] == [(20, 0), (10, 0), (0, 0), (24, 0)]
    assert {row.key: row.value for row in theirs.sql("SET").collect()} == before
    assert theirs.catalog.listTables() == []
    assert not theirs.catalog.functionExists("double_it")


def test_dataframes_in_and_out(session: Session, spark: SparkSession) -> None:
    theirs = spark.newSession()
    theirs.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
    frame = theirs.sql(
        "SELECT 1 AS a, CAST(2.5 AS DECIMAL(5,2)) AS d, TIMESTAMP '2026-01-01 09:00:00' AS at"
    )
    session.from_dataframe("given", frame, time="at")
    result = session.sql("SELECT a, d, at FROM given WINDOW(RANGE 1 SECOND)")
    ((a, d, at, start, end),) = result.history()
    assert (a, d, str(at)) == (1, Decimal("2.50"), "2026-01-01 00:00:00")
    assert (str(start), str(end)) == ("2026-01-01 00:00:00", "2026-01-01 00:00:01")
    back = result.to_spark()
    assert back.columns == ["a", "d", "at", "valid_from", "valid_to"]
    assert back.where("valid_to = valid_from + INTERVAL 1 SECOND").count() == 1


def test_a_dataframe_without_times_is_refused(session: Session, spark: SparkSession) -> None:
    frame = spark.sql("SELECT 1 AS a, CAST(NULL AS INT) AS t")
    session.from_dataframe("late", frame, time="t")
    with pytest.raises(ContinuaError, match="t is NULL") as caught:
        session.sql("SELECT a FROM late").history()
    assert caught.value.code == "BAD_ROW"
    with pytest.raises(ContinuaError, match="ARRAY") as caught:
        session.from_dataframe("nested", spark.sql("SELECT array(1) AS a"))
    assert "drop" in (caught.value.hint or "")


MISTAKES = [
    ("SELECT item / (price - 5) AS x FROM bids", "EVALUATION", "division by zero", "NULLIF"),
    ("SELECT price * 9223372036854775807 AS x FROM bids", "EVALUATION", "out of range", "wider"),
    ("SELECT CAST('x' || item AS INT) AS x FROM bids", "EVALUATION", "not an INT", "TRY_CAST"),
    ("SELECT CAST(price + 1000 AS TINYINT) AS x FROM bids", "EVALUATION", "TINYINT", "TRY_CAST"),
    (
        "SELECT fails(item, price) AS x FROM bids",
        "FUNCTION_FAILED",
        "raised ValueError: no such item",
        None,
    ),
    ("SELECT wrong(item) AS x FROM bids", "EVALUATION", "'no' is not an INT", None),
    ("SELECT levenstein('a', 'b') AS x", "UNKNOWN_FUNCTION", "no function LEVENSTEIN", None),
    (
        "SELECT levenshtein(item) AS x FROM bids",
        "WRONG_ARGUMENTS",
        "LEVENSHTEIN takes 2 or 3 arguments, not 1",
        None,
    ),
    ("SELECT rand() AS x FROM bids", "UNSUPPORTED", "not give the same twice", "with the data"),
    ("SELECT current_user() AS x", "UNSUPPORTED", "CURRENT_USER asks for more", "with the data"),
    ("SELECT sequence(1, price) AS x FROM bids", "UNSUPPORTED", "ARRAY", "parts"),
    ("SELECT corr(item, price) AS x FROM bids", "UNSUPPORTED", "CORR is an aggregate", "udaf"),
    ("SELECT to_char(item, '9X') AS x FROM bids", "TYPE_MISMATCH", "format is invalid", None),
    ("SELECT leaves(item) AS x FROM bids", "FUNCTION_FAILED", "raised SystemExit: 3", None),
    ("SELECT item + 'x' AS x FROM bids", "TYPE_MISMATCH", "", None),
    (
        "SELECT (SELECT price FROM bids WINDOW(RANGE 9 SECONDS)) AS x",
        "TWO_ROWS",
        "more than one row at 2026-01-01 00:00:03",
        "aggregate",
    ),
]


@pytest.mark.parametrize(("text", "code", "message", "hint"), MISTAKES, ids=lambda x: str(x)[:40])
def test_mistakes(
    session: Session,
    capfd: pytest.CaptureFixture[str],
    text: str,
    code: str,
    message: str,
    hint: str | None,
) -> None:
    def fails(item: int, price: int) -> int:
        raise ValueError("no such item")

    session.udf("fails", fails, "INT")
    session.udf("leaves", lambda item: sys.exit(3), "INT")
    session.udf("wrong", lambda item: "no", "INT")
    with pytest.raises(ContinuaError) as caught:
        session.sql(text).history()
    error = caught.value
    assert (error.code, error.span is None) == (code, False)
    assert message in error.message
    assert hint is None or hint in (error.hint or "")
    assert "Exception" not in str(error).replace("ValueError", "")
    logged = capfd.readouterr().err
    assert "\tat " not in logged
    assert "stacktrace" not in logged  # of PySpark, as JSON


def test_a_function_that_ends_its_worker(session: Session) -> None:
    session.udf("ends", lambda item: os._exit(7), "INT")
    with pytest.raises(ContinuaError, match="ended the Python worker") as caught:
        session.sql("SELECT ends(item) AS x FROM bids").history()
    assert caught.value.code == "FUNCTION_FAILED"
    assert "os._exit" in (caught.value.hint or "")


CONDITIONS = [
    "(" * 199 + "1 < 2" + " AND 1 < 3)" * 199,
    " AND ".join(f"1 <> {n + 2}" for n in range(400)),
    " || ".join(["'a'"] * 400) + " <> 'a'",
    "NOT " * 50 + "CASE WHEN 1 > 2 THEN FALSE ELSE " * 50 + "TRUE" + " END" * 50,
]


@pytest.mark.parametrize("condition", CONDITIONS, ids=lambda condition: condition[:20])
def test_deep_and_long_conditions(session: Session, condition: str) -> None:
    assert list(session.sql(f"SELECT 1 AS x WHERE {condition}").snapshot(at=0)) == [(1,)]


def test_literals_tell_the_type_of_a_function_of_spark(session: Session) -> None:
    query = session.sql("SELECT to_number('12', '99') AS n, to_char(7, '000') AS c")
    assert [str(type_) for type_ in query.schema.types] == ["DECIMAL(2,0)", "STRING"]
    assert [row[:2] for row in query.history()] == [(Decimal(12), "007")]


def test_functions_of_spark_are_typed_by_spark(session: Session) -> None:
    query = session.sql("SELECT levenshtein(CAST(item AS STRING), 'x') AS d, pi() AS p FROM bids")
    assert [str(type_) for type_ in query.schema.types] == ["INT", "DOUBLE"]
    assert [row[0] for row in query.history()] == [1, 1, None, 1]


def test_floating_sums_forget_what_has_expired(session: Session) -> None:
    session.sql(
        "CREATE STREAM f (x DOUBLE, t INT) "
        "SOURCE rows((1e16, 1), (0.1, 2), (0.2, 3), (0.3, 4)) ORDERED BY t"
    )
    query = session.sql("SELECT SUM(x) AS s, AVG(x) AS a FROM f WINDOW(RANGE 3)")
    rows = {start: (s, a) for s, a, start, _ in query.history()}
    assert rows[4] == (pytest.approx(0.6, rel=1e-15), pytest.approx(0.2, rel=1e-15))


@pytest.mark.parametrize("partitions", [1, 7])
def test_counts_and_sums_do_not_depend_on_partitions(
    session: Session, spark: SparkSession, partitions: int
) -> None:
    frame = spark.range(0, 200_000, 1, partitions).selectExpr(
        "id % 1000 AS t", "CAST(id AS DECIMAL(20,2)) / 100 AS d", "id AS n"
    )
    session.from_dataframe("many", frame, time="t")
    query = session.sql("SELECT COUNT(*) AS c, SUM(n) AS s, SUM(d) AS d FROM many WINDOW(RANGE 1)")
    total = query.to_spark(canonical=False).selectExpr("sum(c)", "sum(s)", "sum(d)").head()
    assert tuple(total) == (200_000, 19_999_900_000, Decimal("199999000.000000"))


def test_the_plan_shows_operators_and_sweep_areas(session: Session) -> None:
    text = "SELECT x.item FROM bids WINDOW(RANGE 2 SECONDS) x JOIN bids {}y ON x.item = y.item"
    relation = text.format("WINDOW(RANGE 1 SECOND) ")
    for query, coalesced in ((relation, True), (text.format(""), False)):
        physical = str(session.sql(f"EXPLAIN PHYSICAL {query}"))
        assert "SweepArea left: by end" in physical
        assert ("coalesce → changes" in physical) == coalesced
    text = relation
    assert "Physical Plan" in str(session.sql(f"EXPLAIN SPARK {text}"))


def test_a_row_arrives_once(session: Session, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("v\n1\n2\n")
    session.sql(f"CREATE STREAM arriving (v INT) SOURCE csv('{tmp_path}/a.csv')")
    query = "SELECT v FROM arriving WINDOW(RANGE UNBOUNDED)"
    assert list(session.sql(query).history()) == list(session.sql(query).history())


def test_the_subquery_with_two_rows_is_the_one_named(session: Session) -> None:
    bad = "(SELECT price FROM bids WINDOW(RANGE 9 SECONDS))"
    good = "(SELECT MAX(price) FROM bids)"
    for text in (f"SELECT {bad} AS x, {good} AS y", f"SELECT {good} AS y, {bad} AS x"):
        with pytest.raises(ContinuaError, match="more than one row") as caught:
            session.sql(text).history()
        assert caught.value.span is not None
        assert caught.value.span.text == "price FROM bids"


def test_bad_rows_of_a_format_are_counted_and_kept(session: Session, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("t,a\n1,2\n2,x\n,3\n")
    options = f"OPTIONS (path '{tmp_path}', header 'true') ORDERED BY t"
    for policy, kept in (("DROP", []), ("KEEP", ['{"a":"3"}', '{"a":"x","t":"2"}'])):
        declared = f"CREATE OR REPLACE STREAM s (a INT, t INT) USING csv {options}"
        session.sql(f"{declared} ON ERROR {policy}")
        assert list(session.sql("SELECT a FROM s").history()) == [(2, 1)]
        assert session.rejected_counts() == {"s": 2}
        assert sorted(row[2] for row in session.rejected("s")) == kept


def test_queries_leave_no_views_behind(sessions: Callable[[], Session]) -> None:
    session = sessions()
    before = {table.name for table in session.spark.catalog.listTables()}
    session.sql("CREATE STREAM s (v INT, t INT) SOURCE rows((1, 1), (2, 2)) ORDERED BY t")
    query = session.sql("SELECT SUM(v) AS n FROM s WINDOW(RANGE 5)")
    query.history()
    query.snapshot(at=2)
    query.explain("SPARK")
    frame = query.to_spark()
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: len(session.sql("SELECT v FROM s").history()), range(8)))
    assert found == [2] * 8
    assert {table.name for table in session.spark.catalog.listTables()} == before
    assert frame.count() == 3, "what has been planned does not need them"


def test_a_damaged_file_is_named(sessions: Callable[[], Session], tmp_path: Path) -> None:
    """Spark meets it in the middle of a query."""
    lines = "".join(f"{t},{t * 7919 % 10007}\n" for t in range(50_000))
    whole = gzip.compress(f"t,a\n{lines}".encode())
    (tmp_path / "a.csv.gz").write_bytes(whole[: len(whole) // 2])
    for policy in ("FAIL", "DROP"):
        session = sessions()
        session.sql(
            f"CREATE STREAM s (t INT, a INT) SOURCE csv('{tmp_path}') ORDERED BY t"
            f" ON ERROR {policy}"
        )
        with pytest.raises(ContinuaError, match=r"a\.csv\.gz cannot be decompressed"):
            session.sql("SELECT COUNT(*) AS n FROM s WINDOW(RANGE 1)").history()
