"""`continua run` and `continua sql`: results, formats, outputs, times."""

import json

import pyarrow.parquet as parquet
import pytest

STREAM = "CREATE STREAM s (a INT, t INT) SOURCE rows((1, 1), (2, 4)) ORDERED BY t;\n"
QUERY = "SELECT a FROM s WINDOW(RANGE 2);\n"
TABLE = """\
a │ valid_from │ valid_to
──┼────────────┼─────────
1 │          1 │        3
2 │          4 │        6
(2 rows)
"""
NOTE = "note: 2 rows of bids were passed over (ON ERROR)\n"


@pytest.fixture
def script(tmp_path):
    (tmp_path / "script.sql").write_text(STREAM + QUERY)
    return "script.sql"


def test_a_file_prints_the_history_of_its_query(continua, script):
    ran = continua("run", script)
    assert (ran.exit_code, ran.stdout, ran.stderr) == (0, TABLE, "")


def test_a_text_and_the_standard_input_do_the_same(continua):
    assert continua("sql", STREAM + QUERY).stdout == TABLE
    assert continua("run", "-", stdin=STREAM + QUERY).stdout == TABLE


def test_a_byte_order_mark_is_no_part_of_the_text(continua):
    assert continua("run", "-", stdin=b"\xef\xbb\xbf" + (STREAM + QUERY).encode()).stdout == TABLE


def test_declarations_print_nothing(continua):
    ran = continua("sql", STREAM)
    assert (ran.exit_code, ran.stdout, ran.stderr) == (0, "", "")


def test_formats(continua, script):
    assert (
        continua("run", script, "--format", "csv").stdout == "a,valid_from,valid_to\n1,1,3\n2,4,6\n"
    )
    lines = continua("run", script, "--format", "json").stdout.splitlines()
    assert [json.loads(line) for line in lines] == [
        {"a": 1, "valid_from": 1, "valid_to": 3},
        {"a": 2, "valid_from": 4, "valid_to": 6},
    ]


def test_tables_of_several_queries_are_set_apart_and_json_lines_are_not(continua):
    assert continua("sql", STREAM + QUERY + QUERY).stdout == f"{TABLE}\n{TABLE}"
    assert "\n\n" not in continua("sql", STREAM + QUERY + QUERY, "--format", "json").stdout


def test_a_snapshot_in_integer_time(continua, script):
    assert continua("run", script, "--at", "2", "--format", "csv").stdout == "a\n1\n"
    assert continua("run", script, "--at", "3", "--format", "csv").stdout == "a\n"


def test_a_snapshot_at_a_timestamp(continua):
    text = (
        "CREATE STREAM s (a INT, t TIMESTAMP) SOURCE rows((7, TIMESTAMP '2026-01-01 10:00:00')) "
        "ORDERED BY t; SELECT a FROM s WINDOW(RANGE 1 MINUTE)"
    )
    assert (
        continua("sql", text, "--at", "2026-01-01T10:00:59", "--format", "csv").stdout == "a\n7\n"
    )
    assert continua("sql", text, "--at", "2026-01-01 10:01", "--format", "csv").stdout == "a\n"


def test_a_time_of_the_wrong_kind(continua, script):
    ran = continua("run", script, "--at", "2026-01-01")
    assert ran.exit_code == 1
    assert ran.stderr.startswith("error[TYPE_MISMATCH]: the time of this query is an integer")


def test_an_output_file_gets_the_result_and_the_terminal_nothing(continua, script, tmp_path):
    ran = continua("run", script, "--format", "csv", "--output", "out")
    assert (ran.exit_code, ran.stdout) == (0, "")
    assert (tmp_path / "out").read_text() == "a,valid_from,valid_to\n1,1,3\n2,4,6\n"


def test_the_name_of_the_output_tells_the_format(continua, script, tmp_path):
    assert continua("run", script, "--output", "out.parquet").exit_code == 0
    assert parquet.read_table(tmp_path / "out.parquet")["valid_to"].to_pylist() == [3, 6]
    assert continua("run", script, "--output", "out.txt").exit_code == 0
    assert (tmp_path / "out.txt").read_text() == TABLE


@pytest.mark.parametrize(("text", "count"), [(STREAM, 0), (STREAM + QUERY + QUERY, 2)])
def test_an_output_wants_exactly_one_query(continua, text, count, tmp_path):
    ran = continua("sql", text, "--output", "out.csv")
    assert ran.exit_code == 1
    assert f"--output takes the result of one query, but <sql> has {count}" in ran.stderr
    assert not (tmp_path / "out.csv").exists()


def test_an_output_that_is_no_file_is_left_alone(continua, script, tmp_path):
    ran = continua("run", script, "--output", str(tmp_path))
    assert ran.exit_code == 1
    assert ran.stderr == f"error[CANNOT_WRITE]: {tmp_path} is not a regular file\n"


def test_parquet_wants_an_output(continua, script):
    ran = continua("run", script, "--format", "parquet")
    assert (ran.exit_code, ran.stdout) == (1, "")
    assert "hint: --output FILE.parquet" in ran.stderr


def test_an_unknown_format(continua, script):
    ran = continua("run", script, "--format", "jsn")
    assert ran.exit_code == 1
    assert (
        ran.stderr == "error[WRONG_ARGUMENTS]: there is no format jsn\nhint: did you mean json?\n"
    )


def test_show_and_describe_are_tables_and_plans_have_no_frame(continua):
    text = f"{STREAM} DESCRIBE s; EXPLAIN SELECT a FROM s WHERE a > 1"
    described, plan = continua("sql", text, "--format", "csv").stdout.split("\n\n")
    assert described.splitlines()[0] == "name │ type   │ role"
    assert plan == "result: a stream\nfilter (a > 1)\n└─ stream s(a INT)\n"


def test_rows_passed_over_are_told_after_each_query_that_read_them(continua, bids):
    query = "SELECT item FROM bids;\n"
    assert continua("sql", bids + query).stderr == NOTE
    assert continua("sql", bids + query + query).stderr == NOTE * 2
    assert continua("sql", bids + query + STREAM + QUERY).stderr == NOTE
    assert continua("sql", bids + "EXPLAIN SELECT item FROM bids").stderr == ""


def test_rows_passed_over_on_the_way_into_a_sink_are_told(continua, bids):
    sink = "CREATE SINK k USING csv OPTIONS (path 'out.csv');\nINSERT INTO k SELECT item FROM bids;"
    assert continua("sql", bids + sink).stderr == NOTE


def test_one_row_passed_over(continua, bids, tmp_path):
    (tmp_path / "bids.csv").write_text("item,price,t\nx,1,1\n")
    ran = continua("sql", f"{bids} SELECT item FROM bids")
    assert ran.stderr == "note: 1 row of bids was passed over (ON ERROR)\n"


def test_a_snapshot_is_shown_in_the_format_asked_for(continua, tmp_path):
    snapshot = STREAM + "SNAPSHOT OF SELECT a FROM s [RANGE 9] AT 4;"
    assert continua("sql", snapshot).stdout == "a\n─\n1\n2\n(2 rows)\n"
    assert continua("sql", snapshot, "--format", "json").stdout == '{"a": 1}\n{"a": 2}\n'
    assert continua("sql", snapshot, "--output", "found.csv").stdout == ""
    assert (tmp_path / "found.csv").read_text() == "a\n1\n2\n"
    ran = continua("sql", snapshot + QUERY, "--output", "found.csv")
    assert "has 2" in ran.stderr
