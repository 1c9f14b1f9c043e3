"""Files that sinks write: read back they are what was written, over history and live alike."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from random import Random

import pytest
from reading import agree, read, shown, stream

from continua.model.catalog import Relation
from continua.model.schema import Column
from continua.model.types import FLOAT, STRING, parse_type
from continua.model.values import single
from continua.runtime.engine import Engine
from continua.runtime.result import Result
from continua.runtime.rows import SparkRows
from continua.runtime.sinks.file_sink import FileSink
from continua.runtime.sinks.kinds import make_sink
from continua.runtime.sinks.parquet_sink import COMPRESSIONS
from continua.runtime.sinks.sink import HISTORY, TAG

pytestmark = pytest.mark.spark

PLAIN_FLOATS = [0.0, 1.5, -0.25, 0.1, 123456.75, math.nan, math.inf, -math.inf]
"""Floating numbers that are written alike wherever numbers are written out."""

FLOATS = [*PLAIN_FLOATS, 1e7, 1e-3, 9.999e-4, 1e22, 1e23, 2e-323, -5e-324, 1.7976931348623157e308]
FLOATS += [math.nextafter(0.1, 1), 2.2250738585072014e-308, 2**53 + 2.0, 1 / 3]

VALUES: dict[str, list[object]] = {
    "b BOOLEAN": [True, False],
    "i8 TINYINT": [-128, 0, 127],
    "i16 SMALLINT": [-(2**15), 2**15 - 1],
    "i INT": [-(2**31), -1, 2**31 - 1],
    "l BIGINT": [-(2**63), 2**53 + 1, 2**63 - 1],
    "f FLOAT": [],
    "y DOUBLE": [],
    "d DECIMAL(38,10)": [Decimal("-" + "9" * 28 + ".9999999999"), Decimal("0.0000000001")],
    "whole DECIMAL(38,0)": [Decimal("9" * 38), Decimal(-1), Decimal(0)],
    "small DECIMAL(38,38)": [Decimal("0." + "9" * 38), Decimal("-0." + "0" * 37 + "1")],
    "s STRING": [],
    "day DATE": [date(1, 1, 1), date(1582, 10, 10), date(9999, 12, 31)],
    "ts TIMESTAMP": [
        *(datetime(1, 1, 1), datetime(9999, 12, 31, 23, 59, 59, 999999)),
        *(datetime(2026, 3, 1, 0, 0, 0, 999), datetime(1969, 12, 31, 23, 59, 59, 500000)),
        *(datetime(2026, 3, 1, 12), datetime(1883, 11, 18, 0, 0, 0, 1)),
    ],
}

ON_ONE_LINE = ['"', '""', ",", ";", " ", "\\", "\\n", "'", "a", "1", "é", "\U0001f600", "{", "\t"]
ON_ONE_LINE += ["\ufeff", "NULL", "\\N", "nan", "null", "\u2028", "/", "#"]
CONTROLS = ["\n", "\r", "\r\n", "\x00", "\x01", "\x0b", "\x1f", "\x7f", "\x85", "\b", "\f"]


def columns() -> list[Column]:
    found = []
    for declared in VALUES:
        name, _, type_ = declared.partition(" ")
        parsed = parse_type(type_)
        assert parsed is not None
        found.append(Column(name, parsed))
    return found


def result(number: int, texts: Sequence[str], floats: Sequence[float]) -> Result:
    """Rows of all types, with values that are easily lost."""
    random = Random(number)

    def value(column: Column, values: list[object]) -> object:
        if random.random() < 0.15:
            return None
        if column.type == STRING:
            return "".join(random.choices(texts, k=random.randrange(5)))
        if column.type.floating:
            chosen = random.choice(floats)
            return single(chosen) if column.type == FLOAT else chosen
        return random.choice(values)

    declared = list(zip(columns(), VALUES.values(), strict=True))
    rows = [tuple(value(column, values) for column, values in declared) for _ in range(number)]
    return Result.of(columns(), rows)


@dataclass(frozen=True)
class Form:
    """A format of files with options."""

    format: str
    delimiter: str = ","
    header: bool = True
    compression: str = COMPRESSIONS[0]

    @property
    def options(self) -> dict[str, object]:
        """Those that the format has."""
        given: dict[str, dict[str, object]] = {
            "csv": {"delimiter": self.delimiter, "header": self.header},
            "parquet": {"compression": self.compression},
        }
        return given.get(self.format, {})

    def sink(self, path: Path, name: str = "q") -> FileSink:
        made = make_sink(self.format, name, [("path", str(path)), *self.options.items()])
        assert isinstance(made, FileSink)
        return made


def declared_as(form: Form, path: Path) -> Relation:
    options = form.options if form.format == "csv" else {}
    types = "; ".join(VALUES)
    return stream(types, form.format, str(path), start=None, is_stream=False, options=options)


def live(engine: Engine, rows: Result, form: Form, folder: Path) -> None:
    """By several tasks, each of which writes a file."""
    form.sink(folder).publish(7, SparkRows(rows.to_spark(engine.spark)))


def reference(rows: Result, form: Form, folder: Path) -> None:
    """By Python, into one file."""
    folder.mkdir(parents=True)
    form.sink(folder / f"a.{form.format}").publish(HISTORY, rows)


def texts_of(folder: Path, form: Form) -> str:
    """The text of all files of a sink, with one header."""
    found = [path.read_bytes().decode() for path in sorted(folder.glob(f"*.{form.format}"))]
    assert found
    if form.format == "csv" and form.header:
        header = found[0].partition("\n")[0] + "\n"
        assert all(text.startswith(header) for text in found)
        found = [header, *(text.removeprefix(header) for text in found)]
    return "".join(found)


FORMS = [
    Form("csv"),
    Form("csv", delimiter=";", header=False),
    Form("csv", delimiter="1"),
    Form("csv", delimiter="\\"),
    Form("csv", delimiter="\t"),
    Form("json"),
    *(Form("parquet", compression=name) for name in COMPRESSIONS),
]


NAMES = [f"{form.format} {form.delimiter!r} {form.compression}" for form in FORMS]


@pytest.mark.parametrize("form", FORMS, ids=NAMES)
def test_what_is_written_is_read_back(engine: Engine, tmp_path: Path, form: Form) -> None:
    for texts in (ON_ONE_LINE, ON_ONE_LINE + CONTROLS):
        rows = result(200, texts, FLOATS)
        wanted = [tuple(map(shown, row)) for row in rows]
        folders = [tmp_path / f"{name} {len(texts)}" for name in ("reference", "live")]
        reference(rows, form, folders[0])
        live(engine, rows, form, folders[1])
        for folder in folders:
            relation = declared_as(form, folder)
            assert [tuple(map(shown, row.values)) for row in read(relation).rows] == wanted
            outcome = agree(engine.spark, relation)
            # Rows that go over several lines, and control characters, are left to the reference.
            assert outcome == (
                "doubt" if form.format == "csv" and CONTROLS[0] in texts else "clean"
            )


@pytest.mark.parametrize("form", FORMS[:6], ids=NAMES[:6])
def test_python_and_spark_write_the_same(engine: Engine, tmp_path: Path, form: Form) -> None:
    rows = result(200, ON_ONE_LINE + CONTROLS, PLAIN_FLOATS)
    reference(rows, form, tmp_path / "reference")
    live(engine, rows, form, tmp_path / "live")
    assert len(list((tmp_path / "live").iterdir())) > 1
    assert texts_of(tmp_path / "live", form) == texts_of(tmp_path / "reference", form)


@pytest.mark.parametrize("form", [Form("csv"), Form("json"), Form("parquet")])
def test_sinks_that_are_written_together(engine: Engine, tmp_path: Path, form: Form) -> None:
    """Each gets its rows, in their order, as if it had been written to alone."""
    names = ["a", "b c"]
    rows = result(200, ON_ONE_LINE, PLAIN_FLOATS)
    sinks = {name: form.sink(tmp_path / name, name) for name in names}
    for sink in sinks.values():
        sink.path.mkdir()
    tagged = rows.to_spark(engine.spark).repartition(3, "l")
    tags = f"CASE WHEN i8 = 0 THEN '{names[0]}' WHEN i8 = 127 THEN '{names[1]}' ELSE 'x' END"
    kind = type(sinks[names[0]])
    kind.publish_together(7, sinks, tagged.selectExpr(f"{tags} AS {TAG}", "*"))
    for name, i8 in zip(names, (0, 127), strict=True):
        found = read(declared_as(form, tmp_path / name)).rows
        wanted = [row for row in rows if row[1] == i8]
        assert Counter(tuple(map(shown, row.values)) for row in found) == Counter(
            tuple(map(shown, row)) for row in wanted
        )
        if form.format != "parquet":
            texts_of(tmp_path / name, form)


def test_a_column_that_is_null_alone(engine: Engine, tmp_path: Path) -> None:
    rows = Result.of([Column("s", STRING)], [("a",), (None,), ("",), (None,)])
    reference(rows, Form("csv"), tmp_path / "reference")
    live(engine, rows, Form("csv"), tmp_path / "live")
    for folder in ("reference", "live"):
        relation = stream("s STRING", "csv", str(tmp_path / folder), is_stream=False)
        assert [row.values for row in read(relation).rows] == list(rows)
        assert agree(engine.spark, relation) == "clean"
