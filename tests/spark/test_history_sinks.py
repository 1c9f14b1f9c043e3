"""INSERT INTO over history on Spark: tasks write what the reference writes, and nothing else does."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pyarrow.parquet as pq
import pytest
from pyspark.sql.classic.dataframe import DataFrame

from continua import ContinuaError, Session
from continua.cli.runner import Presentation, run
from continua.errors import Source
from continua.runtime.engine import Engine

pytestmark = pytest.mark.spark

WINDOWED = "SELECT k, v FROM s WINDOW(RANGE 10)"
SUFFIXES = {"csv": "csv", "json": "json", "parquet": "parquet", "table": "txt"}


@pytest.fixture
def sessions(engine: Engine) -> dict[str, Session]:
    """The two engines, over the same rows."""
    random, keys = Random(7), ("'a'", "'b;'", "NULL")
    listed = [(random.choice(keys), random.randrange(9), random.randrange(300)) for _ in range(200)]
    rows = ", ".join(f"({k}, {v}, {t})" for k, v, t in listed)
    made = {"reference": Session(engine="reference"), "spark": Session(spark=engine.spark)}
    for session in made.values():
        session.sql(f"CREATE STREAM s (k STRING, v INT, t INT) SOURCE rows({rows}) ORDERED BY t")
    return made


def insert(session: Session, format_: str, path: Path, query: str, delivery: str = "") -> None:
    session.sql(f"""
        CREATE OR REPLACE SINK k USING {format_} OPTIONS (path '{path}') {delivery};
        INSERT INTO k {query}
    """)


def content(path: Path) -> object:
    return pq.read_table(path).to_pylist() if path.suffix == ".parquet" else path.read_text()


def refuse_to_collect(monkeypatch: pytest.MonkeyPatch) -> None:
    def collected(*_: object) -> None:
        raise AssertionError("rows were brought to the driver")

    for name in ("collect", "toArrow", "toPandas", "toLocalIterator", "head", "take"):
        monkeypatch.setattr(DataFrame, name, collected)


@pytest.mark.parametrize("delivery", ["AS INTERVALS", "AS CHANGES", "AS INSERTS"])
def test_one_file_is_that_of_the_reference(
    sessions: dict[str, Session], tmp_path: Path, delivery: str
) -> None:
    for format_, suffix in SUFFIXES.items():
        for query in (WINDOWED, f"{WINDOWED} WHERE v > 9", "SELECT v FROM s WINDOW(UNBOUNDED)"):
            paths = [tmp_path / f"{name}.{suffix}" for name in sessions]
            for session, path in zip(sessions.values(), paths, strict=True):
                session.sql("SET unbounded_state = 'allow'")
                insert(session, format_, path, query, delivery)
            assert content(paths[1]) == content(paths[0])
            assert sorted(tmp_path.iterdir()) == sorted(paths), "and nothing else is left"
            for path in paths:
                path.unlink()


def test_a_table_is_printed_in_order(
    sessions: dict[str, Session], capsys: pytest.CaptureFixture[str]
) -> None:
    printed = []
    for session in sessions.values():
        session.sql(f"CREATE SINK p USING table AS CHANGES; INSERT INTO p {WINDOWED}")
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1]


def test_nothing_comes_to_the_driver(
    sessions: dict[str, Session], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse_to_collect(monkeypatch)
    for format_, suffix in SUFFIXES.items():
        for path in (tmp_path / f"one.{suffix}", tmp_path / format_):
            for query in (WINDOWED, "SELECT v FROM s WHERE v > 3"):
                insert(sessions["spark"], format_, path, query)
            assert any(path.iterdir()) if path.is_dir() else path.stat().st_size


def test_an_output_of_the_command_line_is_written_by_tasks(
    sessions: dict[str, Session], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the order of a history; what the query orders itself is sorted by the driver."""
    for query in (WINDOWED, "SELECT k, v FROM s WHERE v > 3", f"{WINDOWED} WHERE v > 100"):
        for format_, suffix in SUFFIXES.items():
            path = tmp_path / f"out.{suffix}"
            how = Presentation(format_, path)
            run(sessions["reference"], Source(query), how)
            expected = content(path)
            with monkeypatch.context() as patched:
                refuse_to_collect(patched)
                run(sessions["spark"], Source(query), how)
            assert content(path) == expected
    found, path = [], tmp_path / "ordered.csv"
    for session in sessions.values():
        run(session, Source(f"{WINDOWED} ORDER BY v DESC, k"), Presentation("csv", path))
        found.append(path.read_text())
    assert found[0] == found[1]


def test_tasks_write_files_into_a_directory(engine: Engine, tmp_path: Path) -> None:
    """A stream is neither sorted nor put together on its way."""
    session = Session(spark=engine.spark)
    frame = session.spark.range(100).selectExpr("id AS v", "id AS t").repartition(3)
    session.from_dataframe("s", frame, time="t")
    for rows in (100, 10):
        insert(session, "csv", tmp_path / "out", f"SELECT v FROM s WHERE v < {rows}")
        names = sorted(path.name for path in (tmp_path / "out").iterdir())
        assert names == [f"00000000-k-000{i}.csv" for i in range(3)]
        texts = [path.read_text().splitlines() for path in (tmp_path / "out").iterdir()]
        assert [text[0] for text in texts] == ["v,at"] * 3
        lines = [line for text in texts for line in text[1:]]
        assert sorted(lines) == sorted(f"{v},{v}" for v in range(rows))


def test_rows_that_spark_cannot_read_are_read_again(engine: Engine, tmp_path: Path) -> None:
    """Spark's reader leaves them to the exact one while tasks write; what they wrote is replaced."""
    (tmp_path / "s.csv").write_text('k,t\n"a\nb",1\nc,2\n')
    session = Session(spark=engine.spark)
    session.sql(f"CREATE STREAM s (k STRING, t INT) SOURCE csv('{tmp_path}/s.csv') ORDERED BY t")
    insert(session, "json", tmp_path / "out", "SELECT k FROM s")
    texts = [path.read_text() for path in sorted((tmp_path / "out").iterdir())]
    assert "".join(texts) == '{"k": "a\\nb", "at": 1}\n{"k": "c", "at": 2}\n'


def test_what_fails_leaves_nothing(sessions: dict[str, Session], tmp_path: Path) -> None:
    (tmp_path / "out.csv").write_text("as it was")
    for session in sessions.values():
        with pytest.raises(ContinuaError, match="division by zero"):
            insert(session, "csv", tmp_path / "out.csv", "SELECT 1 / (v - 3) AS x FROM s")
        assert [path.name for path in tmp_path.iterdir()] == ["out.csv"]
        assert (tmp_path / "out.csv").read_text() == "as it was"
