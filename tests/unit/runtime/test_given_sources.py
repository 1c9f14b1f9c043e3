"""Kinds of sources that other packages give, by entry points."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest
from installed import installed

from continua import ContinuaError, Session

MODULE = """
from continua import FileSource, Option, Place, Problem, Record, Source


class Counted(Source):
    '''The numbers up to its argument.'''

    OPTIONS = (
        Option.number("step", default=1),
        Option.text("label", required=True),
        Option.choice("way", ("up", "down")),
    )

    def check(self):
        if len(self.args) != 1 or not isinstance(self.args[0], int):
            raise self.wrong("it takes a number", f"as in {self.function}(5)")

    def columns(self):
        return (("label", "STRING"), ("n", "INT"), ("half", "DOUBLE"))

    def records(self):
        if self.args[0] == 0:
            raise self.refused("there is nothing to count", "more")
        for number in range(0, self.args[0], self.options["step"]):
            place = Place("numbers", number)
            if number == 13:
                yield number, Problem("bad luck", place, "thirteen")
            elif number == 17:
                yield number, Record((number,), place)
            else:
                yield number, Record((self.options["label"], number, number / 2), place)


class Pairs(FileSource):
    SUFFIXES = (".pairs", ".two")

    def records_of(self, file):
        with self.text(file) as lines:
            for number, line in enumerate(lines, 1):
                place = Place(file.name, number, "line")
                values = tuple(line.rstrip().split("="))
                if len(values) == 2:
                    yield Record(values, place, line)
                else:
                    yield Problem("no pair", place, line)

    def convert(self, value, type_):
        return super().convert(int(value) if type_.integral else value, type_)


class Nothing:
    pass
"""

PROJECT = """
[project]
name = "given-sources"
version = "1.0"

[project.entry-points."continua.sources"]
counted = "given_sources:Counted"
pairs = "given_sources:Pairs"
nothing = "given_sources:Nothing"
missing = "given_sources.missing:Source"
csv = "given_sources:Nothing"
"""


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "given_sources.py").write_text(MODULE)
    (tmp_path / "package" / "pyproject.toml").write_text(PROJECT)
    with installed(tmp_path / "package", tmp_path / "site"):
        yield Session(engine="reference")


def rows(session: Session, text: str) -> list[tuple[object, ...]]:
    return list(session.query(text).snapshot(at=6))


def test_columns_are_found_by_their_names(session: Session) -> None:
    session.sql("""
        CREATE STREAM s (HALF DECIMAL(5, 2), label STRING, n BIGINT)
        SOURCE counted(8, label => 'x', Step => '3') ORDERED BY n
    """)
    found = rows(session, "SELECT label, CAST(half AS DOUBLE) AS half FROM s WINDOW(UNBOUNDED)")
    assert found == [("x", 0.0), ("x", 1.5), ("x", 3.0)]


def test_bad_records_follow_the_policy(session: Session) -> None:
    declared = "CREATE TABLE t (n INT) SOURCE counted(19, label => 'x')"
    session.sql(f"{declared} ON ERROR KEEP")
    assert len(rows(session, "SELECT n FROM t")) == 17
    assert list(session.rejected("t")) == [
        ("numbers:13", "bad luck", "thirteen"),
        ("numbers:17", "1 value instead of the 3 declared", "(17)"),
    ]
    session.sql(declared.replace("TABLE", "OR REPLACE TABLE"))
    with pytest.raises(ContinuaError, match="numbers, row 13: bad luck") as caught:
        rows(session, "SELECT n FROM t")
    assert caught.value.code == "BAD_ROW"


def test_what_cannot_be_read_is_told_with_its_place(session: Session) -> None:
    session.sql("CREATE TABLE t (n INT) SOURCE counted(0, label => 'x')")
    with pytest.raises(ContinuaError, match="there is nothing to count") as caught:
        rows(session, "SELECT n FROM t")
    assert (caught.value.code, caught.value.hint) == ("SOURCE_NOT_FOUND", "more")
    assert caught.value.span is not None
    assert caught.value.span.text == "SOURCE counted(0, label => 'x')"


def test_files_of_a_format(session: Session, tmp_path: Path) -> None:
    (tmp_path / "b.TWO").write_text("k=5\nnone\n")
    (tmp_path / "a.pairs.gz").write_bytes(gzip.compress(b"x=1\ny=2\n"))
    (tmp_path / "c.txt").write_text("z=3\n")
    session.sql(f"""
        CREATE STREAM s (k STRING, t INT) SOURCE pairs('{tmp_path}') ORDERED BY t ON ERROR KEEP
    """)
    found = rows(session, "SELECT k FROM s WINDOW(ROWS 2)")
    assert found == [("k",), ("y",)]
    assert list(session.rejected("s")) == [("b.TWO:2", "no pair", "none")]


COUNTED = "SOURCE counted(5, label => 'x'"


@pytest.mark.parametrize(
    ("columns", "source", "code", "message", "hint"),
    [
        (
            "m INT",
            f"{COUNTED})",
            "MISSING_COLUMN",
            "counted has no column m",
            "its columns are label, n, half",
        ),
        (
            "label INT",
            f"{COUNTED})",
            "TYPE_MISMATCH",
            "column label of counted is STRING, not INT",
            None,
        ),
        ("n INT", "SOURCE counted(5)", "WRONG_ARGUMENTS", "counted: it has no label", "label => "),
        (
            "n INT",
            f"{COUNTED}, stepp => 2)",
            "WRONG_ARGUMENTS",
            "counted: no option stepp",
            "did you mean step?",
        ),
        (
            "n INT",
            f"{COUNTED}, z => 2)",
            "WRONG_ARGUMENTS",
            "counted: no option z",
            "its options are step, label, way",
        ),
        (
            "n INT",
            f"{COUNTED}, way => 'left')",
            "WRONG_ARGUMENTS",
            "counted: way is one of up, down, not 'left'",
            None,
        ),
        (
            "n INT",
            "SOURCE counted('a', label => 'x')",
            "WRONG_ARGUMENTS",
            "counted: it takes a number",
            "as in counted(5)",
        ),
        (
            "n INT",
            "SOURCE pairs()",
            "WRONG_ARGUMENTS",
            "pairs: expected a path or glob, got nothing",
            "as in pairs('data/*.pairs')",
        ),
        (
            "n INT",
            "SOURCE count(5)",
            "UNKNOWN_FUNCTION",
            "no source function count",
            "did you mean counted?",
        ),
        (
            "n INT",
            "SOURCE xyz(5)",
            "UNKNOWN_FUNCTION",
            "no source function xyz",
            "the sources are csv, json, parquet, rows, auctions, nexmark, counted, pairs, nothing, "
            "missing",
        ),
        (
            "n INT",
            "SOURCE nothing(5)",
            "WRONG_ARGUMENTS",
            "given_sources:Nothing, which the source nothing is to be, is no source",
            "a class made from Source",
        ),
        (
            "n INT",
            "SOURCE missing(5)",
            "WRONG_ARGUMENTS",
            "the source missing cannot be loaded: ModuleNotFoundError: No module named "
            "'given_sources.missing'; 'given_sources' is not a package",
            None,
        ),
    ],
)
def test_declarations_that_are_refused(
    session: Session, columns: str, source: str, code: str, message: str, hint: str | None
) -> None:
    with pytest.raises(ContinuaError) as caught:
        session.sql(f"CREATE TABLE t ({columns}) {source}")
    assert (caught.value.code, caught.value.message) == (code, message)
    assert (hint or "") in (caught.value.hint or "")
    assert caught.value.span is not None
    assert caught.value.span.text == source
    assert session.names() == []


def test_a_package_takes_no_name_that_is_there(session: Session) -> None:
    session.sql("CREATE TABLE t (n INT) SOURCE csv('nowhere.csv')")
