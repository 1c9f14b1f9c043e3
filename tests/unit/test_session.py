"""The session: statements, functions, sinks, results."""

import json
from datetime import datetime
from pathlib import Path

import pyarrow.parquet as parquet
import pytest

import continua


@pytest.fixture
def session() -> continua.Session:
    session = continua.Session(engine="reference")
    session.sql("""
        CREATE STREAM s (k INT, v INT, t INT) SOURCE rows((1, 10, 1), (2, 20, 3), (1, 30, 4))
        ORDERED BY t
    """)
    return session


def test_a_query_has_schema_history_and_snapshots(session: continua.Session) -> None:
    query = session.sql("SELECT k, SUM(v) AS total FROM s WINDOW(RANGE 3) GROUP BY k")
    assert query.schema.names == ("k", "total")
    assert list(map(str, query.schema.types)) == ["INT", "BIGINT"]
    assert list(query.history()) == [(1, 10, 1, 4), (2, 20, 3, 6), (1, 30, 4, 7)]
    assert query.history().columns == ("k", "total", "valid_from", "valid_to")
    assert list(query.snapshot(at=3)) == [(1, 10), (2, 20)]
    assert list(query.snapshot(at=99)) == []
    assert list(query.snapshot()) == [(1, 30), (2, 20)]


def test_query_gives_the_query_that_a_text_ends_with(session: continua.Session) -> None:
    query = session.query("CREATE STREAM d AS SELECT v FROM s; SELECT v FROM d")
    assert list(query.snapshot(at=3)) == [(20,)]


@pytest.mark.parametrize(
    "text", ["", "DROP STREAM s", "SELECT v FROM s; DROP STREAM s", "SHOW TABLES"]
)
def test_query_runs_nothing_of_a_text_that_ends_otherwise(
    session: continua.Session, text: str
) -> None:
    with pytest.raises(continua.ContinuaError, match="does not end with a query") as caught:
        session.query(text)
    assert caught.value.code == "WRONG_ARGUMENTS"
    assert session.names() == ["s"]


def test_unbounded_ends_are_null(session: continua.Session) -> None:
    assert list(session.sql("SELECT v FROM s [UNBOUNDED] WHERE k = 2").history()) == [(20, 3, None)]
    assert list(session.sql("SELECT 1 AS one").history()) == [(1, None, None)]


def test_timestamps_come_back_in_their_units() -> None:
    session = continua.Session(engine="reference")
    session.sql("""
        CREATE STREAM s (v INT, ts TIMESTAMP)
        SOURCE rows((1, '2026-01-01 12:00:00'), (2, '2026-01-01T12:00:01+01:00')) ORDERED BY ts
    """)
    history = session.sql("SELECT v, ts FROM s WINDOW(RANGE 1 HOUR)").history()
    assert list(history) == [
        (
            2,
            datetime(2026, 1, 1, 11, 0, 1),
            datetime(2026, 1, 1, 11, 0, 1),
            datetime(2026, 1, 1, 12, 0, 1),
        ),
        (1, datetime(2026, 1, 1, 12), datetime(2026, 1, 1, 12), datetime(2026, 1, 1, 13)),
    ]
    at = session.sql("SELECT v FROM s WINDOW(RANGE 1 HOUR)").snapshot(at="2026-01-01 12:00:00")
    assert list(at) == [(1,), (2,)]


def test_the_time_of_a_snapshot_must_fit(session: continua.Session) -> None:
    with pytest.raises(continua.ContinuaError, match="is an integer") as caught:
        session.sql("SELECT * FROM s").snapshot(at="2026-01-01")
    assert caught.value.code == "TYPE_MISMATCH"


def test_order_by_sorts_for_display(session: continua.Session) -> None:
    query = session.sql("SELECT v FROM s [UNBOUNDED] ORDER BY v DESC")
    assert [row[0] for row in query.history()] == [30, 20, 10]
    assert list(query.snapshot(at=9)) == [(30,), (20,), (10,)]


def test_several_statements_give_what_the_last_one_gives(session: continua.Session) -> None:
    assert session.sql("CREATE STREAM d AS SELECT v FROM s; SELECT * FROM d").schema.names == ("v",)
    assert session.sql("SET unbounded_state = 'allow'") is None


def test_inserted_rows_are_seen_by_later_queries(session: continua.Session) -> None:
    session.sql("CREATE TABLE names (k INT, name STRING)")
    query = "SELECT name FROM s JOIN names USING (k)"
    assert list(session.sql(query).history()) == []
    session.sql("INSERT INTO names VALUES (1, 'one'), (2, 'two')")
    assert [row[0] for row in session.sql(query).history()] == ["one", "two", "one"]


def test_a_derived_stream_keeps_its_meaning_when_its_base_gets_rows(
    session: continua.Session,
) -> None:
    session.sql("CREATE STREAM d AS SELECT k FROM s; INSERT INTO s VALUES (7, 70, 9)")
    assert (7, 9) in list(session.sql("SELECT * FROM d").history())


def test_a_stream_without_time_attribute_is_stamped_once() -> None:
    session = continua.Session(engine="reference")
    session.sql("CREATE STREAM s (v INT) SOURCE rows((1), (2))")
    first = list(session.sql("SELECT * FROM s").history())
    assert [row[0] for row in first] == [1, 2]
    assert isinstance(first[0][1], datetime)
    session.sql("INSERT INTO s VALUES (3)")
    later = list(session.sql("SELECT * FROM s").history())
    assert later[:2] == first
    assert later[2][0] == 3
    assert later[2][1] > first[1][1]


def test_a_python_function_gets_and_gives_nulls(session: continua.Session) -> None:
    session.udf("halve", lambda v: None if v == 20 else v / 2, "DOUBLE")
    assert [row[0] for row in session.sql("SELECT halve(v) FROM s").history()] == [5.0, None, 15.0]


def test_a_python_function_that_raises_names_itself_and_its_row(session: continua.Session) -> None:
    session.udf("bad", lambda v: 1 // (v - 20), "INT")
    with pytest.raises(continua.ContinuaError) as caught:
        session.sql("SELECT bad(v) FROM s").history()
    assert caught.value.code == "FUNCTION_FAILED"
    assert "bad(20) raised ZeroDivisionError" in str(caught.value)
    assert caught.value.span is not None
    assert caught.value.span.text == "bad(v)"


def test_a_python_aggregate_by_its_four_functions(session: continua.Session) -> None:
    session.udaf(
        "range_of",
        init=lambda v: (v, v),
        merge=lambda p, v: (min(p[0], v), max(p[1], v)),
        combine=lambda p, q: (min(p[0], q[0]), max(p[1], q[1])),
        eval=lambda p: p[1] - p[0],
        type="INT",
    )
    query = session.sql("SELECT range_of(v) FROM s [UNBOUNDED]")
    assert list(query.history()) == [(0, 1, 3), (10, 3, 4), (20, 4, None)]


@pytest.mark.parametrize(
    ("name", "fn", "message"),
    [("f", 3, "cannot be called"), ("f g", abs, "cannot be"), ("count", abs, "aggregate already")],
)
def test_what_cannot_be_a_function_is_refused(
    session: continua.Session, name: str, fn: object, message: str
) -> None:
    with pytest.raises(continua.ContinuaError, match=message):
        session.udf(name, fn, "INT")  # type: ignore[arg-type]


def test_a_spread_that_fails_leaves_nothing_behind(session: continua.Session) -> None:
    session.sql("CREATE STREAM r (x INT, t INT) ORDERED BY t")
    with pytest.raises(continua.ContinuaError, match="named s already"):
        session.sql("SPREAD s, r INTO o, s")
    assert "o" not in session.names()


def test_a_stream_cannot_be_replaced_by_a_query_over_itself(session: continua.Session) -> None:
    with pytest.raises(continua.ContinuaError, match="over itself"):
        session.sql("CREATE OR REPLACE STREAM s AS SELECT * FROM s")
    session.sql("DROP STREAM s")


def test_the_latest_snapshot_of_a_versioned_table() -> None:
    session = continua.Session(engine="reference")
    session.sql("""
        CREATE TABLE v (a INT, f INT, e INT) SOURCE rows((1, 1, 4), (2, 2, NULL))
        VALID FROM f TO e
    """)
    assert list(session.sql("SELECT * FROM v").snapshot()) == [(2,)]


def test_times_of_results_fit_whatever_the_time_attribute() -> None:
    session = continua.Session(engine="reference")
    session.sql("CREATE STREAM s (v INT, t TINYINT) SOURCE rows((1, 100)) ORDERED BY t")
    for query in ("SELECT v FROM s WINDOW(RANGE 100)", "SELECT * FROM TUMBLE(s, 100)"):
        table = session.sql(query).history().to_arrow()
        assert table.column("valid_to").to_pylist() in ([200], [300])


def test_an_unknown_type_or_engine_is_refused(session: continua.Session) -> None:
    with pytest.raises(continua.ContinuaError, match="did you mean DOUBLE"):
        session.udf("f", abs, "DUBLE")
    with pytest.raises(continua.ContinuaError, match="there is no engine spurk"):
        continua.Session(engine="spurk")


@pytest.mark.parametrize(
    ("delivery", "expected"),
    [
        ("INTERVALS", ["v,valid_from,valid_to", "20,3,5"]),
        ("CHANGES", ["v,change,at", "20,+,3", "20,-,5"]),
        ("INSERTS", ["v,at", "20,3"]),
    ],
)
def test_sinks_receive_what_they_ask_for(
    session: continua.Session, tmp_path: Path, delivery: str, expected: list[str]
) -> None:
    out = tmp_path / "out.csv"
    session.sql(f"""
        CREATE SINK k USING csv OPTIONS (path '{out}') AS {delivery};
        INSERT INTO k SELECT v FROM s WINDOW(RANGE 2) WHERE k = 2
    """)
    assert out.read_text().splitlines() == expected


def test_json_and_parquet_sinks(session: continua.Session, tmp_path: Path) -> None:
    session.sql(f"""
        CREATE SINK j USING json OPTIONS (path '{tmp_path}/out.json');
        CREATE SINK p USING parquet OPTIONS (path '{tmp_path}/out.parquet');
        INSERT INTO j SELECT v, 1.50 AS d, NULLIF(k, 2) AS n FROM s;
        INSERT INTO p SELECT v FROM s
    """)
    lines = (tmp_path / "out.json").read_text().splitlines()
    assert json.loads(lines[1]) == {"v": 20, "d": 1.5, "n": None, "at": 3}
    assert '"d": 1.50' in lines[1]
    assert parquet.read_table(tmp_path / "out.parquet").column("v").to_pylist() == [10, 20, 30]


def test_options_of_sinks(session: continua.Session, tmp_path: Path) -> None:
    session.sql(f"""
        CREATE SINK c USING csv OPTIONS (PATH '{tmp_path}/out.csv', delimiter ';', header 'false')
        AS INTERVALS;
        CREATE SINK p USING parquet OPTIONS (path '{tmp_path}/out.parquet', compression 'ZSTD');
        INSERT INTO c SELECT v, CAST(NULL AS STRING) AS n, '' AS e, 'a;b' AS q FROM s WHERE k = 2;
        INSERT INTO p SELECT v FROM s;
        CREATE TABLE back (v INT, n STRING, e STRING, q STRING, f INT, u INT)
        SOURCE csv('{tmp_path}/out.csv', delimiter => ';', header => FALSE);
    """)
    assert (tmp_path / "out.csv").read_text() == '20;;"";"a;b";3;4\n'
    assert list(session.sql("SELECT * FROM back").snapshot()) == [(20, None, "", "a;b", 3, 4)]
    footer = parquet.ParquetFile(tmp_path / "out.parquet").metadata
    assert footer.row_group(0).column(0).compression == "ZSTD"


@pytest.mark.parametrize(
    ("format_", "options", "message", "hint"),
    [
        (
            "csv",
            "path 'x', delimeter ';'",
            "a sink of csv has no option delimeter",
            "did you mean delimiter? its options are path, delimiter, header",
        ),
        ("csv", "nonsense 'x'", "a sink of csv has no option nonsense", "its options are path, "),
        ("json", "delimiter ';'", "a sink of json has no option delimiter", "its options are path"),
        ("table", "header TRUE", "a sink of table has no option header", "its options are path"),
        ("csv", "path 'x', Path 'y'", "the option Path is given twice", ""),
        ("csv", "delimiter ';;'", "delimiter is one character, not ';;'", ""),
        ("csv", "header 'yes'", "header is TRUE or FALSE, not 'yes'", ""),
        ("parquet", "compression 'lzo'", "compression is one of snappy, gzip, zstd, none, not", ""),
        ("csv", "path 5", "path is a text, not 5", ""),
    ],
)
def test_other_options_of_sinks_are_refused(
    format_: str, options: str, message: str, hint: str
) -> None:
    """When they are declared, be it for history or for a live run."""
    session = continua.Session(engine="reference")
    with pytest.raises(continua.ContinuaError) as caught:
        session.sql(f"CREATE SINK k USING {format_} OPTIONS ({options})")
    assert caught.value.code == "WRONG_ARGUMENTS"
    assert caught.value.message.startswith(message)
    assert (caught.value.hint or "").startswith(hint)
    assert session.names() == []


def test_rejected_rows_are_counted_and_kept(tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text("v,t\n1,1\nx,2\n3,\n4,4\n")
    session = continua.Session(engine="reference")
    for policy in ("DROP", "KEEP"):
        session.sql(f"""
            CREATE OR REPLACE STREAM s (v INT, t INT) SOURCE csv('{tmp_path}/s.csv')
            ORDERED BY t ON ERROR {policy}
        """)
        assert [row[0] for row in session.sql("SELECT v FROM s").history()] == [1, 4]
        assert session.rejected_counts() == {"s": 2}
        assert len(session.rejected("s")) == (2 if policy == "KEEP" else 0)
    places = [(row[0].rsplit("/", 1)[-1], row[1]) for row in session.rejected("s")]
    assert places == [
        ("s.csv:3", "'x' is not an INT in column v"),
        ("s.csv:4", "the time attribute t is NULL"),
    ]


def test_rejected_rows_of_nothing_are_a_mistake(session: continua.Session) -> None:
    session.sql("CREATE STREAM readings AS SELECT v FROM s")
    for name in ("reading", "readings"):
        with pytest.raises(continua.ContinuaError, match="reads rows"):
            session.rejected(name)


def test_show_and_describe(session: continua.Session) -> None:
    session.sql("CREATE STREAM d AS SELECT k FROM s; CREATE SINK o USING json OPTIONS (path 'x')")
    assert list(session.sql("SHOW STREAMS")) == [
        ("d", "SELECT k FROM s"),
        ("s", "(k INT, v INT) from rows"),
    ]
    assert list(session.sql("SHOW SINKS")) == [("o", "json x")]
    assert ("sum", "aggregate") in list(session.sql("SHOW FUNCTIONS"))
    assert list(session.sql("SHOW SETTINGS")) == [
        ("default_window", "now"),
        ("unbounded_state", "refuse"),
    ]
    assert list(session.sql("DESCRIBE s")) == [
        ("s", "stream", "kind"),
        ("k", "INT", "column"),
        ("v", "INT", "column"),
        ("t", "INT", "time attribute"),
    ]
    assert list(session.sql("DESCRIBE d")) == [("d", "stream", "kind"), ("k", "INT", "column")]


def test_a_replaced_stream_is_a_new_one(session: continua.Session) -> None:
    session.sql("CREATE OR REPLACE STREAM s (x INT, t INT) SOURCE rows((5, 1)) ORDERED BY t")
    assert list(session.sql("SELECT * FROM s").history()) == [(5, 1)]


def test_the_time_attribute_is_seen_only_when_named(session: continua.Session) -> None:
    assert session.sql("SELECT * FROM s").schema.names == ("k", "v")
    assert session.sql("SELECT *, t FROM s").schema.names == ("k", "v", "t")
    assert session.sql("SELECT * FROM s a JOIN s b ON a.t = b.t").schema.names == (
        "k",
        "v",
        "k",
        "v",
    )


def test_explain_is_a_result_of_lines(session: continua.Session) -> None:
    assert [row[0] for row in session.sql("EXPLAIN LOGICAL SELECT v FROM s WINDOW(ROWS 2)")] == [
        "result: a relation",
        "map v",
        "└─ window rows 2",
        "   └─ stream s(k INT, v INT)",
    ]
