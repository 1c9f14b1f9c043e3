"""`csv('glob')` by Spark: lines cut into fields as Python's strict `csv` cuts them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Final, NamedTuple

from pyspark.sql import SparkSession

from continua.errors import ContinuaError
from continua.model.catalog import Relation
from continua.model.types import STRING
from continua.physical.expression import literal
from continua.runtime.sources.columns import locate
from continua.runtime.sources.csv_files import SUFFIXES, Options, options_of, rows_of
from continua.runtime.sources.spark_delivery import Piece
from continua.runtime.sources.spark_files import MOST_LAYOUTS, Numbered, numbered_files
from continua.runtime.sources.spark_lines import PHI, lines, sound_lines
from continua.runtime.sources.spark_text import text_cell

_LONGEST_FIELD = 131072
"""Python's limit."""

_LATEST_HEADER = 1000
"""The header is expected in these first lines, which are all in a file's first block."""

# Spark takes them for blanks around a number, Python does not.
_CONTROL: Final = literal(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", STRING)

_MOST_QUOTES = 1000
"""Java's regular expressions need stack for each pair of doubled quotes."""


class _Layout(NamedTuple):
    """Where the declared columns are, of how many fields, and after how many lines rows begin."""

    positions: tuple[int, ...]
    width: int
    skipped: int


def csv_pieces(spark: SparkSession, relation: Relation, identified: bool) -> list[Piece] | None:
    options = options_of(relation)
    delimiter = options.delimiter
    if not (delimiter.isascii() and (delimiter.isprintable() or delimiter == "\t")):
        return None
    files = numbered_files(relation, SUFFIXES)
    if files is None:
        return None
    layouts: dict[_Layout, list[Numbered]] = defaultdict(list)
    for file in files:
        try:
            layout = _layout(relation, file, options)
        except (ContinuaError, OSError):
            return None  # the reference says what is wrong, unless a row before is
        if layout is None:
            return None
        layouts[layout].append(file)
    if len(layouts) > MOST_LAYOUTS:
        return None
    return [
        _piece(spark, relation, group, layout, delimiter, identified)
        for layout, group in layouts.items()
    ]


def _layout(relation: Relation, file: Numbered, options: Options) -> _Layout | None:
    """The layout of a file, or None if its header is not a plain line."""
    declared = len(relation.columns)
    if not options.header:
        return _Layout(tuple(range(declared)), declared, 0)
    with open(file.path, encoding="utf-8-sig", errors="surrogateescape", newline="") as stream:
        header = next(rows_of(stream, options.delimiter), None)
    if header is None:
        # Nothing but blank lines: there are no rows, whatever the layout.
        return _Layout(tuple(range(declared)), declared, 0)
    one_line = not any(end in header.text.rstrip("\r\n") for end in "\r\n")
    if header.problem is not None or not one_line or header.line > _LATEST_HEADER:
        return None
    names = [name.strip() for name in header.fields]
    positions = locate(relation, names, file.name)
    return _Layout(tuple(positions), len(names), header.line)


def _piece(
    spark: SparkSession,
    relation: Relation,
    files: Sequence[Numbered],
    layout: _Layout,
    delimiter: str,
    identified: bool,
) -> Piece:
    frame = lines(spark, files, None, identified)
    rows = frame.where(f"value <> '' AND NOT (block = 0 AND row < {layout.skipped})")
    cut = rows.selectExpr("*", f"{_fields(delimiter)} AS fields")
    raw = [f"nullif(get(fields, {p}), '') AS r{i}" for i, p in enumerate(layout.positions)]
    good = [
        f"coalesce(size(fields) = {layout.width}, FALSE)",
        *sound_lines(identified),
        f"length(value) <= {_LONGEST_FIELD}",
        f"NOT value RLIKE {_CONTROL}",
    ]
    cells = [text_cell(f"r{i}", c.type, f"c{i}") for i, c in enumerate(relation.columns)]
    return Piece(cut.selectExpr("*", *raw), cells, good, PHI if identified else None)


def _fields(delimiter: str) -> str:
    """SQL: the fields of a line, or NULL if it is not surely a row of its own.

    With a delimiter before each, fields are what a pattern finds one after the other; if they do
    not make up the line again, a quote is open at its end or something follows one.
    """
    escaped = delimiter if delimiter.isalnum() or delimiter in "\t " else f"\\{delimiter}"
    split = f"split(value, {literal(escaped, STRING)}, -1)"
    mark = literal(delimiter, STRING)
    unquoted = f'[^"{escaped}][^{escaped}]*+'
    pattern = literal(rf'{escaped}("[^"]*+(?:""[^"]*+)*+"|{unquoted}|)', STRING)
    found = f"regexp_extract_all(concat({mark}, value), {pattern}, 1)"
    whole = f"array_join({found}, {mark}) = value"
    few = f"length(value) - length(replace(value, '\"\"', '')) <= {2 * _MOST_QUOTES}"
    bare = "replace(substr(f, 2, length(f) - 2), '\"\"', '\"')"
    plain = f"transform({found}, f -> CASE WHEN startswith(f, '\"') THEN {bare} ELSE f END)"
    return f"""CASE
        WHEN instr(value, '"') = 0 THEN {split}
        WHEN {few} AND {whole} THEN {plain} END"""
