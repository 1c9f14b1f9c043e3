"""`csv('glob')` by Spark: lines cut into fields as `csv_rows` cuts them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Final, NamedTuple

from pyspark.sql import SparkSession

from continua.errors import ContinuaError
from continua.model.catalog import Relation
from continua.model.types import STRING, Type
from continua.physical.expression import literal
from continua.runtime.sources.columns import locate
from continua.runtime.sources.compressed import DAMAGED, open_text
from continua.runtime.sources.csv_rows import header_of, names_of, rows_of
from continua.runtime.sources.files import File
from continua.runtime.sources.spark_files import MOST_LAYOUTS, Numbered, numbered_files
from continua.runtime.sources.spark_lines import PHI, lines, sound_lines
from continua.runtime.sources.spark_rows import Part
from continua.runtime.sources.spark_text import text_cell

_LATEST_HEADER = 1000
"""The header is expected in these first lines, which are all in a file's first block."""

# Spark takes them for blanks around a number, Python does not.
_CONTROL: Final = literal(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", STRING)

_MOST_QUOTES = 1000
"""Java's regular expressions need stack for each pair of doubled quotes."""


class Form(NamedTuple):
    header: bool
    delimiter: str


class _Layout(NamedTuple):
    """Where the declared columns are, of how many fields, and after how many lines rows begin."""

    positions: tuple[int, ...]
    width: int
    skipped: int


def csv_parts(
    spark: SparkSession, relation: Relation, files: Sequence[File], form: Form, identified: bool
) -> list[Part] | None:
    delimiter = form.delimiter
    if not (delimiter.isascii() and (delimiter.isprintable() or delimiter == "\t")):
        return None
    numbered = numbered_files(files)
    if numbered is None:
        return None
    layouts: dict[_Layout, list[Numbered]] = defaultdict(list)
    for file in numbered:
        try:
            layout = _layout(relation, file, form)
        except (ContinuaError, OSError, *DAMAGED):
            return None  # the exact reader says what is wrong, unless a row before is
        if layout is None:
            return None
        layouts[layout].append(file)
    if len(layouts) > MOST_LAYOUTS:
        return None
    return [
        _piece(spark, relation, group, layout, delimiter, identified)
        for layout, group in layouts.items()
    ]


def _layout(relation: Relation, file: Numbered, form: Form) -> _Layout | None:
    """The layout of a file, or None if its header is not a plain line."""
    declared = len(relation.columns)
    if not form.header:
        return _Layout(tuple(range(declared)), declared, 0)
    with open_text(relation, file.path) as stream:
        header = header_of(rows_of(stream, form.delimiter))
    if header is None:
        # Nothing but blank lines: there are no rows, whatever the layout.
        return _Layout(tuple(range(declared)), declared, 0)
    one_line = not any(end in header.text.rstrip("\r\n") for end in "\r\n")
    if header.problem is not None or not one_line or header.line > _LATEST_HEADER:
        return None
    positions = locate(relation, names_of(header), file.name)
    return _Layout(tuple(positions), len(header.fields), header.line)


def _piece(
    spark: SparkSession,
    relation: Relation,
    files: Sequence[Numbered],
    layout: _Layout,
    delimiter: str,
    identified: bool,
) -> Part:
    frame = lines(spark, files, None, identified)
    rows = frame.where(f"NOT (block = 0 AND row < {layout.skipped})")
    if layout.width > 1:
        rows = rows.where("value <> ''")
    cut = rows.selectExpr("*", f"{_fields(delimiter)} AS fields")
    placed = zip(layout.positions, relation.columns, strict=True)
    raw = [f"{_field(p, column.type)} AS r{i}" for i, (p, column) in enumerate(placed)]
    good = [
        f"coalesce(size(fields) = {layout.width}, FALSE)",
        *sound_lines(identified),
        f"NOT value RLIKE {_CONTROL}",
    ]
    cells = [text_cell(f"r{i}", c.type, f"c{i}") for i, c in enumerate(relation.columns)]
    return Part(cut.selectExpr("*", *raw), cells, good, PHI if identified else None)


def _field(position: int, type_: Type) -> str:
    """SQL: a field without its quotes. Nothing is NULL; in quotes, it is a text that is empty."""
    field = f"get(fields, {position})"
    bare = f"replace(substr({field}, 2, length({field}) - 2), '\"\"', '\"')"
    value = f"CASE WHEN startswith({field}, '\"') THEN {bare} ELSE nullif({field}, '') END"
    return value if type_ == STRING else f"nullif({value}, '')"


def _fields(delimiter: str) -> str:
    """SQL: the fields of a line with their quotes, or NULL if it is not surely a row of its own.

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
    return f"""CASE
        WHEN instr(value, '"') = 0 THEN {split}
        WHEN {few} AND {whole} THEN {found} END"""
