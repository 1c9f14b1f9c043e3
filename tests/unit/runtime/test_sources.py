"""Reading sources: every defined outcome, of good input and of bad."""

import bz2
import csv
import gzip
import io
import math
import os
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from continua import Session
from continua.errors import ContinuaError, Source, Span
from continua.model.catalog import USING, Relation, SourceCall
from continua.model.instant import INFINITY, MINUS_INFINITY
from continua.model.schema import INTEGER_TIME, TIMESTAMP_TIME, Column, to_micros
from continua.model.types import parse_type
from continua.runtime.sources.csv_rows import rows_of
from continua.runtime.sources.kinds import FUNCTIONS, source_of
from continua.runtime.sources.read import ReadRows, Rejected
from continua.runtime.sources.read import read as read_source

SPAN = Span(Source("SOURCE"), 0, 6)


def check(relation: Relation) -> None:
    source_of(relation)


def read(relation: Relation) -> ReadRows:
    return read_source(source_of(relation))


def columns(text: str) -> tuple[Column, ...]:
    """`'t INT; price DECIMAL(10,2)'` as columns."""
    found = []
    for part in text.split(";"):
        name, _, type_ = part.strip().partition(" ")
        parsed = parse_type(type_)
        assert parsed is not None, part
        found.append(Column(name, parsed))
    return tuple(found)


def stream(declared: str, function: str, *args: object, **rest: Any) -> Relation:
    """A stream ordered by its column `t`, if it has one and nothing else is said."""
    cols = columns(declared)
    default = "t" if any(c.name == "t" for c in cols) else None
    start, end = rest.pop("start", default), rest.pop("end", None)
    on_error = rest.pop("on_error", "FAIL")
    options = rest.pop("options", {})
    types = {c.name.lower(): c.type for c in cols}
    time = None
    if start:
        time = INTEGER_TIME if types[start.lower()].integral else TIMESTAMP_TIME
    call = SourceCall(function, args, tuple(options.items()), SPAN)
    return Relation("s", cols, call, True, time, start, end, on_error, **rest)


def table(
    declared: str,
    *rows: object,
    start: str | None = None,
    end: str | None = None,
    on_error: str = "FAIL",
) -> Relation:
    call = SourceCall("rows", rows, (), SPAN)
    return Relation(
        "r", columns(declared), call, False, INTEGER_TIME if start else None, start, end, on_error
    )


def values(delivery: ReadRows) -> list[tuple[object, ...]]:
    assert delivery.rejected == ()
    return [row.values for row in delivery.rows]


def failure(relation: Relation, code: str, *, at: Any = read) -> ContinuaError:
    """The error; it always has the place of the source."""
    with pytest.raises(ContinuaError) as caught:
        at(relation)
    assert caught.value.code == code, caught.value
    assert caught.value.span == SPAN
    return caught.value


def put(path: Path, content: str | bytes) -> str:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return str(path)


# Validity in time.


def test_a_stream_of_integer_time_lasts_one_unit() -> None:
    (row,) = read(stream("t INT; a STRING", "rows", (7, "x"))).rows
    assert row == ((7, "x"), 7, 8, 0)
    assert type(row.start) is type(row.end) is int


def test_a_timestamp_is_counted_in_microseconds() -> None:
    when = datetime(2026, 1, 2, 3, 4, 5, 678901)
    (row,) = read(stream("t TIMESTAMP", "rows", (when,))).rows
    assert row == ((when,), to_micros(when), to_micros(when) + 1, 0)


def test_literal_rows_keep_all_digits_of_either_sign() -> None:
    session = Session(engine="reference")
    most = "9" * 36 + ".99"
    session.sql(f"CREATE TABLE d (v DECIMAL(38,2)) SOURCE rows(({most}), (-{most}), (-0.00))")
    found = [str(v) for (v,) in session.sql("SELECT v FROM d").snapshot()]
    assert found == [f"-{most}", "0.00", most]


def test_the_time_attribute_is_found_in_any_case() -> None:
    (row,) = read(stream("a INT; Ts INT", "rows", (1, 5), start="tS")).rows
    assert (row.values, row.start) == ((1, 5), 5)


def test_until_gives_the_end_and_null_means_for_ever() -> None:
    relation = stream("t INT; e INT", "rows", (1, 4), (2, None), end="E")
    assert [(row.start, row.end) for row in read(relation).rows] == [(1, 4), (2, INFINITY)]


@pytest.mark.parametrize(("end", "wrong"), [(2, "is empty"), (1, "ends before it starts")])
def test_validity_that_ends_before_it_starts_is_bad(end: int, wrong: str) -> None:
    error = failure(stream("t INT; e INT", "rows", (2, end), end="e"), "BAD_ROW")
    assert error.message == f"rows, row 1: its validity {wrong}"


def test_a_stream_needs_a_time_in_every_row() -> None:
    error = failure(stream("t INT", "rows", (1,), (None,)), "BAD_ROW")
    assert error.message == "rows, row 2: the time attribute t is NULL"


def test_without_a_time_attribute_rows_are_stamped_on_arrival(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ticks = iter(range(1_234_567_890_999, 2_000_000_000_000, 1_000_000))
    monkeypatch.setattr("time.time_ns", lambda: next(ticks))
    rows = read(stream("a INT", "rows", (2,), (1,))).rows
    assert rows == (
        ((2,), 1_234_567_890, 1_234_567_891, 0),
        ((1,), 1_234_567_890, 1_234_567_891, 1),
    )


def test_a_static_table_is_always_valid() -> None:
    assert read(table("a INT", (1,))).rows == (((1,), MINUS_INFINITY, INFINITY, 0),)


def test_a_versioned_table_is_open_where_a_bound_is_null() -> None:
    relation = table(
        "a INT; f INT; u INT",
        (1, 3, 5),
        (2, None, 4),
        (3, 2, None),
        (4, None, None),
        start="f",
        end="u",
    )
    assert [(row.values[0], row.start, row.end) for row in read(relation).rows] == [
        (2, MINUS_INFINITY, 4),
        (4, MINUS_INFINITY, INFINITY),
        (3, 2, INFINITY),
        (1, 3, 5),
    ]
    assert (
        "is empty" in failure(table("f INT; u INT", (3, 3), start="f", end="u"), "BAD_ROW").message
    )


def test_a_versioned_table_without_an_end_lasts() -> None:
    assert [(r.start, r.end) for r in read(table("f INT", (3,), start="f")).rows] == [(3, INFINITY)]


def test_rows_are_sorted_by_time_then_position() -> None:
    relation = stream("t INT; a STRING", "rows", (3, "x"), (1, "z"), (3, "a"), (-1, "y"))
    assert [(row.start, row.phi) for row in read(relation).rows] == [
        (-1, 3),
        (1, 1),
        (3, 0),
        (3, 2),
    ]


# Bad rows.


def test_fail_names_the_row_the_value_and_the_column(tmp_path: Path) -> None:
    path = put(tmp_path / "bids.csv", "t,price\n1,2\n2,abc\n")
    error = failure(stream("t INT; price INT", "csv", path), "BAD_ROW")
    assert error.message == "bids.csv, line 3: 'abc' is not an INT in column price"
    assert error.hint == "ON ERROR DROP or KEEP passes over such rows"


@pytest.mark.parametrize("policy", ["DROP", "KEEP"])
def test_the_other_policies_go_on_and_keep_positions(tmp_path: Path, policy: str) -> None:
    path = put(tmp_path / "bids.csv", "t,price\n1,2\n2,abc\n,4\n4,5\n")
    delivery = read(stream("t INT; price INT", "csv", path, on_error=policy))
    assert [(row.values, row.phi) for row in delivery.rows] == [((1, 2), (0, 0)), ((4, 5), (0, 3))]
    assert delivery.rejected == (
        Rejected("bids.csv:3", "'abc' is not an INT in column price", "2,abc"),
        Rejected("bids.csv:4", "the time attribute t is NULL", ",4"),
    )


def test_what_is_shown_of_a_bad_row_is_short(tmp_path: Path) -> None:
    path = put(tmp_path / "long.csv", f"t\n{'x' * 5000}\n")
    (rejected,) = read(stream("t INT", "csv", path, on_error="DROP")).rejected
    assert len(rejected.text) == 200
    assert rejected.text.startswith("xxx")
    assert len(rejected.reason) < 250


# csv.


def test_csv_finds_columns_by_name_and_ignores_others(tmp_path: Path) -> None:
    path = put(tmp_path / "a.csv", "more, PRICE ,T\nx,2.5,1\ny,,2\n")
    relation = stream("t INT; price DECIMAL(5,2)", "csv", path)
    assert values(read(relation)) == [(1, Decimal("2.50")), (2, None)]


def test_csv_prefers_the_exact_name_and_refuses_to_guess(tmp_path: Path) -> None:
    path = put(tmp_path / "a.csv", "T,t\n1,2\n")
    assert values(read(stream("t INT", "csv", path))) == [(2,)]
    path = put(tmp_path / "b.csv", "AB,Ab\n1,2\n")
    assert "AB, Ab" in failure(stream("ab INT", "csv", path), "AMBIGUOUS_COLUMN").message


@pytest.mark.parametrize("policy", ["FAIL", "DROP"])
def test_csv_misses_a_declared_column(tmp_path: Path, policy: str) -> None:
    path = put(tmp_path / "a.csv", "t,prize\n")
    error = failure(stream("t INT; price INT", "csv", path, on_error=policy), "MISSING_COLUMN")
    assert error.message == "a.csv has no column price"
    assert error.hint == "did you mean prize? its columns are t, prize"


def test_csv_without_header_goes_by_position(tmp_path: Path) -> None:
    path = put(tmp_path / "a.csv", "1,x\n2,y\n")
    assert values(read(stream("t INT; a STRING", "csv", path, options={"header": False}))) == [
        (1, "x"),
        (2, "y"),
    ]


@pytest.mark.parametrize("header", [True, False])
def test_csv_rows_of_another_width_are_bad(tmp_path: Path, header: bool) -> None:
    path = put(tmp_path / "a.csv", ("t,a\n" if header else "") + "1\n2,x\n3,x,y\n")
    delivery = read(
        stream("t INT; a STRING", "csv", path, options={"header": header}, on_error="DROP")
    )
    assert [row.values for row in delivery.rows] == [(2, "x")]
    assert [r.place for r in delivery.rejected] == [f"a.csv:{1 + header}", f"a.csv:{3 + header}"]
    whose = "in the header" if header else "declared"
    assert [r.reason for r in delivery.rejected] == [
        f"1 field instead of the 2 {whose}",
        f"3 fields instead of the 2 {whose}",
    ]


@pytest.mark.parametrize("given", [";", "\t", r"\t"])
def test_csv_delimiter(tmp_path: Path, given: str) -> None:
    used = ";" if given == ";" else "\t"
    path = put(tmp_path / "a.csv", f"t{used}a\n1{used}x,y\n")
    assert values(read(stream("t INT; a STRING", "csv", path, options={"delimiter": given}))) == [
        (1, "x,y")
    ]


def test_csv_skips_a_byte_order_mark_and_blank_lines(tmp_path: Path) -> None:
    path = put(tmp_path / "a.csv", b"\xef\xbb\xbf\r\nt,a\r\n\r\n1,\xc3\xa4\r\n\r\n2,b")
    assert values(read(stream("t INT; a STRING", "csv", path))) == [(1, "ä"), (2, "b")]


def test_csv_counts_lines_inside_quotes(tmp_path: Path) -> None:
    path = put(
        tmp_path / "a.csv", 't,a\n1,"x\n\ny"\nbad,"u\nv"\n2,"he said ""hi"", twice"\nworse,z\n'
    )
    delivery = read(stream("t INT; a STRING", "csv", path, on_error="DROP"))
    assert [row.values for row in delivery.rows] == [(1, "x\n\ny"), (2, 'he said "hi", twice')]
    assert [(r.place, r.text) for r in delivery.rejected] == [
        ("a.csv:5", 'bad,"u\nv"'),
        ("a.csv:8", "worse,z"),
    ]


def test_csv_quote_that_is_not_closed_is_bad(tmp_path: Path) -> None:
    path = put(tmp_path / "a.csv", 't,a\n1,x\n2,"y\n3,z\n')
    assert failure(stream("t INT; a STRING", "csv", path), "BAD_ROW").message.startswith(
        "a.csv, line 3: not CSV"
    )


def test_csv_bytes_that_are_not_utf8_spoil_one_row(tmp_path: Path) -> None:
    path = put(tmp_path / "a.csv", b"t,a\n1,x\n2,caf\xe9\n3,z\n")
    delivery = read(stream("t INT; a STRING", "csv", path, on_error="KEEP"))
    assert [row.values for row in delivery.rows] == [(1, "x"), (3, "z")]
    assert delivery.rejected == (Rejected("a.csv:3", "not UTF-8 text", r"2,caf\xe9"),)


def test_csv_tells_null_from_the_empty_text(tmp_path: Path) -> None:
    path = put(tmp_path / "a.csv", 't,a,n\n1,,\n2,"",""\n3," ",1\n')
    relation = stream("t INT; a STRING; n INT", "csv", path)
    assert values(read(relation)) == [(1, None, None), (2, "", None), (3, " ", 1)]


def test_csv_of_one_column_has_a_null_on_an_empty_line(tmp_path: Path) -> None:
    path = put(tmp_path / "a.csv", '\na\n\nx\n""\n')
    relation = replace(stream("a STRING", "csv", path), is_stream=False)
    assert values(read(relation)) == [(None,), ("x",), ("",)]


def test_csv_fields_may_be_long(tmp_path: Path) -> None:
    long = "x,\n" * 100_000
    path = put(tmp_path / "a.csv", f't,a\n1,"{long}"\n')
    assert values(read(stream("t INT; a STRING", "csv", path))) == [(1, long)]


@given(st.text(st.sampled_from('",;a \r\n'), max_size=20))
def test_csv_is_cut_as_python_cuts_it(content: str) -> None:
    """But what is empty, in quotes, and a line that is."""
    lines = io.StringIO(content, newline="")
    wanted: list[list[str] | None] = []
    reader = csv.reader(lines, strict=True)
    while True:
        try:
            wanted.append(next(reader))
        except StopIteration:
            break
        except csv.Error:
            wanted.append(None)
    found = list(rows_of(io.StringIO(content, newline=""), ","))
    assert [r for r in wanted if r != []] == [
        None if row.problem else [field or "" for field in row.fields]
        for row in found
        if not row.blank
    ]


@pytest.mark.parametrize("policy", ["FAIL", "DROP"])
@pytest.mark.parametrize(
    ("type_", "number"), [("DOUBLE", "1e400"), ("DOUBLE", "-1e309"), ("FLOAT", "3.5e38")]
)
def test_a_number_too_large_for_its_type_is_bad(
    tmp_path: Path, type_: str, number: str, policy: str
) -> None:
    contents = {
        "csv": f"t,x\n1,{number}\n2,-inf\n",
        "json": f'{{"t": 1, "x": {number}}}\n{{"t": 2, "x": "-Infinity"}}\n',
    }
    for function, content in contents.items():
        path = put(tmp_path / f"a.{function}", content)
        relation = stream(f"t INT; x {type_}", function, path, on_error=policy)
        if policy == "FAIL":
            assert f"does not fit {type_} in column x" in failure(relation, "BAD_ROW").message
        else:
            assert [row.values for row in read(relation).rows] == [(2, -math.inf)]
    stored = pa.array([1e300, math.inf], "float64")
    path = parquet(tmp_path / "a.parquet", t=pa.array([1, 2]), x=stored)
    narrowed = read(stream("t BIGINT; x FLOAT", "parquet", path, on_error="DROP"))
    assert [row.values for row in narrowed.rows] == [(2, math.inf)]


def test_csv_header_that_is_not_utf8_is_an_error_under_any_policy(tmp_path: Path) -> None:
    path = put(tmp_path / "a.csv", "t,a\n1,x\n".encode("utf-16"))
    error = failure(stream("t INT; a STRING", "csv", path, on_error="DROP"), "BAD_ROW")
    assert error.message == "a.csv, line 1: not UTF-8 text"


# json.


def test_json_reads_an_object_per_line(tmp_path: Path) -> None:
    lines = '\ufeff{"T": 1, "more": [], "p": 0.10}\n\n  \r\n{"t": 2, "P": null}\r\n{"t": 3.0}'
    relation = stream("t INT; p DECIMAL(20,18)", "json", put(tmp_path / "a.json", lines))
    delivery = read(relation)
    assert values(delivery) == [(1, Decimal("0.1")), (2, None), (3, None)]
    assert [row.phi for row in delivery.rows] == [(0, 0), (0, 1), (0, 2)]


def test_json_decimals_are_exact(tmp_path: Path) -> None:
    path = put(tmp_path / "a.json", '{"t": 1, "p": 12345678901234567890.123456789}')
    assert values(read(stream("t INT; p DECIMAL(38,9)", "json", path))) == [
        (1, Decimal("12345678901234567890.123456789"))
    ]


def test_json_types(tmp_path: Path) -> None:
    line = '{"t": "2026-01-01T00:00:00Z", "d": "2026-02-03", "b": true, "x": 1.5, "y": 2, "s": "ü"}'
    relation = stream(
        "t TIMESTAMP; d DATE; b BOOLEAN; x DOUBLE; y DOUBLE; s STRING",
        "json",
        put(tmp_path / "a.json", line),
    )
    assert values(read(relation)) == [(datetime(2026, 1, 1), date(2026, 2, 3), True, 1.5, 2.0, "ü")]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"t": 1', "not JSON: Expecting ',' delimiter at character 8"),
        (b"[1]", "not a JSON object"),
        (b"7", "not a JSON object"),
        (b'{"t": "1"}', "'1' is not an INT in column t"),
        (b'{"t": true}', "true is not an INT in column t"),
        (b'{"t": 1.5}', "1.5 is not an INT in column t"),
        (b'{"t": 3000000000}', "3000000000 does not fit INT in column t"),
        (b'{"t": 1e999999999}', "1E+999999999 does not fit INT in column t"),
        (b'{"t": {}}', "{} is not an INT in column t"),
        (b'{"t": 1, "a": 2.5}', "2.5 is not a STRING in column a"),
        (b'{"t": 1, "a": 5}', "5 is not a STRING in column a"),
        (b'{"t": 1, "a": "\\ud800"}', "'\\ud800' is not a STRING in column a"),
        (b'{"t": 1, "x": 1' + b"0" * 400 + b"}", "not a DOUBLE in column x"),
        (b'{"t": 1, "x": 1' + b"0" * 5000 + b"}", "not JSON: a number too large"),
        (b"[" * 100_000, "not JSON: a number too large, or too many brackets"),
        (b'{"t": 1, "a": "\xe9"}', "not UTF-8 text"),
        (b'{"T": 1, "a": "", "X": 1, "t": 1, "A": 0, "x": 0, "Y": 1}', None),
        (b'{"t": 1, "AA": 1, "Aa": 2}', "column aa could be any of 'AA', 'Aa'"),
    ],
)
def test_json_bad_lines(tmp_path: Path, line: bytes, reason: str | None) -> None:
    path = put(tmp_path / "a.json", b'{"t": 0}\n' + line + b'\n{"t": 9}\n')
    delivery = read(stream("t INT; a STRING; x DOUBLE; aa INT", "json", path, on_error="DROP"))
    assert [row.values[0] for row in delivery.rows] == ([0, 9] if reason else [0, 1, 9])
    assert [r.place for r in delivery.rejected] == ["a.json:2"] * bool(reason)
    for rejected in delivery.rejected:
        # Of a value longer than what is shown, only the end of the reason is comparable.
        assert (
            rejected.reason == reason
            if len(line) < 200
            else reason.split(",")[0] in rejected.reason
        )
        assert rejected.text[:6] == line[:6].decode()


# parquet.


def parquet(path: Path, **cols: Any) -> str:
    pq.write_table(pa.table(cols), path)
    return str(path)


def test_parquet_finds_columns_by_name(tmp_path: Path) -> None:
    path = parquet(tmp_path / "a.parquet", more=[[1], [2]], P=[Decimal("1.10"), None], T=[2, 1])
    delivery = read(stream("t INT; p DECIMAL(5,2)", "parquet", path))
    assert values(delivery) == [(1, None), (2, Decimal("1.10"))]
    assert [row.phi for row in delivery.rows] == [(0, 1), (0, 0)]


def test_parquet_timestamps_of_every_unit_and_zone(tmp_path: Path) -> None:
    when = datetime(2026, 7, 1, 12, 0, 0)
    path = parquet(
        tmp_path / "a.parquet",
        ms=pa.array([when], pa.timestamp("ms")),
        ns=pa.array([to_micros(when) * 1000 + 1], pa.timestamp("ns")),
        zone=pa.array([when.replace(tzinfo=UTC)], pa.timestamp("us", "Europe/Berlin")),
    )
    (found,) = values(
        read(stream("ms TIMESTAMP; ns TIMESTAMP; zone TIMESTAMP", "parquet", path, start="ns"))
    )
    assert found == (when, when, when)
    assert {type(value) for value in found} == {datetime}


def test_parquet_values_of_a_wrong_type_are_bad_rows(tmp_path: Path) -> None:
    path = parquet(tmp_path / "a.parquet", t=[1, 2**40, 3], a=["x", "y", "z"])
    delivery = read(stream("t INT; a STRING", "parquet", path, on_error="DROP"))
    assert [(row.values, row.phi) for row in delivery.rows] == [
        ((1, "x"), (0, 0)),
        ((3, "z"), (0, 2)),
    ]
    assert delivery.rejected == (
        Rejected(
            "a.parquet:2", "1099511627776 does not fit INT in column t", "(1099511627776, 'y')"
        ),
    )
    assert failure(stream("t INT; a STRING", "parquet", path), "BAD_ROW").message.startswith(
        "a.parquet, row 2: "
    )


def test_parquet_times_beyond_the_calendar_are_bad_rows(tmp_path: Path) -> None:
    path = parquet(tmp_path / "a.parquet", t=pa.array([10**18, 0], pa.timestamp("us")), a=[1, 2])
    delivery = read(stream("t TIMESTAMP; a INT", "parquet", path, on_error="DROP"))
    assert [row.values[1] for row in delivery.rows] == [2]
    assert [(r.place, "1000000000000000000" in r.text) for r in delivery.rejected] == [
        ("a.parquet:1", True)
    ]


def test_parquet_strings_that_are_not_utf8_are_bad_rows(tmp_path: Path) -> None:
    spoilt = pa.Array.from_buffers(
        pa.string(), 1, [None, pa.py_buffer(b"\0\0\0\0\1\0\0\0"), pa.py_buffer(b"\xff")]
    )
    path = parquet(tmp_path / "a.parquet", t=[1], a=spoilt)
    error = failure(stream("t INT; a STRING", "parquet", path), "BAD_ROW")
    assert error.message.startswith("a.parquet, row 1: a value cannot be read: ")


def test_parquet_misses_a_declared_column(tmp_path: Path) -> None:
    error = failure(
        stream("t INT; b INT", "parquet", parquet(tmp_path / "a.parquet", t=[1])), "MISSING_COLUMN"
    )
    assert error.message == "a.parquet has no column b"
    assert error.hint == "its columns are t"


@pytest.mark.parametrize("policy", ["FAIL", "DROP"])
def test_a_file_that_is_not_parquet_is_an_error_under_any_policy(
    tmp_path: Path, policy: str
) -> None:
    error = failure(
        stream("t INT", "parquet", put(tmp_path / "a.parquet", "t\n1\n"), on_error=policy),
        "BAD_ROW",
    )
    assert error.message.startswith("a.parquet cannot be read as Parquet: ")


# Files.


@pytest.mark.parametrize("function", ["csv", "json"])
def test_an_empty_file_is_an_empty_stream(tmp_path: Path, function: str) -> None:
    assert read(stream("t INT", function, put(tmp_path / "a", ""))) == ReadRows((), ())


@pytest.mark.parametrize("policy", ["FAIL", "DROP"])
def test_an_empty_file_is_no_parquet(tmp_path: Path, policy: str) -> None:
    path = put(tmp_path / "a.parquet", "")
    error = failure(stream("t INT", "parquet", path, on_error=policy), "BAD_ROW")
    assert error.message.startswith("a.parquet cannot be read as Parquet")


COMPRESSED: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".zst": lambda content: pa.compress(content, "zstd", asbytes=True),
}


@pytest.mark.parametrize("ending", COMPRESSED)
def test_compressed_files_of_a_directory_are_read(tmp_path: Path, ending: str) -> None:
    put(tmp_path / "a.csv", "t,a\n1,x\n")
    put(
        tmp_path / f"b.CSV{ending}",
        COMPRESSED[ending](b'\xef\xbb\xbft,a\r\n\r\n2,"y\nz"\n3,\xff\n'),
    )
    relation = stream("t INT; a STRING", "csv", str(tmp_path), on_error="KEEP")
    delivery = read(relation)
    assert [(row.values, row.phi) for row in delivery.rows] == [
        ((1, "x"), (0, 0)),
        ((2, "y\nz"), (1, 0)),
    ]
    assert [r.place for r in delivery.rejected] == [f"b.CSV{ending}:5"]
    put(tmp_path / f"c.jsonl{ending}", COMPRESSED[ending](b'{"t": 1}\n\n{"t": 2}'))
    assert values(read(stream("t INT", "json", str(tmp_path)))) == [(1,), (2,)]


@pytest.mark.parametrize("ending", COMPRESSED)
@pytest.mark.parametrize("wrong", ["empty", "cut", "plain"])
def test_what_is_not_compressed_as_it_says_is_refused(
    tmp_path: Path, ending: str, wrong: str
) -> None:
    lines = "".join(f"{t},{t * 7919 % 10007}\n" for t in range(20_000))
    whole = COMPRESSED[ending](f"t,a\n{lines}".encode())
    content = {"empty": b"", "cut": whole[: len(whole) // 2], "plain": b"t,a\n1,2\n"}[wrong]
    path = put(tmp_path / f"a.csv{ending}", content)
    error = failure(stream("t INT; a INT", "csv", path, on_error="DROP"), "BAD_ROW")
    assert error.message.startswith(f"a.csv{ending} cannot be decompressed: ")


@pytest.mark.parametrize("ending", [".xz", ".lz4", ".zip"])
def test_files_compressed_otherwise_are_refused_not_passed_over(
    tmp_path: Path, ending: str
) -> None:
    put(tmp_path / "a.csv", "t\n1\n")
    path = put(tmp_path / f"b.csv{ending}", b"whatever")
    for where in (str(tmp_path), path):
        error = failure(stream("t INT", "csv", where), "SOURCE_NOT_FOUND")
        assert error.message == f"{path} is compressed by a method that is not read"
        assert error.hint == "those that are read end in .gz, .bz2, .zst"


@pytest.mark.parametrize("function", ["csv", "json", "parquet"])
def test_what_is_no_regular_file_is_refused(tmp_path: Path, function: str) -> None:
    """To open a pipe would wait for a writer, to read a device would never end."""
    os.mkfifo(tmp_path / f"a.{function}")
    for path in (str(tmp_path / f"a.{function}"), str(tmp_path), "/dev/zero"):
        error = failure(stream("t INT", function, path), "SOURCE_NOT_FOUND")
        assert error.message.endswith("is not a regular file")


def test_a_header_alone_is_an_empty_stream(tmp_path: Path) -> None:
    assert read(stream("t INT", "csv", put(tmp_path / "a.csv", "t\n"))) == ReadRows((), ())
    assert read(
        stream("t INT", "parquet", parquet(tmp_path / "a.parquet", t=pa.array([], "int32")))
    ) == ReadRows((), ())


def test_a_glob_is_read_in_the_order_of_names(tmp_path: Path) -> None:
    for name, rows in (("b", "1\n2\n"), ("a", "2\nx\n1\n"), ("c", "1\n")):
        (tmp_path / name).mkdir()
        put(tmp_path / name / "x.csv", f"t\n{rows}")
    delivery = read(stream("t INT", "csv", str(tmp_path / "*" / "x.csv"), on_error="DROP"))
    assert [(row.start, row.phi) for row in delivery.rows] == [
        (1, (0, 2)),
        (1, (1, 0)),
        (1, (2, 0)),
        (2, (0, 0)),
        (2, (1, 1)),
    ]
    assert [r.place for r in delivery.rejected] == [os.path.join("a", "x.csv") + ":3"]


def test_a_directory_gives_its_files_of_the_format(tmp_path: Path) -> None:
    (tmp_path / "deeper.csv").mkdir()
    for name in ("2.csv", "1.CSV", "3.txt", ".4.csv"):
        put(tmp_path / name, f"t\n{name.strip('.')[0]}\n")
    for path in (str(tmp_path), f"{tmp_path}{os.sep}", str(tmp_path / "**")):
        if path.endswith("**"):
            (tmp_path / "3.txt").unlink()
        delivery = read(stream("t INT", "csv", path))
        assert [(row.start, row.phi) for row in delivery.rows] == [(1, (0, 0)), (2, (1, 0))]


def test_json_directory_takes_every_usual_suffix(tmp_path: Path) -> None:
    for i, name in enumerate(("a.json", "b.jsonl", "c.ndjson", "d.csv")):
        put(tmp_path / name, f'{{"t": {i}}}')
    assert values(read(stream("t INT", "json", str(tmp_path)))) == [(0,), (1,), (2,)]


def test_a_file_whose_name_looks_like_a_glob(tmp_path: Path) -> None:
    put(tmp_path / "a1.csv", "t\n1\n")
    path = put(tmp_path / "a[1].csv", "t\nx\n")
    assert failure(stream("t INT", "csv", path), "BAD_ROW").message.startswith("a[1].csv, line 2: ")


def test_a_relative_path_is_named_as_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    put(tmp_path / "bids.csv", "t\nx\n")
    (rejected,) = read(stream("t INT", "csv", "bids.csv", on_error="DROP")).rejected
    assert rejected.place == "bids.csv:2"
    error = failure(stream("t INT", "csv", "bidz.csv"), "SOURCE_NOT_FOUND")
    assert (error.message, error.hint) == ("no file bidz.csv", "did you mean bids.csv?")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    where = tmp_path / "data"
    error = failure(stream("t INT", "csv", str(where / "bids.csv")), "SOURCE_NOT_FOUND")
    assert error.message == f"no file {where / 'bids.csv'}"
    assert error.hint == f"the directory {where} does not exist"
    where.mkdir()
    for path in (where / "*.csv", where):
        assert (
            failure(stream("t INT", "csv", str(path)), "SOURCE_NOT_FOUND").hint
            == f"the directory {where} is empty"
        )
    put(where / "other", "")
    assert (
        failure(stream("t INT", "csv", str(where / "bids.csv")), "SOURCE_NOT_FOUND").hint
        == f"in {where} there are other"
    )
    assert (
        failure(stream("t INT", "csv", str(where)), "SOURCE_NOT_FOUND").message
        == f"no .csv file in the directory {where}"
    )


def test_a_file_that_cannot_be_opened(tmp_path: Path) -> None:
    (tmp_path / "a.csv").symlink_to(tmp_path / "gone")
    error = failure(stream("t INT", "csv", str(tmp_path / "a.csv")), "SOURCE_NOT_FOUND")
    assert error.message == f"{tmp_path / 'a.csv'} cannot be read: No such file or directory"


# rows.


def test_rows_of_one_column_need_no_brackets() -> None:
    assert values(read(stream("t INT", "rows", 2, (1,)))) == [(1,), (2,)]


def test_rows_take_literals_of_the_column() -> None:
    zone = timezone(timedelta(hours=2))
    relation = stream(
        "t TIMESTAMP; u TIMESTAMP; x DOUBLE; p DECIMAL(5,1); b BOOLEAN",
        "rows",
        ("2026-01-01 12:00", datetime(2026, 1, 1, 12, tzinfo=zone), Decimal("1.5"), 2, None),
    )
    assert values(read(relation)) == [
        (datetime(2026, 1, 1, 12), datetime(2026, 1, 1, 10), 1.5, Decimal("2.0"), None)
    ]


def test_rows_of_another_width_or_type_are_bad() -> None:
    delivery = read(
        stream(
            "t INT; a STRING",
            "rows",
            (1,),
            (1, "x"),
            (1, "y", 3),
            (Decimal("1.5"), None),
            on_error="DROP",
        )
    )
    assert [row.phi for row in delivery.rows] == [1]
    assert delivery.rejected == (
        Rejected("rows:1", "1 value instead of the 2 declared", "(1)"),
        Rejected("rows:3", "3 values instead of the 2 declared", "(1, 'y', 3)"),
        Rejected("rows:4", "1.5 is not an INT in column t", "(1.5, NULL)"),
    )


def test_no_rows_are_an_empty_table() -> None:
    assert read(table("a INT")) == ReadRows((), ())


# Generators.


def test_a_generator_delivers_the_declared_columns() -> None:
    relation = stream(
        "TIMESTAMP TIMESTAMP; bidderid BIGINT; bid_price DECIMAL(12,2)",
        "auctions",
        "Bid",
        options={"events": 50, "seed": 7},
        start="timestamp",
    )
    check(relation)
    rows = read(relation).rows
    assert 20 < len(rows) < 50
    assert [row.phi for row in rows] == list(range(len(rows)))
    for row in rows:
        when, bidder, price = row.values
        assert isinstance(when, datetime)
        assert isinstance(bidder, int)
        assert isinstance(price, Decimal)
        assert row.start == to_micros(when) == row.end - 1
    assert read(relation) == read(relation)


@pytest.mark.parametrize("start", ["2027-05-06 00:00:00", datetime(2027, 5, 6)])
def test_generator_options(start: object) -> None:
    options = {"EVENTS": 60, "start": start, "gap": Decimal("0.5")}
    rows = read(
        stream("dateTime TIMESTAMP; id INT", "nexmark", "person", options=options, start="dateTime")
    ).rows
    assert [row.values for row in rows] == [
        (datetime(2027, 5, 6), 1000),
        (datetime(2027, 5, 6, 0, 0, 25), 1001),
    ]


def test_generated_values_that_do_not_fit_are_bad_rows() -> None:
    relation = stream("id TINYINT", "nexmark", "person", options={"events": 1}, on_error="DROP")
    assert read(relation).rejected == (
        Rejected("nexmark:1", "1000 does not fit TINYINT in column id", "(1000)"),
    )


def test_generated_times_beyond_the_calendar() -> None:
    relation = stream(
        "dateTime TIMESTAMP",
        "nexmark",
        "bid",
        options={"start": "9999-12-31 23:59:59"},
        start="dateTime",
    )
    assert "beyond the year 9999" in failure(relation, "WRONG_ARGUMENTS").message


def test_a_generator_has_only_its_own_columns() -> None:
    error = failure(stream("item_id INT", "auctions", "bid"), "MISSING_COLUMN", at=check)
    assert error.message == "auctions('bid') has no column item_id"
    assert (
        error.hint == "did you mean itemID? its columns are itemID, bid_price, bidderID, timestamp"
    )


@pytest.mark.parametrize(
    "declared", ["bid_price INT", "timestamp BIGINT", "itemID STRING", "itemID BOOLEAN"]
)
def test_a_generated_column_must_fit_its_declared_type(declared: str) -> None:
    error = failure(stream(declared, "auctions", "bid"), "TYPE_MISMATCH", at=check)
    assert error.message.endswith(f", not {declared.split()[1]}")


# What is known at the declaration.


@pytest.mark.parametrize("function", ["csv", "json", "parquet"])
def test_check_does_not_touch_files(function: str) -> None:
    check(stream("t INT", function, "/nowhere/*.x"))


@pytest.mark.parametrize("at", [check, read])
def test_unknown_functions(at: Any) -> None:
    error = failure(stream("t INT", "cvs", "x"), "UNKNOWN_FUNCTION", at=at)
    assert (error.message, error.hint) == ("no source function cvs", "did you mean csv?")
    error = failure(stream("t INT", "zzz", "x"), "UNKNOWN_FUNCTION", at=at)
    assert error.hint == f"the sources are {', '.join(FUNCTIONS)}"
    assert FUNCTIONS == ("csv", "json", "parquet", "rows", "auctions", "nexmark")


@pytest.mark.parametrize("at", [check, read])
@pytest.mark.parametrize(
    ("function", "args", "options", "message"),
    [
        ("csv", (), {}, "csv: expected a path or glob, got nothing"),
        ("json", ("a", 2), {}, "json: expected a path or glob as a text, got 2"),
        ("parquet", (5,), {}, "parquet: expected a path or glob as a text, got 5"),
        ("csv", ("",), {}, "csv: expected a path or glob as a text, got ''"),
        ("csv", ("a",), {"headr": True}, "csv: no option headr"),
        ("csv", ("a",), {"header": True, "HEADER": True}, "csv: the option HEADER is given twice"),
        ("csv", ("a",), {"header": "yes"}, "csv: header is TRUE or FALSE, not 'yes'"),
        ("csv", ("a",), {"delimiter": "||"}, "csv: delimiter is one character, not '||'"),
        ("csv", ("a",), {"delimiter": '"'}, "csv: delimiter is one character, not '\"'"),
        ("csv", ("a",), {"delimiter": ""}, "csv: delimiter is one character, not ''"),
        ("csv", ("a",), {"delimiter": 1}, "csv: delimiter is one character, not 1"),
        ("json", ("a",), {"header": True}, "json: no option header"),
        ("parquet", ("a",), {"header": True}, "parquet: no option header"),
        ("rows", ((1,),), {"events": 1}, "rows: no option events"),
        ("auctions", (), {}, "auctions: expected one argument, the kind of data, got 0"),
        (
            "auctions",
            ("bids",),
            {},
            "auctions: no kind 'bids'; the kinds are openauction, closedauction, bid, person, item, category",
        ),
        ("nexmark", ("bid",), {"persons": 3}, "nexmark: no option persons"),
        ("nexmark", ("bid",), {"events": "many"}, "nexmark: events: 'many' is not a BIGINT"),
        ("nexmark", ("bid",), {"events": Decimal("1.5")}, "nexmark: events: 1.5 is not a BIGINT"),
        ("nexmark", ("bid",), {"events": None}, "nexmark: events is not to be NULL"),
        ("nexmark", ("bid",), {"events": -1}, "nexmark: events must not be negative: -1"),
        ("nexmark", ("bid",), {"start": "soon"}, "nexmark: start: 'soon' is not a TIMESTAMP"),
        (
            "nexmark",
            ("bid",),
            {"gap": 10**400},
            "nexmark: gap: a number of 401 digits is not a DOUBLE",
        ),
        ("nexmark", ("bid",), {"gap": 1e308}, "nexmark: cannot convert float infinity to integer"),
    ],
)
def test_wrong_arguments(
    at: Any, function: str, args: tuple[object, ...], options: dict[str, object], message: str
) -> None:
    assert (
        failure(
            stream("price INT", function, *args, options=options), "WRONG_ARGUMENTS", at=at
        ).message
        == message
    )


def test_hints_of_wrong_arguments() -> None:
    assert (
        failure(stream("t INT", "csv", "a", options={"headr": 1}), "WRONG_ARGUMENTS").hint
        == "did you mean header?"
    )
    assert failure(stream("t INT", "csv"), "WRONG_ARGUMENTS").hint == "as in csv('data/*.csv')"
    assert (
        failure(stream("t INT", "json", "a", options={"x": 1}), "WRONG_ARGUMENTS").hint
        == "it takes none"
    )
    assert (
        failure(stream("t INT", "auctions", "bids"), "WRONG_ARGUMENTS").hint == "did you mean bid?"
    )


def test_a_format_of_spark_is_not_read_by_the_reference() -> None:
    relation = stream("t INT", USING, "kafka", options={"subscribe": "bids"})
    check(relation)
    assert "USING kafka" in failure(relation, "UNSUPPORTED").message
