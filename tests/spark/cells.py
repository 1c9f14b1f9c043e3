"""Expressions over the corpus, evaluated by both engines: what each gives, or that it fails.

Spark gets them in a few queries: `TryEval` makes NULL of what fails, around a structure of one
field, so that a failure is not taken for a NULL.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import product

import pyarrow as pa
from corpus import CORPUS, TYPES
from pyspark.sql import Column, DataFrame, SparkSession

from continua.errors import ContinuaError
from continua.logical.expr.cast import castable
from continua.logical.expr.function import Function, TypeProblem
from continua.logical.expr.functions import FUNCTIONS
from continua.logical.expr.nodes import Call, Cast, ColumnRef, Expression, Literal
from continua.logical.expr.operators import OPERATORS
from continua.model.schema import to_micros
from continua.model.types import INT, STRING, Type
from continua.physical.builder import Builder
from continua.physical.expression import compile_expression
from continua.runtime.arrow import arrow_table

FAILED = "failed"
LISTED: dict[str, Function] = {**FUNCTIONS, **OPERATORS}
MOST_ARGUMENTS = 3
MOST_VALUES = 32
TRIPLES = 200
DIGITS = (-40, -20, -3, -1, 0, 1, 2, 9, 10, 37, 38, 400)
FEW_TEXTS = [
    " ",
    "a",
    "A",
    "abc",
    "abcabc",
    "b",
    "%",
    "_",
    "a%",
    "a_c",
    "%b%",
    "\\",
    "\\%",
    "a\\_c",
    "\\a",
    "'",
    ".",
    "a.c",
    "a/b/c",
    "/",
    "a\nb",
    "ß",
    "😀",
    "é",
    "日本\nsecond",
    "MINUTE",
    "week",
    "mm",
    "quarter",
    "yyyy",
    "decade",
    "12",
    "2026-03-01",
    "^a.c$",
    "[a-c]+",
    "\\d",
    "(",
    "(?i)A",
]


@dataclass(frozen=True)
class Cell:
    """An expression over columns that are the arguments, from left to right."""

    name: str
    expression: Expression
    types: tuple[Type, ...]

    def __str__(self) -> str:
        return f"{self.expression} of {', '.join(map(str, self.types))}"


def casts() -> Iterator[Cell]:
    """Every cast that binds, of every type."""
    for source, target, safe in product(TYPES, TYPES, (False, True)):
        if source != target and castable(source, target):
            yield Cell("cast", Cast(target, ColumnRef(source, 0, "a"), safe), (source,))


def calls() -> Iterator[Cell]:
    """Every listed function and operator, of all types that it takes without a cast."""
    for name, function in LISTED.items():
        for number in _arities(function):
            for types in product(TYPES, repeat=number):
                yield from _call(name, function, types)


def _arities(function: Function) -> Sequence[int]:
    """The numbers of arguments that the language can give a function."""
    if function.template is not None:
        return [function.template.count("{}")]
    return [3] if function.name == "case" else range(1, MOST_ARGUMENTS + 1)


def _call(name: str, function: Function, types: tuple[Type, ...]) -> Iterator[Cell]:
    try:
        wanted, result = function.resolve(types)
    except (TypeProblem, ValueError):
        return
    if wanted != types:
        return
    columns = [ColumnRef(t, i, "abc"[i]) for i, t in enumerate(types)]
    if name != "round":
        yield Cell(name, Call(result, function, tuple(columns)), types)
        return
    assert function.refine is not None
    if len(types) == 1:
        yield Cell(
            name, Call(function.refine((types, result), [None]), function, tuple(columns)), types
        )
    elif types[1] == INT:
        for digits in DIGITS:
            refined = function.refine((types, result), [None, digits])
            args = (columns[0], Literal(INT, digits))
            yield Cell(name, Call(refined, function, args), types[:1])


def rows(number: int) -> dict[Type, list[tuple[object, ...]]]:
    """So many arguments: for each type the values that a column of it takes in each place.

    One: all values. Two: all pairs of fewer texts. Three: triples drawn at random.
    A type that has fewer values than another is NULL in the other rows.
    """
    values = {t: _values(t, number) for t in TYPES}
    chance = random.Random(number)
    if number < 3:
        most = max(map(len, values.values())) + 1
        picked = [
            {t: tuple(v[i] if i < len(v) else None for i in places) for t, v in values.items()}
            for places in product(range(most), repeat=number)
        ]
    else:
        picked = [
            {t: tuple(chance.choice([*v, None]) for _ in range(number)) for t, v in values.items()}
            for _ in range(TRIPLES)
        ]
    return {t: [row[t] for row in picked] for t in TYPES}


def _values(type_: Type, number: int) -> list[object]:
    if type_ == STRING and number > 1:
        return ["", *FEW_TEXTS]
    values = CORPUS[type_]
    return values[::2][:MOST_VALUES] if number == 2 and len(values) > MOST_VALUES else values


def by_reference(cell: Cell, arguments: Sequence[tuple[object, ...]]) -> list[object]:
    found = []
    for values in arguments:
        try:
            found.append(plain(cell.expression.evaluate(values), cell.expression.type))
        except ContinuaError as error:
            found.append(FAILED if error.code == "EVALUATION" else error)
    return found


def table(number: int) -> pa.Table:
    """The arguments of all types as columns a0, b0, c0, a1, …"""
    names, types, columns = [], [], []
    for t, (type_, arguments) in enumerate(rows(number).items()):
        for place in range(number):
            names.append(f"{'abc'[place]}{t}")
            types.append(type_)
            columns.append([values[place] for values in arguments])
    return arrow_table(names, types, list(zip(*columns, strict=True)))


class Tried:
    """Makes expressions of Spark's that are NULL where they fail."""

    def __init__(self, spark: SparkSession) -> None:
        self.spark = spark
        jvm = spark.sparkContext._jvm
        assert jvm is not None
        self._parse = spark._jsparkSession.sessionState().sqlParser().parseExpression
        self._try = jvm.org.apache.spark.sql.catalyst.expressions.TryEval
        self._column = jvm.org.apache.spark.sql.classic.ExpressionUtils.column

    def __call__(self, text: str) -> Column:
        return Column(self._column(self._try(self._parse(text))))


def by_spark(tried: Tried, cells: Sequence[Cell], data: DataFrame) -> list[list[object]]:
    """What Spark gives for cells of one number of arguments, by one query."""
    columns = []
    for i, cell in enumerate(cells):
        names = [f"{'abc'[p]}{TYPES.index(t)}" for p, t in enumerate(cell.types)]
        text = compile_expression(Builder(), cell.expression, names)
        shown = _comparable(text, cell.expression.type)
        columns.append(tried(f"struct({shown} AS v)").alias(f"x{i}"))
    found = data.select(*columns).toArrow().columns
    return [
        [_read(value, cell.expression.type) for value in column.to_pylist()]
        for cell, column in zip(cells, found, strict=True)
    ]


def _comparable(text: str, type_: Type) -> str:
    """Times as numbers: those that Python cannot hold are to be seen as well."""
    match type_.name:
        case "TIMESTAMP":
            return f"unix_micros({text})"
        case "DATE":
            return f"unix_date({text})"
        case "INTERVAL":
            return f"CAST({text} AS INTERVAL DAY TO SECOND)"
    return text


def _read(value: dict[str, object] | None, type_: Type) -> object:
    if value is None:
        return FAILED
    found = value["v"]
    if type_.name in ("TIMESTAMP", "DATE"):
        return found
    return plain(found, type_)


def plain(value: object, type_: Type) -> object:
    """A value that is equal to another just if it is the same: also of NaN and of the zeros."""
    if isinstance(value, datetime):
        return to_micros(value)
    if isinstance(value, date):
        return (value - date(1970, 1, 1)).days
    if isinstance(value, float):
        return "NaN" if math.isnan(value) else (value, math.copysign(1, value))
    if type_.name == "DECIMAL" and value is not None:
        return str(value)
    return value
