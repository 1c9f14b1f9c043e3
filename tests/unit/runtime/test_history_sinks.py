"""INSERT INTO over history: into a directory as live, or into the one file that the path names."""

from __future__ import annotations

from pathlib import Path

import pytest

from continua import ContinuaError, Session

QUERY = "INSERT INTO k SELECT v FROM s WHERE v < {}"


def session(path: Path, format_: str = "csv") -> Session:
    made = Session(engine="reference")
    made.sql(f"""
        CREATE STREAM s (v INT, t INT) SOURCE rows((10, 1), (20, 3)) ORDERED BY t;
        CREATE SINK k USING {format_} OPTIONS (path '{path}')
    """)
    return made


def found(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir()}


def refused(run: Session) -> ContinuaError:
    with pytest.raises(ContinuaError) as caught:
        run.sql(QUERY.format(99))
    assert caught.value.code == "CANNOT_WRITE"
    assert caught.value.span is not None
    assert caught.value.span.text.startswith("CREATE SINK k")
    return caught.value


def test_a_directory_gets_files(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    session(folder).sql(QUERY.format(99))
    assert found(folder) == {"00000000-k-0000.csv": "v,at\n10,1\n20,3\n"}


def test_every_insert_of_a_session_has_its_files(tmp_path: Path) -> None:
    for _ in range(2):
        run = session(tmp_path)
        run.sql(f"{QUERY.format(99)}; {QUERY.format(15)}")
        assert found(tmp_path) == {
            "00000000-k-0000.csv": "v,at\n10,1\n20,3\n",
            "00000000-k_1-0000.csv": "v,at\n10,1\n",
        }, "another session writes them again"
    run.sql(f"CREATE OR REPLACE SINK k USING csv OPTIONS (path '{tmp_path}'); {QUERY.format(15)}")
    assert found(tmp_path)["00000000-k-0000.csv"] == "v,at\n10,1\n"


def test_one_file_is_replaced(tmp_path: Path) -> None:
    run = session(tmp_path / "out.CSV")
    run.sql(f"{QUERY.format(99)}; {QUERY.format(15)}")
    assert found(tmp_path) == {"out.CSV": "v,at\n10,1\n"}


def test_no_rows(tmp_path: Path) -> None:
    session(tmp_path / "out.csv").sql(QUERY.format(0))
    session(tmp_path / "folder").sql(QUERY.format(99))
    session(tmp_path / "folder").sql(QUERY.format(0))
    assert (tmp_path / "out.csv").read_text() == "v,at\n"
    assert found(tmp_path / "folder") == {}


def test_a_directory_may_have_any_name(tmp_path: Path) -> None:
    (tmp_path / "out.csv").mkdir()
    session(tmp_path / "out.csv").sql(QUERY.format(15))
    assert found(tmp_path / "out.csv") == {"00000000-k-0000.csv": "v,at\n10,1\n"}


def test_the_suffix_of_another_format_names_no_file(tmp_path: Path) -> None:
    session(tmp_path / "out.csv", "json").sql(QUERY.format(15))
    assert found(tmp_path / "out.csv") == {"00000000-k-0000.json": '{"v": 10, "at": 1}\n'}


def test_tables_go_to_files_too(tmp_path: Path) -> None:
    session(tmp_path / "out.txt", "table").sql(QUERY.format(15))
    session(tmp_path / "folder", "table").sql(QUERY.format(15))
    text = " v │ at\n───┼───\n10 │  1\n(1 row)\n"
    assert (tmp_path / "out.txt").read_text() == text
    assert found(tmp_path / "folder") == {"00000000-k-0000.txt": text}


def test_what_is_there_already(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("mine")
    error = refused(session(tmp_path / "out"))
    assert error.message == f"{tmp_path}/out is there and is no directory"
    assert error.hint == "one file has a name that ends in .csv"
    assert (tmp_path / "out").read_text() == "mine"
    (tmp_path / "00000003-k-0000.csv").write_text("of a run")
    error = refused(session(tmp_path))
    assert (
        error.message
        == f"{tmp_path}/00000003-k-0000.csv is of another run, and would be overwritten"
    )


def test_columns_of_one_name(tmp_path: Path) -> None:
    run = session(tmp_path / "out.csv")
    for columns, name in (("v, v + 1 AS V", "v"), ("v AS at", "at")):
        with pytest.raises(ContinuaError, match=f"k would get two columns called {name}"):
            run.sql(f"INSERT INTO k SELECT {columns} FROM s")
    assert found(tmp_path) == {}
