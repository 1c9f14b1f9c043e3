"""Results print as aligned tables and convert without loss."""

from datetime import UTC, date, datetime
from decimal import Decimal

import pyarrow as pa

from continua.model.schema import Column
from continua.model.types import BOOLEAN, DATE, DOUBLE, FLOAT, INT, STRING, TIMESTAMP, Type
from continua.runtime.result import Result

MOMENT = datetime(2026, 1, 2, 3, 4, 5, 600000)
RESULT = Result.of(
    [
        Column("n", INT),
        Column("name", STRING),
        Column("f", FLOAT),
        Column("d", Type("DECIMAL", 5, 2)),
        Column("b", BOOLEAN),
        Column("day", DATE),
        Column("ts", TIMESTAMP),
    ],
    [
        (1, "äö", 0.10000000149011612, Decimal("1.50"), True, date(2026, 1, 2), MOMENT),
        (None, "日本", None, None, None, None, None),
    ],
)


def test_printed_table() -> None:
    assert str(RESULT) == (
        "   n │ name │    f │    d │ b    │ day        │ ts\n"
        "─────┼──────┼──────┼──────┼──────┼────────────┼──────────────────────\n"
        "   1 │ äö   │  0.1 │ 1.50 │ true │ 2026-01-02 │ 2026-01-02 03:04:05.6\n"
        "NULL │ 日本 │ NULL │ NULL │ NULL │ NULL       │ NULL\n"
        "(2 rows)"
    )


def test_long_results_say_how_much_is_not_shown() -> None:
    long = Result.of([Column("n", INT)], [(i,) for i in range(60)])
    assert str(long).endswith("\n49\n(60 rows, 10 not shown)")
    assert "59" in long.to_text()


def test_empty_result_has_a_header() -> None:
    assert str(Result.of([Column("n", INT)], [])) == "n\n─\n(0 rows)"


def test_to_arrow_keeps_types_and_values() -> None:
    table = RESULT.to_arrow()
    assert table.schema.types == [
        pa.int32(),
        pa.string(),
        pa.float32(),
        pa.decimal128(5, 2),
        pa.bool_(),
        pa.date32(),
        pa.timestamp("us", tz="UTC"),
    ]
    assert table.column("ts").to_pylist() == [MOMENT.replace(tzinfo=UTC), None]
    assert table.column("d").to_pylist() == [Decimal("1.50"), None]


def test_to_arrow_without_rows_and_with_equal_names() -> None:
    table = Result.of([Column("x", INT), Column("x", DOUBLE)], []).to_arrow()
    assert (table.num_rows, table.column_names) == (0, ["x", "x"])


def test_to_pandas() -> None:
    frame = RESULT.to_pandas()
    assert list(frame.columns) == list(RESULT.columns)
    assert frame["name"].tolist() == ["äö", "日本"]


def test_iterating_gives_rows() -> None:
    assert len(RESULT) == 2
    assert [row[1] for row in RESULT] == ["äö", "日本"]
