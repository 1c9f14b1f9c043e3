"""Text to statements."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import TokenType

from continua.errors import ContinuaError, Source, Span, did_you_mean
from continua.sql.change_parser import parse_delete, parse_insert, parse_update
from continua.sql.clause_parser import parse_moment
from continua.sql.create_parser import OBJECTS, parse_create
from continua.sql.literals import parse_literal
from continua.sql.query_parser import ENDS_OPEN, QUERY_STARTS
from continua.sql.statements import (
    Describe,
    Drop,
    Explain,
    Query,
    Set,
    Show,
    Snapshot,
    SpreadInto,
    Statement,
)
from continua.sql.tokens import Cursor, is_word, keyword, tokenize

LEVELS = 200
"""How deeply a statement may nest: what sqlglot compiles would overflow instead of complaining."""

STAGES = ("LOGICAL", "OPTIMIZED", "PHYSICAL", "SPARK", "COST")


def parse(text: str, name: str = "<sql>") -> list[Statement]:
    """The statements of a text, which semicolons separate."""
    source = Source(text, name)
    try:
        return _parse(source)
    except RecursionError:
        raise too_deep(Span(source, 0, len(text))) from None


def too_deep(span: Span | None) -> ContinuaError:
    hint = "name parts of it, by WITH or by CREATE STREAM … AS"
    return ContinuaError("UNSUPPORTED", "the statement is nested too deeply", span, hint=hint)


def _parse(source: Source) -> list[Statement]:
    statements, start = [], 0
    tokens = tokenize(source)
    ends = [i for i, token in enumerate(tokens) if token.token_type == TokenType.SEMICOLON]
    for end in [*ends, len(tokens)]:
        if end > start:
            cursor = Cursor(tokens[start:end], source)
            _check_depth(cursor)
            statements.append(parse_statement(cursor))
        start = end + 1
    return statements


def _check_depth(cursor: Cursor) -> None:
    """Raises at what stands in too many brackets, CASEs, or behind too many signs and NOTs."""
    depth = signs = 0
    for token in cursor.tokens:
        kind = token.token_type
        depth += (kind in _OPENING) - (kind in _CLOSING)
        signs = signs + 1 if kind in _SIGNS else 0
        if depth + signs > LEVELS:
            raise too_deep(cursor.span(token))


_OPENING = (TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.CASE)
_CLOSING = (TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.END)
_SIGNS = (TokenType.NOT, TokenType.DASH, TokenType.PLUS, TokenType.TILDE)


def parse_statement(cursor: Cursor) -> Statement:
    token = cursor.token()
    assert token is not None
    word = keyword(token)
    parser = _STATEMENTS.get(word)
    if word in QUERY_STARTS:
        return Query.parse(cursor)
    if word in _FOREIGN:
        message = f"{word} is not supported: tuples come and go by their window"
        raise ContinuaError("UNSUPPORTED", message, cursor.span())
    if parser is None:
        nearest = did_you_mean(token.text, [*_STATEMENTS, *QUERY_STARTS])
        message = f"no statement starts with {token.text!r}"
        raise ContinuaError("SYNTAX", message, cursor.span(), hint=nearest)
    statement = parser(cursor)
    cursor.finish()
    return statement


_FOREIGN = ("MERGE", "TRUNCATE", "ALTER")


def _snapshot(cursor: Cursor) -> Snapshot:
    cursor.expect("SNAPSHOT", "OF")
    ends = _at(cursor)
    query = Query.parse(Cursor(cursor.tokens[:ends], cursor.source, cursor.position))
    cursor.position = ends
    at = None
    if not cursor.done:
        cursor.expect("AT")
        try:
            at = parse_moment(cursor)
            cursor.finish()
        except ContinuaError as problem:
            message = "AT takes a time that is written down"
            hint = "a number, or a text as '2026-01-01 12:00'"
            raise ContinuaError("SYNTAX", message, problem.span, hint=hint) from None
    return Snapshot(query, at, span=cursor.since(0))


def _at(cursor: Cursor) -> int:
    """Where the last AT stands that no bracket is around; else the end of the statement.

    It follows something that is complete: in `a < at` it is a column.
    """
    depth = 0
    for position in range(len(cursor.tokens) - 1, cursor.position, -1):
        token, before = cursor.tokens[position], cursor.tokens[position - 1]
        depth += (token.token_type in _CLOSING) - (token.token_type in _OPENING)
        if depth == 0 and keyword(token) == "AT":
            complete = keyword(before) not in ENDS_OPEN and (
                is_word(before) or before.token_type in _COMPLETE
            )
            if complete and position + 1 < len(cursor.tokens):
                return position
    return len(cursor.tokens)


_COMPLETE = (*_CLOSING, TokenType.NUMBER, TokenType.STRING, TokenType.STAR)


def _spread(cursor: Cursor) -> SpreadInto:
    cursor.expect("SPREAD")
    anew = cursor.accept("ALL")
    streams = cursor.names("a stream")
    on = cursor.names("a column") if cursor.accept("ON") else ()
    cursor.expect("INTO")
    outputs = cursor.names("a name for the output")
    return SpreadInto(anew, streams, on, outputs, span=cursor.since(0))


def _show(cursor: Cursor) -> Show:
    cursor.expect("SHOW")
    shown = ("STREAMS", "TABLES", "GROUPS", "SINKS", "QUERIES", "FUNCTIONS", "SETTINGS")
    what = cursor.choose(shown, "what to show")
    return Show(what, span=cursor.since(0))


def _describe(cursor: Cursor) -> Describe:
    if not cursor.accept("DESCRIBE"):
        cursor.expect("DESC")
    return Describe(cursor.name("a stream, table, group or sink"), span=cursor.since(0))


def _drop(cursor: Cursor) -> Drop:
    cursor.expect("DROP")
    kind = cursor.choose((*OBJECTS, "QUERY"), "STREAM, TABLE, GROUP, SINK or QUERY")
    if_exists = cursor.accept("IF", "EXISTS")
    return Drop(kind, cursor.name("a name"), if_exists, span=cursor.since(0))


def _set(cursor: Cursor) -> Set:
    cursor.expect("SET")
    key = cursor.name("a setting")
    cursor.expect("=")
    return Set(key, parse_literal(cursor), span=cursor.since(0))


def _explain(cursor: Cursor) -> Explain:
    cursor.expect("EXPLAIN")
    stage = next((stage for stage in STAGES if cursor.accept(stage)), "LOGICAL")
    query = Query.parse(cursor)
    return Explain(stage, query, span=cursor.since(0))


_STATEMENTS: dict[str, Callable[[Cursor], Statement]] = {
    "CREATE": parse_create,
    "INSERT": parse_insert,
    "UPDATE": parse_update,
    "DELETE": parse_delete,
    "SNAPSHOT": _snapshot,
    "SPREAD": _spread,
    "SHOW": _show,
    "DESCRIBE": _describe,
    "DESC": _describe,
    "DROP": _drop,
    "SET": _set,
    "EXPLAIN": _explain,
}
