"""`continua explain`: plans of texts and of files."""

STREAM = "CREATE STREAM s (a INT, t INT) SOURCE csv('not-there.csv') ORDERED BY t;\n"
PLAN = "result: a stream\nfilter (a > 1)\n└─ stream s(a INT)\n"


def test_a_text(continua):
    ran = continua("explain", f"{STREAM} SELECT a FROM s WHERE a > 1")
    assert (ran.exit_code, ran.stdout) == (0, PLAN)


def test_a_file_and_the_standard_input(continua, tmp_path):
    text = f"{STREAM} SHOW STREAMS; SELECT a FROM s WHERE a > 1; SELECT a FROM s"
    (tmp_path / "q.sql").write_text(text)
    assert continua("explain", "q.sql").stdout == f"{PLAN}\nresult: a stream\nstream s(a INT)\n"
    assert (
        continua("explain", "-", stdin=text).stdout
        == f"{PLAN}\nresult: a stream\nstream s(a INT)\n"
    )


def test_an_explain_statement_is_not_explained_twice(continua):
    assert continua("explain", f"{STREAM} EXPLAIN SELECT a FROM s WHERE a > 1").stdout == PLAN


def test_a_sink_is_not_written(continua, tmp_path):
    sink = "CREATE SINK k USING csv OPTIONS (path 'out.csv');"
    text = f"{STREAM} {sink} INSERT INTO k SELECT a FROM s WHERE a > 1"
    ran = continua("explain", text)
    assert (ran.exit_code, ran.stdout) == (0, PLAN)
    assert not (tmp_path / "out.csv").exists()


def test_a_mistake_keeps_its_place_in_the_whole_text(continua):
    ran = continua("explain", f"{STREAM}INSERT INTO k SELECT b FROM s; SELECT 1")
    assert ran.exit_code == 1
    assert " --> <sql>:2:22\n  |\n2 | INSERT INTO k SELECT b FROM s; SELECT 1\n" in ran.stderr


def test_nothing_to_explain(continua):
    ran = continua("explain", STREAM)
    assert (ran.exit_code, ran.stderr) == (
        1,
        "error[WRONG_ARGUMENTS]: <sql> has no query to explain\n",
    )


def test_a_text_longer_than_any_file_name_is_no_file(continua):
    columns = ", ".join(f"1 AS column_{n}" for n in range(1000))
    assert continua("explain", f"SELECT {columns}").exit_code == 0
