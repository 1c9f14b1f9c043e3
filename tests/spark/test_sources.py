"""Sources read by Spark: what the reference reads, row by row, or the reference itself."""

from __future__ import annotations

import bz2
import gzip
import json
import os
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession
from reading import SPAN, agree, expected, found, open_source, plain, read, stream, values_of

from continua.errors import ContinuaError
from continua.model.catalog import USING, Relation, SourceCall
from continua.model.element import SourceRow
from continua.physical.spark import separate_session
from continua.runtime.sources import spark_lines
from continua.runtime.sources.doubt import is_doubt
from continua.runtime.sources.file_source import FileSource
from continua.runtime.sources.kinds import source_of
from continua.runtime.sources.read import read_exactly
from continua.runtime.sources.spark_rows import typed_part

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def ours(spark: SparkSession) -> SparkSession:
    return separate_session(spark)


Judged = dict[int, list[tuple[bool, tuple[object, ...]]]]


def judged(ours: SparkSession, relation: Relation) -> Judged:
    """The rows of each file as Spark reads them, and whether it is sure about them."""
    source = source_of(relation)
    assert isinstance(source, FileSource)
    parts = source.parts(ours, True)
    assert parts is not None
    rows: Judged = defaultdict(list)
    for part in parts:
        typed = typed_part(relation, part, 0)
        good = " AND ".join([*typed.good, *typed.guards.values()])
        columns = [*plain(relation), "start", "end", f"{good} AS good", f"{part.phi} AS phi"]
        for row in typed.frame.selectExpr(*columns).orderBy("phi").collect():
            rows[row.phi.file].append((row.good, values_of(relation, row) if row.good else ()))
    return rows


def judge_rows(ours: SparkSession, relation: Relation) -> set[int]:
    """Checks of one file, whose rows are lines, that those Spark is sure about are as the
    reference has them. Gives their numbers."""
    relation = replace(relation, on_error="DROP")
    reference = {row.phi: row for row in read(relation).rows}
    sure = set()
    for number, (good, values) in enumerate(judged(ours, relation)[0]):
        if good:
            assert [values] == expected([reference[0, number]])
            sure.add(number)
    return sure


def judge_files(ours: SparkSession, relation: Relation) -> set[int]:
    """Checks of many files, by one query, that those of which Spark is sure about every row are
    as the reference has them, and none of their rows is bad. Gives their numbers."""
    relation = replace(relation, on_error="DROP")
    reference = read(relation)
    rows_of: dict[int, list[SourceRow]] = defaultdict(list)
    for row in reference.rows:
        rows_of[row.phi[0]].append(row)  # type: ignore[index]
    rejected = {r.place.rpartition(":")[0] for r in reference.rejected}
    read_by_spark = judged(ours, relation)
    sure = set()
    for number, file in enumerate(sorted(Path(str(relation.source.args[0])).parent.iterdir())):
        rows = read_by_spark[number]
        if all(good for good, _ in rows):
            assert file.name not in rejected, file.read_bytes()
            assert [values for _, values in rows] == expected(rows_of[number]), file.read_bytes()
            sure.add(number)
    return sure


def write_files(folder: Path, suffix: str, contents: Sequence[str | bytes]) -> str:
    """A file for each content, numbered in their order; gives the glob."""
    folder.mkdir(exist_ok=True)
    for number, content in enumerate(contents):
        data = content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass")
        (folder / f"{number:04}{suffix}").write_bytes(data)
    return str(folder / f"*{suffix}")


# --- CSV


def listed(*texts: str) -> list[str]:
    """What the bars in the texts separate."""
    return [part for text in texts for part in text.split("|")]


TYPES = {
    "b": "BOOLEAN",
    "i8": "TINYINT",
    "i": "INT",
    "t": "BIGINT",
    "x": "REAL",
    "y": "DOUBLE",
    "d": "DECIMAL(7,2)",
    "wide": "DECIMAL(38,10)",
    "s": "STRING",
    "day": "DATE",
    "ts": "TIMESTAMP",
}
ALL = "; ".join(f"{name} {type_}" for name, type_ in TYPES.items())

EASY: dict[str, list[str]] = {
    "b": listed("true|F| t |False|TRUE"),
    "i8": listed("127|-128|007|+5| 5 |-0"),
    "i": listed("2147483647|-2147483648", "0" * 40 + "5"),
    "t": listed("9223372036854775806|-4611686018427387904|0"),
    "x": listed("-0.0|3.4e38|nan|16777217|1.00000017881393432617187499|-1e-46"),
    "y": listed("-0|1e308|inf|-Infinity|NaN|4.9e-324|1e-400|0.1|1.e5"),
    "d": listed("0.005|-0.005|99999.99|99999.994|-99999.99|1|.5|2.|-0|2.345"),
    "wide": listed("9" * 28, "0.00000000005|-0.00000000004"),
    "s": listed(" x |\xe9\U0001f600|\\n|'|NULL|\\N|nan|#|a\tb"),
    "day": listed("0001-01-01|9999-12-31|2024-02-29|1582-10-10| 2026-01-01 "),
    "ts": listed(
        "2026-01-01|9999-12-31 23:59:59.999999|1969-12-31 23:59:59.5|2026-01-01T12:00:00Z",
        "2026-01-01 12:00:00.123+05:30|2026-01-01 12:00|1883-11-18 12:00:00",
        "0001-01-01 00:00:00",
    ),
}
"""Texts that Spark's reader is to read itself."""

ODD: dict[str, list[str]] = {
    "b": listed("yes|no|1|0|y|n|tRuE|t\tf|on|\ttrue"),
    "i8": listed("128|-129"),
    "i": listed(
        "1.0|1.5|1e3|0x1|1_000|2147483648|-2147483649|+|-|\u0663|5L|5 6|5\xa0|\xa05|5\x00",
        "\x0b5|5\x1f|--5|5\u2003|\x7f5|\x855| ",
    ),
    "t": listed(
        "9223372036854775807|9223372036854775808|-4611686018427387905|-9223372036854775807",
        "-9223372036854775808|",
    ),
    "x": listed("3.4028235677973366e38|3.5e38|1e39|1e-45|1f"),
    "y": listed(
        "1e999|-1e400|1d|1f|0x1p3|1_0|+nan|+inf|-INF|1e|e5|.5e-1|infinity|.|1 e5|1e+5|\t1.5",
        "1.7976931348623159e308|２|nan(1)|1D|1E5F|INFINITY",
    ),
    "d": listed(
        "1e2|99999.995|100000|nan|inf",
        "0" * 50,
        "1." + "1" * 50,
        "1d|+.5|1_0|12345678901234567890|0.0049999999999999999999",
        "1" * 39,
        "sNaN|.",
    ),
    "wide": listed("9" * 29, "9" * 28 + ".99999999999", "-" + "9" * 28 + ".99999999995"),
    "s": listed("\x00|\x85|\ud800|a\x0bb"),
    "day": listed(
        "2026-1-1|20260101|2026-W01-1|2026-02-30|0000-01-01|10000-01-01|2026-01|2026",
        "2026-01-01T00:00|epoch|now|today|+2026-01-01|２026-01-01",
    ),
    "ts": listed(
        "2026-01-01 25:00:00|2026-01-01 24:00:00|2026-01-01 12:00:60|2026-01-01T",
        "2026-01-01 12|2026-01-01 12:00:00.1234567|2026-01-01 12:00:00 UTC|1767225600",
        "2026-01-01Z|2026-01-01+01:00|2026-01-01 12:00:00+0100|2026-01-01 12:00:00+01",
        "2026-01-01 12:00:00+19:00|2026-01-01 12:00:00-18:30|2026-01-01 12:00:00+01:60",
        "0001-01-01 00:00:00+01:00|9999-12-31 23:59:59-01:00|2026-01-01 12:00Z|T12:00",
        "2026-01-01 12:00:00,5|2026-01-01  12:00:00|2026-01-01 12:00:00 |now|12:00:00",
        "2026-06-30 23:59:60|2026-01-01 12:00:00.|2026-13-01 00:00:00|2026-01-01 1:00:00",
        "2026-01-01 12:00:00 Z|2026-01-01 12:00:00Europe/Paris|2026-01-01 12:00:00+00:00:30",
        "0000-01-01 00:00:00|2026-01-01 12:00:00.1+0530|2026-01-01 12:00:00-00:00",
    ),
}
"""Texts over which Spark and Python may disagree."""


def rows_with(texts: dict[str, list[str]], row: Callable[[dict[str, str]], str]) -> list[str]:
    """A row for each text in its column; the others are empty, but for the time."""
    return [row({"t": "7", name: text}) for name, column in texts.items() for text in column]


def csv_row(cells: dict[str, str]) -> str:
    return ",".join('"' + cells.get(name, "").replace('"', '""') + '"' for name in TYPES) + "\n"


def test_csv_values(ours: SparkSession, tmp_path: Path) -> None:
    easy, odd = rows_with(EASY, csv_row), rows_with(ODD, csv_row)
    glob = write_files(tmp_path, ".csv", [",".join(TYPES) + "\n" + "".join(easy + odd)])
    sure = judge_rows(ours, stream(ALL, "csv", glob))
    assert sure >= set(range(len(easy)))


def test_csv_of_random_shape(ours: SparkSession, tmp_path: Path) -> None:
    """Quotes, line ends, blanks and fields in whatever order."""
    random = Random(1)
    parts = [
        '"',
        '""',
        ",",
        "\n",
        "\r\n",
        "\r",
        " ",
        "a",
        "1",
        "é",
        '"b"',
        '"x,y"',
        "\n1,",
        ";",
        "\t",
    ]
    contents: list[str | bytes] = [
        "".join(random.choices(parts, k=random.randrange(1, 10))) for _ in range(60)
    ]
    contents += [
        b"\xef\xbb\xbf1,x\n",
        b"\xef\xbb\xbf\xef\xbb\xbf1,x\n",
        b"\xef\xbb\xbf",
        b"1,\xff\n",
        b"1,\xed\xa0\x80\n",
        b"1,\xc0\x80\n",
        "1," + "y" * 131073,
        '1,"' + '""' * 5000 + '"',
        '1,"' + '""' * 400 + '"',
        "1," * 3000,
    ]
    glob = write_files(tmp_path, ".csv", contents)
    for columns in ("i INT; s STRING", "s STRING"):
        relation = stream(columns, "csv", glob, options={"header": False}, is_stream=False)
        assert len(judge_files(ours, relation)) > 5


@pytest.mark.parametrize("delimiter", [";", "\t", "|", "^", "]", "\\", "x", " ", "-", "."])
def test_csv_delimiters(ours: SparkSession, tmp_path: Path, delimiter: str) -> None:
    rows = [("s", "t"), ("a", "1"), ('"p""q"', "2"), (f'"{delimiter}"', "3"), ("", "4")]
    write_files(tmp_path, ".csv", ["\n".join(map(delimiter.join, rows))])
    relation = stream("t INT; s STRING", "csv", str(tmp_path), options={"delimiter": delimiter})
    assert agree(ours, relation, identified=False) == "clean"


def test_csv_files_with_different_headers(ours: SparkSession, tmp_path: Path) -> None:
    contents = [
        "t,a\n1,x\n2,y\n",
        "\n\nA, T ,other\r\nx,3,z\r\n\r\nx,4,\n",
        "",
        "\n",
        "t,a\n",
        "a,t\nt,5\n",
        '"a","t"\n"a",6',
    ]
    relation = stream("t INT; a STRING", "csv", write_files(tmp_path, ".csv", contents))
    assert agree(ours, relation) == "clean"
    assert agree(ours, relation, identified=False) == "clean"


def test_a_header_again_is_a_row(ours: SparkSession, tmp_path: Path) -> None:
    """A bad one if a column is a number, else one like any other."""
    glob = write_files(tmp_path, ".csv", ["t,a\n1,x\nt,a\n"])
    assert agree(ours, stream("t INT; a STRING", "csv", glob)) == "bad"
    assert (
        agree(ours, stream("t STRING; a STRING", "csv", glob, start=None, is_stream=False))
        == "clean"
    )


def test_lines_are_numbered_across_blocks(
    ours: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spark_lines, "BLOCK", 1000)
    contents = [
        "t,a\n" + "".join(f"1,{n * 7919 % 1000}\n" for n in range(k)) for k in (900, 1, 300)
    ]
    relation = stream("t INT; a INT", "csv", write_files(tmp_path, ".csv", contents))
    assert agree(ours, relation) == "clean"
    frame = open_source(ours, relation, True)
    assert frame is not None
    assert frame.rdd.getNumPartitions() > 8


def test_csv_the_reference_has_to_read(ours: SparkSession, tmp_path: Path) -> None:
    multiline = write_files(tmp_path / "1", ".csv", ['t,a\n1,"x\ny"\n'])
    assert agree(ours, stream("t INT; a STRING", "csv", multiline)) == "doubt"
    in_header = write_files(tmp_path / "2", ".csv", ['t,"a\nb"\n1,x\n'])
    assert agree(ours, stream("t INT", "csv", in_header)) == "doubt"
    missing = write_files(tmp_path / "3", ".csv", ["t,a\nx,1\n", "a\n1\n"])
    # The first file's bad row comes before the second file's header.
    assert agree(ours, stream("t INT; a INT", "csv", missing)) == "bad"
    assert agree(ours, stream("t INT; a INT", "csv", str(tmp_path / "4" / "*.csv"))) == "bad"


@pytest.mark.parametrize("policy", ["DROP", "KEEP"])
def test_bad_rows_to_pass_over_are_left_to_the_reference(
    ours: SparkSession, tmp_path: Path, policy: str
) -> None:
    glob = write_files(tmp_path, ".csv", ["t,a\n1,x\nbad,y\n", "t,a\n3,z\n"])
    relation = stream("t INT; a STRING", "csv", glob, on_error=policy)
    assert open_source(ours, relation, False) is None
    assert len(read_exactly(source_of(relation)).rejected) == 1
    (tmp_path / "0000.csv").unlink()
    assert agree(ours, relation) == "clean"


def test_bad_rows_are_seen_whatever_the_query(ours: SparkSession, tmp_path: Path) -> None:
    glob = write_files(tmp_path, ".csv", ["t,a,b\n1,x,1\n2,,bad\n"])
    frame = open_source(ours, stream("t INT; a STRING; b INT", "csv", glob), False)
    assert frame is not None
    for query in (
        frame.where("c1 IS NOT NULL"),
        frame.where("c0 = 1").select("c0"),
        frame.select(),
    ):
        with pytest.raises(Exception, match="BAD_ROW") as caught:
            query.collect()
        assert is_doubt(caught.value)
        with pytest.raises(ContinuaError, match="'bad' is not an INT"):
            read_exactly(source_of(stream("t INT; a STRING; b INT", "csv", glob)))


NAMES = ["a b", "p%20q+r", "br[1]{x}*?", "é", "back\\s", "a=1", "q'\"", "#h", "x^`|<>~!@&"]


def test_names_of_files(ours: SparkSession, tmp_path: Path) -> None:
    folder = tmp_path / "k=1" / "_odd {[dir"
    folder.mkdir(parents=True)
    for number, name in enumerate(NAMES):
        (folder / f"{name}.csv").write_text(f"t,a\n1,{number}\n0,{number}\n")
    assert agree(ours, stream("t INT; a INT", "csv", str(folder))) == "clean"
    for name in ("_hidden.csv", "col:on.csv"):
        (folder / name).write_text("t,a\n1,1\n")
        assert agree(ours, stream("t INT; a INT", "csv", str(folder / name))) == "doubt"


COMPRESSED: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".zst": lambda content: pa.compress(content, "zstd", asbytes=True),
}


@pytest.mark.parametrize("ending", COMPRESSED)
def test_compressed_files(
    ours: SparkSession, tmp_path: Path, ending: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also in many blocks, if the files can be cut."""
    monkeypatch.setattr(spark_lines, "BLOCK", 50_000)
    compress = COMPRESSED[ending]
    lines = "".join(f"{n % 7},{n * 7919 % 1000003}\n" for n in range(40_000)).encode()
    (tmp_path / f"a.csv{ending}").write_bytes(compress(b"\xef\xbb\xbft,a\r\n") + compress(lines))
    (tmp_path / "b.csv").write_bytes(b"a,t\n1,2\n")
    (tmp_path / f"c.CSV{ending}").write_bytes(compress(b"t,a\n\n1,2\n"))
    assert agree(ours, stream("t INT; a INT", "csv", str(tmp_path))) == "clean"
    (tmp_path / f"d.csv{ending}").write_bytes(b"t,a\n1,2\n")
    assert agree(ours, stream("t INT; a INT", "csv", str(tmp_path))) == "bad"
    (tmp_path / f"d.csv{ending}").write_bytes(b"")
    assert agree(ours, stream("t INT; a INT", "csv", str(tmp_path))) == "bad"
    whole = compress(b"t,a\n" + lines)
    (tmp_path / f"d.csv{ending}").write_bytes(whole[: len(whole) // 2])
    assert agree(ours, stream("t INT; a INT", "csv", str(tmp_path))) == "bad"
    (tmp_path / f"a.json{ending}").write_bytes(compress(b'{"t": 1}\n\n{"t": 2}\n'))
    assert agree(ours, stream("t INT", "json", str(tmp_path))) == "clean"


def test_what_cannot_be_read_is_refused(ours: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("t\n1\n")
    (tmp_path / "a.parquet").touch()
    assert agree(ours, stream("t INT", "parquet", str(tmp_path))) == "bad"
    (tmp_path / "b.csv.xz").touch()
    assert agree(ours, stream("t INT", "csv", str(tmp_path))) == "bad"
    os.mkfifo(tmp_path / "pipe.json")
    assert agree(ours, stream("t INT", "json", str(tmp_path))) == "bad"
    for format_ in ("csv", "text"):
        call = SourceCall(USING, (format_,), (("path", "/dev/zero"),), SPAN)
        with pytest.raises(ContinuaError, match="/dev/zero is not a regular file"):
            open_source(ours, replace(stream("t INT", "csv"), source=call), False)


def test_a_file_that_vanishes(ours: SparkSession, tmp_path: Path) -> None:
    relation = stream("t INT", "csv", write_files(tmp_path, ".csv", ["t\n1\n", "t\n2\n"]))
    frame = open_source(ours, relation, False)
    assert frame is not None
    (tmp_path / "0001.csv").unlink()
    with pytest.raises(Exception) as caught:
        frame.collect()
    assert is_doubt(caught.value)


# --- Time


def test_validity(ours: SparkSession, tmp_path: Path) -> None:
    contents = ["f,u\n1,5\n2,\n,7\n,\n", "f,u\n5,5\n", "f,u\n6,5\n", "f,u\n-3,-2\n"]
    contents += ["f,u\n9223372036854775807,\n", "f,u\n-9223372036854775808,0\n"]
    glob = write_files(tmp_path, ".csv", contents)
    between = {"start": "f", "end": "u"}
    versions = stream("f BIGINT; u BIGINT", "csv", glob, is_stream=False, **between)
    assert judge_files(ours, versions) == {0, 3}
    assert judge_files(ours, stream("f BIGINT; u BIGINT", "csv", glob, **between)) == {3}
    assert judge_files(ours, stream("f BIGINT", "csv", glob, start="f")) == {1, 2, 3}
    static = stream("f BIGINT", "csv", glob, start=None, is_stream=False)
    assert agree(ours, static) == "clean"


def test_rows_stamped_on_arrival(ours: SparkSession, tmp_path: Path) -> None:
    relation = stream("a INT", "csv", write_files(tmp_path, ".csv", ["a\n1\n2\n"]))
    frame = open_source(ours, relation, False)
    assert frame is not None
    rows = frame.collect()
    now = datetime.now(UTC).timestamp() * 1e6
    assert sorted(row.c0 for row in rows) == [1, 2]
    assert all(now - 60e6 < row.start <= now and row.end == row.start + 1 for row in rows)


# --- JSON


def json_row(cells: dict[str, str]) -> str:
    """A row of texts, the numbers among them as numbers."""
    return "{" + ", ".join(f'"{name}": {text}' for name, text in cells.items()) + "}"


JSON_EASY: dict[str, list[str]] = {
    "b": listed("true|false|null"),
    "i8": listed("127|-128|1.0|-0|-0.0"),
    "i": listed("2147483647|100.00"),
    "t": listed("9223372036854775000|12345678901234567.0"),
    "x": listed('16777217|1.00000017881393432617187499|-0.0|0.1|"-Infinity"'),
    "y": listed(
        '"NaN"|"Infinity"|"-Infinity"',
        "1|-0.0|1.5|1e3|123456789012345678901234567890123456789012345|4.9e-324|0.1",
        "9007199254740993|1e-400",
        "0." + "1" * 60,
    ),
    "d": listed("1|1.005|-1.005|99999.994|0.1"),
    "wide": listed("1|9999999999999999999999999999|0.00000000005"),
    "s": listed('"a"|""|"\\u00e9\\n\\"\\\\"|"\\ud83d\\ude00"|"}"|"{["|" 1 "|"é"'),
    "day": listed('"2026-01-01"|" 2026-01-01 "'),
    "ts": listed('"2026-01-01"|"2026-01-01T12:00:00Z"|"2026-01-01 12:00:00.5+05:30"'),
}

JSON_ODD: dict[str, list[str]] = {
    "b": listed('"true"|1|0|{}|[]'),
    "i8": listed('128|1.5|"1"|1e2|true|[1]|NaN|1e99999999999999999999'),
    "i": listed("2147483648|1.0000000000000000000000000000000000000001", "1" * 5000, '""|01|+1|1.'),
    "t": listed("9223372036854775807|9223372036854775808|1e18|null|-9223372036854775808.0"),
    "x": listed('"1"|true|3.4028235677973366e38|-1e-50|1e39|"nan"|"inf"|"1e39"'),
    "y": listed(
        '1e999|-1e400|"infinity"|" NaN"',
        "1" * 400,
        "1" * 1001,
        'NaN|Infinity|-Infinity|"1"|false|1e9999999999999999|0e99999999999999999999',
        "1." + "0" * 1100,
    ),
    "d": listed('1e2|99999.995|100000|"1"', "1." + "0" * 40, "-0.0|1E0"),
    "wide": listed("1" * 29, "1e-20|9999999999999999999999999999.99999999995"),
    "s": listed(
        '1|1.5|true|{}|[]|"\\ud800"|"\\ude00\\ud83d"|"\\\\ud83d\\ude00"|"\x01"|\'a\'',
        '"\\x41"|"\\u00"|"\\u0000"|"\tx"|"\\/"|a|',
    ),
    "day": listed('20260101|"20260101"|"2026-02-30"|""|"\\u00002026-01-01"|"2026-01-01\\n"|null'),
    "ts": listed('1767225600|"now"|"2026-01-01\\u2028"|1.5'),
    "other": listed(
        "1e99999999999999999999",
        "1" * 5000,
        "[" * 1100 + "]" * 1100,
        "[" * 985 + "]" * 985,
        'NaN|"\\ud800"|[1,]',
        "[" * 60 + "]" * 60,
        '{"a": {"b": [1, {"c": "}"}]}}|{"a": 1, "a": 2}|nul',
    ),
}


def test_json_values(ours: SparkSession, tmp_path: Path) -> None:
    easy, odd = rows_with(JSON_EASY, json_row), rows_with(JSON_ODD, json_row)
    glob = write_files(tmp_path, ".json", ["\n".join(easy + odd)])
    sure = judge_rows(ours, stream(ALL, "json", glob))
    assert sure >= set(range(len(easy)))


def test_json_lines(ours: SparkSession, tmp_path: Path) -> None:
    easy: list[str | bytes] = [
        '{"t": 1}\n\n  \n{"t": 2, "a": null}\r\n\t{"a": "x", "t": 3} \n',
        b'\xef\xbb\xbf{"t": 1}',
        '{"t": 1, "o": {"T": 5, "p": [1, 2]}, "q": "}"}',
        '{"t": 1, "b": "\\u0041"}',
    ]
    odd: list[str | bytes] = [
        '{"T": 1, "A": "x"}',
        '{"T": 1, "t": 2, "A": "x", "a": "y"}',
        '{"t": 1, "A": "x", "\\u0041": "y"}',
        '{"t": 1, "\\u0061": "y"}',
        '{"t": 1, "t": 2}',
        '{"t": 1} x',
        '{"t": 1}]',
        '{"t": 1}}',
        '{"t": 1}] }',
        '{"t": 1}} ]',
        '{"t": 1}, {"t": 2}',
        '{"t": 1} {"t": 2}',
        '{"t": 1}\r{"t": 2}\n',
        '{"t":\r1}\n',
        '[{"t": 1}]',
        "null",
        "1",
        '"t"',
        "{}",
        "{",
        "x",
        '{"t": 1,}',
        "{'t': 1}",
        "{t: 1}",
        '{"t": 1} // no',
        '/**/{"t": 1}',
        b'{"t": 1, "a": "\xff"}',
        b'{"t": 1, "z": "\xed\xa0\x80"}',
        b'{"t": 1}\x0b',
        b'\x0c\n{"t": 1}',
        b'\xef\xbb\xbf\xef\xbb\xbf{"t": 1}',
        b'{"t": 1}\xc2\xa0',
        '{"t": 1, "a": "' + "y" * 200_000 + '"}',
    ]
    glob = write_files(tmp_path, ".json", [*easy, *odd])
    clean = judge_files(ours, stream("t INT; a STRING", "json", glob))
    assert clean >= set(range(len(easy)))


def test_json_columns_of_any_name(ours: SparkSession, tmp_path: Path) -> None:
    glob = write_files(tmp_path, ".json", ['{"a b": 1, "$.c": 2, "t": 3, "x[0]": 4, "": 5}\n'])
    assert agree(ours, stream("a b INT; $.c INT; t INT; x[0] INT", "json", glob)) == "clean"
    assert agree(ours, stream("a'b INT; t INT", "json", glob)) == "doubt"


# --- Parquet


def write_parquet(folder: Path, *tables: pa.Table, **options: Any) -> str:
    folder.mkdir(exist_ok=True)
    for number, table in enumerate(tables):
        pq.write_table(table, folder / f"{number:04}.parquet", **options)
    return str(folder / "*.parquet")


STORED: list[tuple[pa.Array, str, str]] = [
    (pa.array([True, None]), "BOOLEAN", "clean"),
    (pa.array([1, -1], pa.int8()), "INT", "clean"),
    (pa.array([1, 127], pa.int64()), "TINYINT", "clean"),
    (pa.array([1, 128], pa.int64()), "TINYINT", "bad"),
    (pa.array([1, 255], pa.uint8()), "SMALLINT", "clean"),
    (pa.array([1, 2**32 - 1], pa.uint32()), "BIGINT", "clean"),
    (pa.array([1, 2**32 - 1], pa.uint32()), "INT", "bad"),
    (pa.array([1, 2], pa.uint64()), "BIGINT", "doubt"),
    (pa.array([1.5, -0.0], pa.float32()), "REAL", "clean"),
    (pa.array([1.5, float("nan"), -0.0, 1e30, float("inf")]), "REAL", "clean"),
    (pa.array([1.5, 1e300]), "REAL", "bad"),
    (pa.array([1.5, float("nan"), -0.0, 1e300]), "DOUBLE", "clean"),
    (pa.array([1, 2**53 + 1]), "DOUBLE", "clean"),
    (pa.array([1.0, 2.0]), "INT", "doubt"),
    (pa.array([1.0, 2.5]), "INT", "bad"),
    (pa.array([None, None], pa.float64()), "INT", "clean"),
    (pa.array([1.5, 2.5]), "DECIMAL(5,2)", "doubt"),
    (pa.array([Decimal("1.25"), None]), "DECIMAL(5,1)", "clean"),
    (pa.array([Decimal("1.25"), None]), "DOUBLE", "clean"),
    (pa.array([Decimal("123.25"), None]), "DECIMAL(3,1)", "bad"),
    (pa.array([123, None]), "DECIMAL(5,2)", "clean"),
    (pa.array([Decimal("9" * 20 + ".25")]), "DECIMAL(38,4)", "clean"),
    (pa.array(["a", "é", None]), "STRING", "clean"),
    (pa.array(["a", "b", "a"]).dictionary_encode(), "STRING", "clean"),
    (pa.array(["a"], pa.large_string()), "STRING", "clean"),
    (pa.array([b"a"]), "STRING", "bad"),
    (pa.array(["1"]), "INT", "bad"),
    (pa.array([1]), "STRING", "bad"),
    (pa.array([1]), "BOOLEAN", "bad"),
    (pa.array([1]), "TIMESTAMP", "bad"),
    (pa.array(["2026-01-01", None]), "DATE", "clean"),
    (pa.array(["2026-01-01 12:00:00"]), "TIMESTAMP", "clean"),
    (pa.array(["2026-1-1"]), "DATE", "doubt"),
    (pa.array(["20260101"]), "DATE", "bad"),
    (pa.array([date(1, 1, 1), date(9999, 12, 31)]), "DATE", "clean"),
    (pa.array([date(1500, 1, 1), None]), "TIMESTAMP", "clean"),
    (pa.array([3_000_000], pa.date32()), "DATE", "bad"),
    (pa.array([datetime(2026, 1, 1)]), "DATE", "bad"),
    (pa.array([0, -1500, 10**12 + 7], pa.timestamp("ms")), "TIMESTAMP", "clean"),
    (pa.array([0, -1500, 10**15 + 7], pa.timestamp("us")), "TIMESTAMP", "clean"),
    (pa.array([0, -1500, 10**15 + 7], pa.timestamp("us", "Europe/Paris")), "TIMESTAMP", "clean"),
    (pa.array([0, -1500, 10**18 + 7], pa.timestamp("ns")), "TIMESTAMP", "clean"),
    (pa.array([0, -1500, 10**18 + 7], pa.timestamp("ns", "UTC")), "TIMESTAMP", "clean"),
    (pa.array([0, 10**9], pa.timestamp("s")), "TIMESTAMP", "clean"),
    (pa.array([10**18], pa.timestamp("us")), "TIMESTAMP", "bad"),
    (pa.array([[1]]), "INT", "bad"),
    (pa.array([None], pa.null()), "INT", "doubt"),
    (pa.array([timedelta(1)]), "BIGINT", "bad"),
]


@pytest.mark.parametrize(
    ("stored", "declared", "outcome"), STORED, ids=[f"{a.type} as {t}" for a, t, _ in STORED]
)
def test_parquet_types(
    ours: SparkSession, tmp_path: Path, stored: pa.Array, declared: str, outcome: str
) -> None:
    table = pa.table({"t": range(len(stored)), "A": stored})
    relation = stream(f"a {declared}; t INT", "parquet", write_parquet(tmp_path, table))
    assert agree(ours, relation) == outcome


def test_parquet_int96(ours: SparkSession, tmp_path: Path) -> None:
    for number, (values, outcome) in enumerate((([0, 10**15 + 7], "clean"), ([-1500], "doubt"))):
        table = pa.table({"t": pa.array(values, pa.timestamp("us"))})
        glob = write_parquet(tmp_path / str(number), table, use_deprecated_int96_timestamps=True)
        assert agree(ours, stream("t TIMESTAMP", "parquet", glob)) == outcome


def test_parquet_files_in_order(ours: SparkSession, tmp_path: Path) -> None:
    tables = [
        pa.table({"t": [1] * 50, "a": [n * 37 % 50 for n in range(50)]}),
        pa.table({"a": pa.array([9, 8], pa.int8()), "extra": ["x", "y"], "T": [1, 1]}),
        pa.table({"t": pa.array([], pa.int64()), "a": pa.array([], pa.int64())}),
        pa.table({"t": [1] * 20, "a": [n * 7 % 20 for n in range(20)]}),
    ]
    glob = write_parquet(tmp_path, *tables, row_group_size=7)
    relation = stream("t BIGINT; a BIGINT", "parquet", glob)
    assert agree(ours, relation) == "clean"
    assert agree(ours, relation, identified=False) == "clean"


@pytest.mark.parametrize("statistics", [True, False])
def test_parquet_without_a_time(ours: SparkSession, tmp_path: Path, statistics: bool) -> None:
    good, bad = pa.table({"t": [1, 2]}), pa.table({"t": [1, None]})
    write_parquet(tmp_path / "good", good, write_statistics=statistics)
    write_parquet(tmp_path / "bad", bad, write_statistics=statistics)
    assert agree(ours, stream("t INT", "parquet", str(tmp_path / "good"))) == "clean"
    assert agree(ours, stream("t INT", "parquet", str(tmp_path / "bad"))) == "bad"
    kept = stream("t INT", "parquet", str(tmp_path / "bad"), on_error="KEEP")
    assert open_source(ours, kept, False) is None


def test_parquet_with_good_statistics_is_not_checked(ours: SparkSession, tmp_path: Path) -> None:
    """So filters reach the files, and columns nobody asks for are not read."""
    glob = write_parquet(tmp_path, pa.table({"t": [1, 2], "a": [1, 2], "s": ["x", "y"]}))
    frame = open_source(ours, stream("t BIGINT; a BIGINT; s STRING", "parquet", glob), False)
    assert frame is not None
    plan = frame.where("c1 = 1").select("c0")._jdf.queryExecution().executedPlan().toString()
    assert "EqualTo(a,1)" in plan
    assert "ReadSchema: struct<t:bigint,a:bigint>" in plan


def test_parquet_bad_rows_are_seen_whatever_the_query(ours: SparkSession, tmp_path: Path) -> None:
    table = pa.table({"t": [1, 2], "a": [1, 2**40], "b": [1, None]})
    relation = stream(
        "t INT; a INT; b INT", "parquet", write_parquet(tmp_path, table, row_group_size=1)
    )
    frame = open_source(ours, relation, False)
    assert frame is not None
    for query in (frame.where("c2 = 1"), frame.where("start = 1").select("c0"), frame.select()):
        with pytest.raises(Exception, match="BAD_ROW"):
            query.collect()


def test_parquet_texts_that_are_none(ours: SparkSession, tmp_path: Path) -> None:
    binary = pa.array([b"a", b"\xff"]).view(pa.string())
    glob = write_parquet(tmp_path, pa.table({"t": [1, 2], "s": binary}))
    assert agree(ours, stream("t INT; s STRING", "parquet", glob)) == "bad"
    assert (
        open_source(ours, stream("t INT; s STRING", "parquet", glob, on_error="DROP"), False)
        is None
    )


def test_parquet_the_reference_has_to_read(ours: SparkSession, tmp_path: Path) -> None:
    twice = pa.table([[1], [2]], names=["t", "T"])
    assert agree(ours, stream("t INT", "parquet", write_parquet(tmp_path / "1", twice))) == "doubt"
    (tmp_path / "no.parquet").write_bytes(b"no Parquet")
    assert agree(ours, stream("t INT", "parquet", str(tmp_path / "no.parquet"))) == "bad"
    no_t = write_parquet(tmp_path / "2", pa.table({"a": [1]}))
    assert agree(ours, stream("t INT", "parquet", no_t)) == "bad"


def test_parquet_by_judgement(ours: SparkSession, tmp_path: Path) -> None:
    tables = [
        pa.table({"t": [n], "a": pa.array([v], pa.int64())}) for n, v in enumerate([1, 2**31, None])
    ]
    glob = write_parquet(tmp_path, *tables)
    assert judge_files(ours, stream("t INT; a INT", "parquet", glob)) == {0, 2}


# --- Formats of Spark


def test_using(ours: SparkSession, tmp_path: Path) -> None:
    lines = [{"t": 1, "A": "1.5", "extra": 1}, {"t": 2, "A": None}, {"t": 2, "A": "0"}]
    (tmp_path / "a.json").write_text("\n".join(map(json.dumps, lines)))
    relation = stream("a DOUBLE; t INT", USING, "json", options={"path": str(tmp_path)})
    frame = open_source(ours, relation, True)
    assert frame is not None
    # Without positions, rows have the order of their values.
    assert found(relation, frame) == [(None, 2, 2, 3), ("0.0", 2, 2, 3), ("1.5", 1, 1, 2)]


def test_using_bad_rows(ours: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("t,a\n1,2\n2,x\n,3\n")
    options = {"path": str(tmp_path), "header": True}
    relation = stream("a INT; t INT", USING, "csv", options=options)
    frame = open_source(ours, relation, False)
    assert frame is not None
    with pytest.raises(Exception, match="BAD_ROW") as caught:
        frame.collect()
    assert is_doubt(caught.value)
    with pytest.raises(ContinuaError, match="the csv source of s"):
        read_exactly(source_of(relation))
    passing = open_source(ours, replace(relation, on_error="DROP"), False)
    assert passing is not None
    assert found(relation, passing) == [(2, 1, 1, 2)]


@pytest.mark.parametrize(
    ("format_", "options", "code", "message"),
    [
        ("nonesuch", {}, "SOURCE_NOT_FOUND", "Spark knows no format nonesuch"),
        ("csv", {"path": "/no/such/file"}, "SOURCE_NOT_FOUND", "no file /no/such/file"),
        ("json", {"path": "{}/empty"}, "SOURCE_NOT_FOUND", "the json source of s has no file yet"),
        ("csv", {}, "WRONG_ARGUMENTS", "Spark cannot read the csv source of s"),
        ("csv", {"path": "{}", "mode": "x", "sep": ""}, "WRONG_ARGUMENTS", "Spark cannot read"),
        ("csv", {"path": "{}"}, "MISSING_COLUMN", "the csv source of s has no column a"),
        ("json", {"path": "{}"}, "TYPE_MISMATCH", "column a of the json source of s is ARRAY"),
    ],
)
def test_using_wrongly(
    ours: SparkSession,
    tmp_path: Path,
    format_: str,
    options: dict[str, str],
    code: str,
    message: str,
) -> None:
    (tmp_path / "a.json").write_text('{"a": [1], "t": 2}')
    (tmp_path / "empty").mkdir()
    given = {key: value.replace("{}", str(tmp_path)) for key, value in options.items()}
    relation = stream("a INT; t INT", USING, format_, options=given)
    with pytest.raises(ContinuaError, match=message) as caught:
        open_source(ours, relation, False)
    assert caught.value.code == code
    assert caught.value.span == SPAN
    assert "Exception" not in str(caught.value)


def test_other_sources_are_left_to_the_reference(ours: SparkSession) -> None:
    assert open_source(ours, stream("t INT", "rows", 1, 2), False) is None
