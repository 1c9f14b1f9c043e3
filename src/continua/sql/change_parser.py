"""Parses the statements that change the rows of a table: INSERT … VALUES, UPDATE, DELETE.

The expressions of UPDATE and DELETE are put into a query without FROM, which sqlglot parses.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import Token, TokenType

from continua.sql.clauses import Moment
from continua.sql.literals import parse_literal, parse_row_list
from continua.sql.query_parser import QUERY_STARTS, parse_query
from continua.sql.statements import (
    Delete,
    InsertQuery,
    InsertRows,
    Query,
    Statement,
    Update,
)
from continua.sql.tokens import Cursor, Name, keyword


def parse_insert(cursor: Cursor) -> Statement:
    cursor.expect("INSERT", "INTO")
    target = cursor.name("a sink, stream or table")
    nested = any(cursor.at(word, ahead=1) for word in QUERY_STARTS)
    if cursor.at("(") and not nested:
        raise cursor.error("a list of columns is not supported", hint="give every column a value")
    if cursor.accept("VALUES"):
        rows = parse_row_list(cursor)
        at = _at(cursor)
        return InsertRows(target, rows, at, span=cursor.since(0))
    return InsertQuery(target, Query.parse(cursor), span=cursor.since(0))


def parse_update(cursor: Cursor) -> Update:
    cursor.expect("UPDATE")
    target = cursor.name("a table")
    cursor.expect("SET")
    columns: list[Name] = []
    values: list[Sequence[Token]] = []
    while not columns or cursor.accept(","):
        columns.append(cursor.name("a column"))
        cursor.expect("=")
        values.append(_up_to(cursor, (",", "WHERE", "AT")))
    query = _query(cursor, values)
    return Update(target, tuple(columns), query, _at(cursor), span=cursor.since(0))


def parse_delete(cursor: Cursor) -> Delete:
    cursor.expect("DELETE", "FROM")
    target = cursor.name("a table")
    query = _query(cursor, [[_token(TokenType.TRUE, "TRUE", cursor.tokens[cursor.position - 1])]])
    return Delete(target, query, _at(cursor), span=cursor.since(0))


def _at(cursor: Cursor) -> Moment | None:
    start = cursor.position
    return Moment(parse_literal(cursor), cursor.since(start)) if cursor.accept("AT") else None


def _up_to(cursor: Cursor, words: Sequence[str]) -> Sequence[Token]:
    """The tokens up to one of the words that is not inside brackets, or to the end."""
    start, depth = cursor.position, 0
    while (token := cursor.token()) is not None and (depth or keyword(token) not in words):
        depth += (keyword(token) == "(") - (keyword(token) == ")")
        cursor.position += 1
    if cursor.position == start:
        raise cursor.error("expected an expression")
    return cursor.tokens[start : cursor.position]


def _query(cursor: Cursor, values: Sequence[Sequence[Token]]) -> Query:
    """SELECT of values, and WHERE with the condition that follows, as a query."""
    start = cursor.position - 1
    tokens = [_token(TokenType.SELECT, "SELECT", values[0][0])]
    for number, value in enumerate(values):
        comma = [_token(TokenType.COMMA, ",", value[0])] if number else []
        tokens += [*comma, *value]
    where = cursor.token()
    if where is not None and cursor.accept("WHERE"):
        tokens += [where, *_up_to(cursor, ("AT",))]
    return Query(parse_query(Cursor(tokens, cursor.source)), span=cursor.since(start))


def _token(kind: TokenType, text: str, here: Token) -> Token:
    return Token(kind, text, here.line, here.col, here.start, here.end)
