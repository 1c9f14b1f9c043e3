"""`json('glob')` by Spark: each line a VARIANT, which keeps what kind of value stands where."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pyspark.sql import SparkSession

from continua.model.catalog import Relation
from continua.model.schema import Column
from continua.model.types import BOOLEAN, DATE, STRING, TIMESTAMP
from continua.physical.expression import literal, spark_type
from continua.runtime.formats.json_lines import NOT_FINITE
from continua.runtime.sources.files import File
from continua.runtime.sources.spark_files import numbered_files
from continua.runtime.sources.spark_lines import PHI, lines, sound_lines
from continua.runtime.sources.spark_rows import Part
from continua.runtime.sources.spark_text import Cell, floating, not_infinite, text_cell

_DEEPEST = 100
"""Brackets in a line; Python's limit depends on where it is called from."""

# Python refuses numbers whose exponents have so many digits, wherever they stand.
_EXPONENT = literal(r"[0-9.][eE][+-]?[0-9]{16,}", STRING)

_GOOD = (
    "doc IS NOT NULL",
    "startswith(text, '{')",
    # Spark does not look at what follows the value. Either the first brace to close is the last
    # character, or the value is followed by an end of whatever is put around it.
    "(instr(text, '}') = length(text) OR (try_parse_json(concat('[', text, ']')) IS NOT NULL"
    """ AND try_parse_json(concat('{"v":', text, '}')) IS NOT NULL))""",
    f"length(text) - length(translate(text, '[{{', '')) <= {_DEEPEST}",
    f"NOT text RLIKE {_EXPONENT}",
)


def json_parts(
    spark: SparkSession, relation: Relation, files: Sequence[File], identified: bool
) -> list[Part] | None:
    names = [column.name for column in relation.columns]
    numbered = numbered_files(files)
    if numbered is None or not all(
        name.isascii() and not set(name) & set("'\"\\") for name in names
    ):
        return None
    if not numbered:
        return []
    frame = lines(spark, numbered, "\n", identified)
    blanks = literal(" \t\r", STRING)
    text = frame.selectExpr("*", f"trim(BOTH {blanks} FROM value) AS text").where("text <> ''")
    parsed = text.selectExpr("*", "try_parse_json(text) AS doc")
    raw = [f"variant_get(doc, {_path(name)}) AS r{i}" for i, name in enumerate(names)]
    kinds = [f"schema_of_variant(r{i}) AS k{i}" for i in range(len(names))]
    missing = " OR ".join(f"r{i} IS NULL" for i in range(len(names)))
    keys = f"CASE WHEN {missing} THEN transform(json_object_keys(text), k -> lower(k)) END AS keys"
    found = parsed.selectExpr("*", *raw).selectExpr("*", *kinds, keys)
    # The name in other letters would be the column, too.
    same = [
        f"(r{i} IS NOT NULL OR NOT array_contains(keys, {literal(name.lower(), STRING)}))"
        for i, name in enumerate(names)
    ]
    cells = [_cell(i, column) for i, column in enumerate(relation.columns)]
    return [
        Part(found, cells, [*sound_lines(identified), *_GOOD, *same], PHI if identified else None)
    ]


def _path(name: str) -> str:
    return literal(f"$.{name}" if re.fullmatch(r"[A-Za-z_]\w*", name) else f'$["{name}"]', STRING)


def _cell(i: int, column: Column) -> Cell:
    """As `accept` has it: only a number is a number, only a text is a text or a time."""
    type_, kind = column.type, f"k{i}"

    def read(as_: str) -> str:
        return f"try_variant_get(r{i}, '$', '{as_}')"

    value = read(spark_type(type_))
    if type_ in (DATE, TIMESTAMP):
        value, doubt = text_cell(read("STRING"), type_, f"c{i}")[:2]
        fits = f"{kind} = 'STRING' AND {doubt}"
    elif type_ == STRING:
        fits = f"{kind} = 'STRING'"
    elif type_ == BOOLEAN:
        fits = f"{kind} = 'BOOLEAN'"
    elif type_.floating:
        value = floating(read("DOUBLE"), type_)
        number = f"{kind} IN ('BIGINT', 'DOUBLE') OR {kind} LIKE 'DECIMAL%'"
        listed = ", ".join(literal(word, STRING) for word in NOT_FINITE)
        word = f"{kind} = 'STRING' AND {read('STRING')} IN ({listed})"
        # A number that is infinite is none that the type can hold.
        fits = f"((({number}) AND {not_infinite(f'c{i}')}) OR ({word}))"
    elif type_.integral:
        fits = f"({kind} = 'BIGINT' OR {kind} LIKE 'DECIMAL(%,0)')"
    else:
        # A number that is a DOUBLE here was written with other digits.
        fits = f"({kind} = 'BIGINT' OR {kind} LIKE 'DECIMAL%')"
    # Where the key is missing there is no kind, but NULL for VOID.
    return Cell(value, f"(r{i} IS NULL OR {kind} = 'VOID' OR ({fits} AND c{i} IS NOT NULL))")
