"""The two engines give the same for every listed function, operator and cast of odd values."""

from __future__ import annotations

import math
import random
import struct
from collections.abc import Iterator, Sequence
from itertools import pairwise

import pytest
from cells import (
    FAILED,
    LISTED,
    Cell,
    Tried,
    by_reference,
    by_spark,
    calls,
    casts,
    plain,
    rows,
    table,
)
from corpus import CORPUS, TYPES
from pyspark.sql import SparkSession

from continua.logical.expr.aggregates import AGGREGATES, AggregateCall
from continua.logical.expr.cast import to_text
from continua.logical.expr.failing import may_fail
from continua.logical.expr.function import TypeProblem
from continua.logical.expr.nodes import ColumnRef
from continua.model.element import Tuple
from continua.model.types import DOUBLE, FLOAT, INT, STRING, Type
from continua.physical.aggregate.aggregation import layered
from continua.physical.aggregate.calls import over_group
from continua.physical.builder import Builder
from continua.physical.expression import literal
from continua.physical.printing.spark_sql import spark_sql
from continua.physical.relation import View
from continua.physical.spark import separate_session
from continua.runtime.arrow import arrow_table

pytestmark = pytest.mark.spark

CHUNK = 200
ROUNDED = ("exp", "ln", "log2", "log10", "power")
"""What Java and C compute with different last digits."""

SHORTEST = 19
"""The first Java that writes floating numbers with no more digits than needed."""

CELLS = [*casts(), *calls()]


@pytest.fixture(scope="module", params=["interpreted", "compiled"])
def tried(spark: SparkSession, request: pytest.FixtureRequest) -> Tried:
    """Small slabs are interpreted, large ones compiled: Spark has each function twice."""
    ours = separate_session(spark)
    compiled = request.param == "compiled"
    ours.conf.set("spark.sql.adaptive.enabled", "false")
    ours.conf.set("spark.sql.codegen.wholeStage", "false")
    ours.conf.set("spark.sql.codegen.factoryMode", "CODEGEN_ONLY" if compiled else "NO_CODEGEN")
    # What expressions have in common would be computed before them, where failures are not caught.
    ours.conf.set("spark.sql.subexpressionElimination.enabled", "false")
    return Tried(ours)


@pytest.fixture(scope="module", params=[1, 2, 3])
def expected(request: pytest.FixtureRequest) -> tuple[int, list[tuple[Cell, list[object]]]]:
    """What the reference gives for all cells of a number of arguments."""
    arguments = rows(request.param)
    found = []
    for cell in CELLS:
        if len(cell.types) == request.param:
            columns = ([v[place] for v in arguments[t]] for place, t in enumerate(cell.types))
            found.append((cell, by_reference(cell, list(zip(*columns, strict=True)))))
    return request.param, found


def test_every_listed_function_has_cells() -> None:
    assert set(LISTED) <= {cell.name for cell in CELLS}
    assert {t.name for t in TYPES} == {t.name for cell in CELLS for t in cell.types}
    assert set(AGGREGATES) == {call.function.name for call, _ in aggregate_calls()}


def test_same_values_and_failures(
    tried: Tried, expected: tuple[int, list[tuple[Cell, list[object]]]]
) -> None:
    number, wanted = expected
    # Rows that Spark has at hand it would compute while it plans, which it never compiles.
    data = tried.spark.createDataFrame(table(number)).localCheckpoint()
    different, old = [], java(tried.spark) < SHORTEST
    for start in range(0, len(wanted), CHUNK):
        chunk = wanted[start : start + CHUNK]
        found = by_spark(tried, [cell for cell, _ in chunk], data)
        for (cell, values), theirs in zip(chunk, found, strict=True):
            for row, (ours, other) in enumerate(zip(values, theirs, strict=True)):
                rounded = cell.name in ROUNDED and nearly(ours, other)
                if ours != other and not rounded and not (old and by_digits(cell)):
                    given = [rows(number)[t][row][place] for place, t in enumerate(cell.types)]
                    different.append(f"{cell}: {given!r} gives {ours!r}, on Spark {other!r}")
    assert not different, "\n".join([f"{len(different)} differences", *different[:20]])


def test_what_fails_may_fail(expected: tuple[int, list[tuple[Cell, list[object]]]]) -> None:
    """What is said never to fail is evaluated for tuples that nobody asked for."""
    _, wanted = expected
    failed = [cell for cell, values in wanted if FAILED in values]
    assert failed
    assert [str(cell) for cell in failed if not may_fail(cell.expression)] == []


def java(spark: SparkSession) -> int:
    jvm = spark.sparkContext._jvm
    assert jvm is not None
    return int(jvm.System.getProperty("java.specification.version"))


def by_digits(cell: Cell) -> bool:
    """Whether a floating number is taken by the digits that Java writes it with."""
    by_name = cell.expression.type == STRING or cell.expression.type.name == "DECIMAL"
    return cell.name == "cast" and cell.types[0].floating and by_name


def nearly(ours: object, other: object) -> bool:
    """Whether two doubles are at most two steps apart."""
    if not (isinstance(ours, tuple) and isinstance(other, tuple)):
        return False
    return abs(ours[0] - other[0]) <= 2 * math.ulp(ours[0])


def test_literals_are_the_values(spark: SparkSession) -> None:
    for type_, values in CORPUS.items():
        given = [v for v in values if not isinstance(v, str) or "\x00" not in v]
        listed = ", ".join(f"({i}, {literal(v, type_)})" for i, v in enumerate(given))
        found = separate_session(spark).sql(f"SELECT * FROM VALUES {listed} AS v(i, v) ORDER BY i")
        read = found.toArrow()["v"].to_pylist()
        assert [plain(v, type_) for v in _naive(read)] == [plain(v, type_) for v in given], type_


def _naive(values: list[object]) -> Iterator[object]:
    for value in values:
        yield value.replace(tzinfo=None) if getattr(value, "tzinfo", None) else value  # type: ignore[attr-defined]


@pytest.mark.parametrize(("type_", "code", "bits"), [(DOUBLE, "dQ", 64), (FLOAT, "fI", 32)])
def test_floating_numbers_as_text(spark: SparkSession, type_: Type, code: str, bits: int) -> None:
    if java(spark) < SHORTEST:
        pytest.skip("this Java writes some numbers with a digit too many")
    chance = random.Random(7)
    numbers = [
        struct.unpack(code[0], struct.pack(code[1], chance.getrandbits(bits)))[0]
        for _ in range(20_000)
    ]
    powers = [math.ldexp(1.0, e) for e in (range(-1074, 1024) if bits == 64 else range(-149, 128))]
    given = [n for n in [*numbers, *powers] if math.isfinite(n)]
    data = separate_session(spark).createDataFrame(
        arrow_table(["v"], [type_], [(n,) for n in given])
    )
    found = data.selectExpr("CAST(v AS STRING) AS v").toArrow()["v"].to_pylist()
    assert [to_text(n, type_) for n in given] == found


def aggregate_calls() -> Iterator[tuple[AggregateCall, Type]]:
    """Every aggregate of every type whose values can be compared digit by digit.

    Sums and averages: of small whole numbers; those of others have tests of their own.
    Variances: of INT, up to rounding.
    """
    for name, function in AGGREGATES.items():
        for type_ in TYPES:
            if name in ("sum", "avg") and not (type_.integral and type_.bits <= 32):
                continue
            if name.startswith(("var", "stddev")) and type_ != INT:
                continue
            try:
                _, result = function.resolve([type_])
            except TypeProblem:
                continue
            yield AggregateCall(function, (ColumnRef(type_, 0, "v"),), result), type_


def test_same_aggregates(spark: SparkSession) -> None:
    ours = separate_session(spark)
    ours.conf.set("spark.sql.adaptive.enabled", "false")
    ours.conf.set("spark.sql.shuffle.partitions", "1")
    for type_ in TYPES:
        made = [call for call, t in aggregate_calls() if t == type_]
        groups = _groups(CORPUS[type_])
        wanted = [
            [plain(call.over(_counted(group)), call.type) for call in made] for group in groups
        ]
        listed = [(g, v) for g, group in enumerate(groups) for v in group]
        data = ours.createDataFrame(arrow_table(["g", "v"], [INT, type_], listed))
        data.createOrReplaceTempView("given")
        found = ours.sql(f"{_by_spark(made)} ORDER BY g").drop("g").toArrow()
        read = [list(_naive(column.to_pylist())) for column in found.columns]
        for g, group in enumerate(groups):
            for i, call in enumerate(made):
                theirs = plain(read[i][g], call.type)
                same = theirs == wanted[g][i] or _near(theirs, wanted[g][i], call.function.name)
                assert same, (str(call), str(type_), group, wanted[g][i], theirs)


def _by_spark(calls: Sequence[AggregateCall]) -> str:
    """SQL: the calls over the values v of each group g."""
    builder, elements = Builder(), View("given", "given", ("g", "v"))
    partials, made = [], []
    for i, call in enumerate(calls):
        decomposition, parts = over_group(builder, call, ["v"])
        elements = layered(builder, elements, [decomposition.before])
        names = [f"p{i}q{j}" for j in range(len(parts))]
        partials += zip(names, parts, strict=True)
        made.append(decomposition.computed(f"x{i}y", names))
    groups = builder.group("groups", elements, ["g"], partials)
    rel = layered(builder, groups, [layers for layers, _ in made])
    results = [(f"x{i}", result) for i, (_, result) in enumerate(made)]
    return spark_sql(builder.select("results", rel, [("g", "g"), *results]))


def _groups(values: list[object]) -> list[list[object]]:
    """Single values, pairs of neighbours with a NULL, and triples; no sum of them overflows."""
    small = [v for v in values if not isinstance(v, int) or abs(v) < 2**62]
    pairs = [[a, None, b] for a, b in pairwise(small)]
    triples = [small[i : i + 3] for i in range(len(small) - 2)]
    return [[v] for v in small] + pairs + triples + [[None]]


def _counted(group: Sequence[object]) -> dict[Tuple, int]:
    counted: dict[Tuple, int] = {}
    for value in group:
        element = Tuple((value,))
        counted[element] = counted.get(element, 0) + 1
    return counted


def _near(theirs: object, ours: object, name: str) -> bool:
    if not (name.startswith(("var", "stddev")) and isinstance(ours, tuple)):
        return False
    assert isinstance(theirs, tuple)
    return math.isclose(theirs[0], ours[0], rel_tol=1e-9)
