"""Parses literal values and rows."""

from __future__ import annotations

import math
from decimal import Decimal

from sqlglot import TokenType

from continua.errors import ContinuaError, Source
from continua.logical.expr.cast import ValueProblem, from_text
from continua.model.types import DATE, TIMESTAMP
from continua.sql.tokens import Cursor, tokenize


def parse_row_list(cursor: Cursor) -> tuple[tuple[object, ...], ...]:
    rows = []
    while True:
        span = cursor.span()
        row = parse_literal(cursor)
        if not isinstance(row, tuple):
            raise ContinuaError("SYNTAX", "expected a row in brackets", span)
        rows.append(row)
        if not cursor.accept(","):
            return tuple(rows)


def parse_literal(cursor: Cursor) -> object:
    """A literal value; brackets make a row of several."""
    if cursor.accept("("):
        parts = [parse_literal(cursor)]
        while cursor.accept(","):
            parts.append(parse_literal(cursor))
        cursor.expect(")")
        return tuple(parts)
    for word, value in (("NULL", None), ("TRUE", True), ("FALSE", False)):
        if cursor.accept(word):
            return value
    if cursor.accept("-"):
        number = _number(cursor)
        # The minus of Python's decimals rounds to 28 digits.
        return number.copy_negate() if isinstance(number, Decimal) else -number
    if cursor.at_literal(TokenType.NUMBER):
        return _number(cursor)
    if cursor.at_literal(TokenType.STRING):
        return cursor.string()
    for word, type_ in (("TIMESTAMP", TIMESTAMP), ("DATE", DATE)):
        if cursor.accept(word):
            span = cursor.span()
            try:
                return from_text(cursor.string(), type_)
            except ValueProblem as problem:
                raise ContinuaError("SYNTAX", str(problem), span) from None
    raise cursor.error("expected a literal value")


def parse_rows(text: str, name: str = "<rows>") -> list[tuple[object, ...]]:
    """Literal rows that stand one after another; `(1, 'a')*3` is three times the same row."""
    source = Source(text, name)
    cursor = Cursor(tokenize(source), source)
    rows: list[tuple[object, ...]] = []
    while not cursor.done:
        row = parse_literal(cursor)
        row = row if isinstance(row, tuple) else (row,)
        rows += [row] * (cursor.whole() if cursor.accept("*") else 1)
    return rows


def _number(cursor: Cursor) -> int | float | Decimal:
    if not cursor.at_literal(TokenType.NUMBER):
        raise cursor.error("expected a number")
    span = cursor.span()
    text = cursor.next().text
    if len(text) > 400:
        raise ContinuaError("SYNTAX", "a number of too many digits", span)
    if text.isdigit():
        return int(text)
    if "e" in text.lower() and math.isinf(float(text)):
        raise ContinuaError("SYNTAX", f"{text} is out of range", span)
    return float(text) if "e" in text.lower() else Decimal(text)
