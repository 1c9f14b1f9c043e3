"""Text to statements."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from sqlglot import TokenType

from continua.errors import ContinuaError, Source, did_you_mean
from continua.logical.expr.cast import ValueProblem, from_text
from continua.model.catalog import SourceCall
from continua.model.types import DATE, TIMESTAMP, TYPE_NAMES, Type, parse_type
from continua.sql.clause_parser import parse_duration
from continua.sql.query_parser import parse_query
from continua.sql.statements import (
    ColumnDefinition,
    CreateSink,
    CreateStream,
    CreateStreamAs,
    CreateTable,
    Describe,
    Drop,
    Explain,
    InsertQuery,
    InsertRows,
    Query,
    Set,
    Show,
    SpreadInto,
    Statement,
    StreamOptions,
)
from continua.sql.tokens import Cursor, Name, keyword, tokenize

STAGES = ("LOGICAL", "OPTIMIZED", "PHYSICAL", "COST")
OBJECTS = ("STREAM", "TABLE", "SINK")


def parse(text: str, name: str = "<sql>") -> list[Statement]:
    """The statements of a text, which semicolons separate."""
    source = Source(text, name)
    try:
        return _parse(source)
    except RecursionError:
        raise ContinuaError("SYNTAX", f"{name} is nested too deeply") from None


def _parse(source: Source) -> list[Statement]:
    statements, start = [], 0
    tokens = tokenize(source)
    ends = [i for i, token in enumerate(tokens) if token.token_type == TokenType.SEMICOLON]
    for end in [*ends, len(tokens)]:
        if end > start:
            statements.append(parse_statement(Cursor(tokens[start:end], source)))
        start = end + 1
    return statements


def parse_statement(cursor: Cursor) -> Statement:
    token = cursor.token()
    assert token is not None
    word = keyword(token)
    parser = _STATEMENTS.get(word)
    if word == "(" or word in _QUERY_WORDS:
        return _query(cursor)
    if word in _FOREIGN:
        message = f"{word} is not supported: tuples come and go by their window"
        raise ContinuaError("UNSUPPORTED", message, cursor.span())
    if parser is None:
        nearest = did_you_mean(token.text, [*_STATEMENTS, *_QUERY_WORDS])
        message = f"no statement starts with {token.text!r}"
        raise ContinuaError("SYNTAX", message, cursor.span(), hint=nearest)
    statement = parser(cursor)
    cursor.finish()
    return statement


_FOREIGN = ("DELETE", "UPDATE", "MERGE", "TRUNCATE", "ALTER")
_QUERY_WORDS = ("SELECT", "WITH", "VALUES", "ISTREAM", "DSTREAM", "RSTREAM")


def _query(cursor: Cursor) -> Query:
    start = cursor.position
    tree = parse_query(cursor)
    return Query(tree, span=cursor.since(start))


def _create(cursor: Cursor) -> Statement:
    cursor.expect("CREATE")
    replace = cursor.accept("OR", "REPLACE")
    kind = cursor.choose(OBJECTS, "STREAM, TABLE or SINK")
    if cursor.at("IF", "NOT", "EXISTS"):
        raise cursor.error("IF NOT EXISTS is not supported", hint=f"CREATE OR REPLACE {kind}")
    name = cursor.name(f"the {kind.lower()}'s name")
    if kind == "STREAM":
        return _create_stream(cursor, name, replace)
    if kind == "TABLE":
        return _create_table(cursor, name, replace)
    cursor.expect("USING")
    format_ = cursor.name("a format")
    options = _options(cursor) if cursor.accept("OPTIONS") else ()
    delivery = "INTERVALS"
    if cursor.accept("AS"):
        delivery = cursor.choose(("INTERVALS", "CHANGES", "INSERTS"), "what the sink receives")
    return CreateSink(name, format_, options, delivery, replace, span=cursor.since(0))


def _create_stream(cursor: Cursor, name: Name, replace: bool) -> Statement:
    if not cursor.at("("):
        granule = parse_duration(cursor) if cursor.accept("GRANULE") else None
        if not cursor.accept("AS"):
            raise cursor.error(
                "expected the columns in brackets, or AS and a query",
                hint=f"as in CREATE STREAM {name} (a INT, t TIMESTAMP) SOURCE … ORDERED BY t",
            )
        query = _query(cursor)
        return CreateStreamAs(name, query, granule, replace, span=cursor.since(0))
    columns = _columns(cursor)
    source = _source(cursor)
    ordered_by = until = None
    if cursor.accept("ORDERED"):
        cursor.expect("BY")
        ordered_by = cursor.name("the time attribute")
        if cursor.accept("UNTIL"):
            until = cursor.name("the attribute with the end of validity")
    options = _stream_options(cursor)
    return CreateStream(
        name, columns, source, ordered_by, until, options, replace, span=cursor.since(0)
    )


def _stream_options(cursor: Cursor) -> StreamOptions:
    found: dict[str, Any] = {}
    while not cursor.done:
        if cursor.accept("GRANULE"):
            found["granule"] = parse_duration(cursor)
        elif cursor.accept("SLACK"):
            found["slack"] = parse_duration(cursor)
        elif cursor.accept("IDLE"):
            cursor.expect("AFTER")
            found["idle_after"] = parse_duration(cursor)
        elif cursor.accept("LATE"):
            found["late"] = cursor.choose(("DROP", "KEEP", "FAIL"), "a policy")
        elif cursor.at("ON"):
            found["on_error"] = _on_error(cursor)
        else:
            words = ("ORDERED BY", "GRANULE", "SLACK", "LATE", "ON ERROR", "IDLE AFTER")
            token = cursor.token()
            hint = did_you_mean(token.text if token else "", words) or f"one of {', '.join(words)}"
            raise cursor.error("expected an option of the stream", hint=hint)
    return StreamOptions(**found)


def _on_error(cursor: Cursor) -> str:
    cursor.expect("ON", "ERROR")
    return cursor.choose(("DROP", "KEEP", "FAIL"), "a policy")


def _create_table(cursor: Cursor, name: Name, replace: bool) -> CreateTable:
    columns = _columns(cursor)
    # A table without a source starts empty and is filled by INSERT INTO.
    source = _source(cursor)
    valid_from = valid_to = None
    if cursor.accept("VALID"):
        cursor.expect("FROM")
        valid_from = cursor.name("the attribute with the start of validity")
        if cursor.accept("TO"):
            valid_to = cursor.name("the attribute with the end of validity")
    on_error = _on_error(cursor) if cursor.at("ON") else "FAIL"
    return CreateTable(
        name, columns, source, valid_from, valid_to, on_error, replace, span=cursor.since(0)
    )


def _columns(cursor: Cursor) -> tuple[ColumnDefinition, ...]:
    cursor.expect("(")
    columns = [_column(cursor)]
    while cursor.accept(","):
        columns.append(_column(cursor))
    cursor.expect(")")
    return tuple(columns)


def _column(cursor: Cursor) -> ColumnDefinition:
    name = cursor.name("a column's name")
    return ColumnDefinition(name, _type(cursor))


def _type(cursor: Cursor) -> Type:
    start = cursor.position
    joined = "DOUBLE PRECISION"  # the tokenizer makes one word of the two
    word = joined if cursor.accept(joined) else cursor.name("a type").text
    if cursor.accept("("):
        word += f"({cursor.whole()}"
        while cursor.accept(","):
            word += f",{cursor.whole()}"
        cursor.expect(")")
        word += ")"
    found = parse_type(word)
    if found is None:
        span = cursor.since(start)
        hint = did_you_mean(word, TYPE_NAMES, f"the types are {', '.join(TYPE_NAMES)}")
        raise ContinuaError("SYNTAX", f"{span.text} is not a type", span, hint=hint)
    return found


def _source(cursor: Cursor) -> SourceCall:
    start = cursor.position
    if cursor.accept("USING"):
        format_ = cursor.name("a format").text
        options = _options(cursor) if cursor.accept("OPTIONS") else ()
        return SourceCall("using", (format_,), options, cursor.since(start))
    if not cursor.accept("SOURCE"):
        return SourceCall("rows")
    if cursor.accept("VALUES"):
        return SourceCall("rows", _rows(cursor), (), cursor.since(start))
    function = cursor.name("a source").text.lower()
    args: list[object] = []
    named: list[tuple[str, object]] = []
    cursor.expect("(")
    while not cursor.at(")"):
        if cursor.at("=>", ahead=1):
            key = cursor.name("an argument").text.lower()
            cursor.expect("=>")
            named.append((key, _literal(cursor)))
        else:
            args.append(_literal(cursor))
        if not cursor.accept(","):
            break
    cursor.expect(")")
    return SourceCall(function, tuple(args), tuple(named), cursor.since(start))


def _options(cursor: Cursor) -> tuple[tuple[str, object], ...]:
    """`(key 'value', …)` or `(key = 'value', …)`, keys with or without quotes."""
    cursor.expect("(")
    found: list[tuple[str, object]] = []
    while True:
        key = cursor.string() if cursor.at_literal(TokenType.STRING) else cursor.name("a key").text
        while cursor.accept("."):
            key += f".{cursor.name().text}"
        cursor.accept("=")
        found.append((key, _literal(cursor)))
        if not cursor.accept(","):
            break
    cursor.expect(")")
    return tuple(found)


def _rows(cursor: Cursor) -> tuple[tuple[object, ...], ...]:
    rows = []
    while True:
        span = cursor.span()
        row = _literal(cursor)
        if not isinstance(row, tuple):
            raise ContinuaError("SYNTAX", "expected a row in brackets", span)
        rows.append(row)
        if not cursor.accept(","):
            return tuple(rows)


def _literal(cursor: Cursor) -> object:
    """A literal value; brackets make a row of several."""
    if cursor.accept("("):
        parts = [_literal(cursor)]
        while cursor.accept(","):
            parts.append(_literal(cursor))
        cursor.expect(")")
        return tuple(parts)
    for word, value in (("NULL", None), ("TRUE", True), ("FALSE", False)):
        if cursor.accept(word):
            return value
    if cursor.accept("-"):
        return -_number(cursor)
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
        row = _literal(cursor)
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


def _insert(cursor: Cursor) -> Statement:
    cursor.expect("INSERT", "INTO")
    target = cursor.name("a sink, stream or table")
    if cursor.at("(") and not cursor.at("SELECT", ahead=1):
        raise cursor.error("a list of columns is not supported", hint="give every column a value")
    if cursor.accept("VALUES"):
        rows = _rows(cursor)
        return InsertRows(target, rows, span=cursor.since(0))
    return InsertQuery(target, _query(cursor), span=cursor.since(0))


def _spread(cursor: Cursor) -> SpreadInto:
    cursor.expect("SPREAD")
    anew = cursor.accept("ALL")
    streams = cursor.names("a stream")
    on = cursor.name("a column") if cursor.accept("ON") else None
    cursor.expect("INTO")
    outputs = cursor.names("a name for the output")
    return SpreadInto(anew, streams, on, outputs, span=cursor.since(0))


def _show(cursor: Cursor) -> Show:
    cursor.expect("SHOW")
    what = cursor.choose(("STREAMS", "TABLES", "SINKS", "FUNCTIONS", "SETTINGS"), "what to show")
    return Show(what, span=cursor.since(0))


def _describe(cursor: Cursor) -> Describe:
    if not cursor.accept("DESCRIBE"):
        cursor.expect("DESC")
    return Describe(cursor.name("a stream, table or sink"), span=cursor.since(0))


def _drop(cursor: Cursor) -> Drop:
    cursor.expect("DROP")
    kind = cursor.choose(OBJECTS, "STREAM, TABLE or SINK")
    if_exists = cursor.accept("IF", "EXISTS")
    return Drop(kind, cursor.name("a name"), if_exists, span=cursor.since(0))


def _set(cursor: Cursor) -> Set:
    cursor.expect("SET")
    key = cursor.name("a setting")
    cursor.expect("=")
    return Set(key, _literal(cursor), span=cursor.since(0))


def _explain(cursor: Cursor) -> Explain:
    cursor.expect("EXPLAIN")
    stage = next((stage for stage in STAGES if cursor.accept(stage)), "LOGICAL")
    query = _query(cursor)
    return Explain(stage, query, span=cursor.since(0))


_STATEMENTS: dict[str, Callable[[Cursor], Statement]] = {
    "CREATE": _create,
    "INSERT": _insert,
    "SPREAD": _spread,
    "SHOW": _show,
    "DESCRIBE": _describe,
    "DESC": _describe,
    "DROP": _drop,
    "SET": _set,
    "EXPLAIN": _explain,
}
