"""Parses CREATE: streams, derived streams, tables and sinks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlglot import TokenType

from continua.errors import ContinuaError, did_you_mean
from continua.model.catalog import USING, SourceCall
from continua.model.types import TYPE_NAMES, Type, parse_type
from continua.sql.clause_parser import parse_duration
from continua.sql.clauses import Range
from continua.sql.literals import parse_literal, parse_row_list
from continua.sql.statements import (
    Batching,
    ColumnDefinition,
    CreateGroup,
    CreateSink,
    CreateStream,
    CreateStreamAs,
    CreateTable,
    Log,
    Query,
    Statement,
    StreamOptions,
    Versions,
)
from continua.sql.tokens import Cursor, Name

OBJECTS = ("STREAM", "TABLE", "GROUP", "SINK")


def parse_create(cursor: Cursor) -> Statement:
    cursor.expect("CREATE")
    replace = cursor.accept("OR", "REPLACE")
    kind = cursor.choose(OBJECTS, "STREAM, TABLE, GROUP or SINK")
    if cursor.at("IF", "NOT", "EXISTS"):
        raise cursor.error("IF NOT EXISTS is not supported", hint=f"CREATE OR REPLACE {kind}")
    name = cursor.name(f"the {kind.lower()}'s name")
    if kind == "STREAM":
        return _create_stream(cursor, name, replace)
    if kind == "TABLE":
        return _create_table(cursor, name, replace)
    if kind == "GROUP":
        return _create_group(cursor, name, replace)
    cursor.expect("USING")
    format_ = cursor.name("a format")
    options = _options(cursor) if cursor.accept("OPTIONS") else ()
    delivery = None
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
        query = Query.parse(cursor)
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
        elif cursor.at("DEFAULT"):
            found["default_window"] = _default_window(cursor)
        elif cursor.at("SIMULTANEITY"):
            found["batching"] = _batching(cursor)
        elif not _read_option(cursor, found):
            raise _unknown_option(cursor, "the stream", _STREAM_OPTIONS)
    return StreamOptions(**found)


def _read_option(cursor: Cursor, found: dict[str, Any]) -> bool:
    """Parses an option that says how a live run reads rows, or what becomes of bad ones."""
    if cursor.accept("SLACK"):
        found["slack"] = parse_duration(cursor)
    elif cursor.accept("IDLE"):
        cursor.expect("AFTER")
        found["idle_after"] = parse_duration(cursor)
    elif cursor.accept("LATE"):
        found["late"] = cursor.choose(("DROP", "KEEP", "FAIL"), "a policy")
    elif cursor.at("ON"):
        found["on_error"] = _on_error(cursor)
    else:
        return False
    return True


def _unknown_option(cursor: Cursor, what: str, options: Sequence[str]) -> ContinuaError:
    token = cursor.token()
    known = f"one of {', '.join(options)}"
    hint = did_you_mean(token.text if token else "", options) or known
    return cursor.error(f"expected an option of {what}", hint=hint)


_READ_OPTIONS = ("SLACK", "LATE", "ON ERROR", "IDLE AFTER")
_STREAM_OPTIONS = (
    *("ORDERED BY", "GRANULE"),
    *_READ_OPTIONS,
    *("DEFAULT WINDOW UNBOUNDED", "SIMULTANEITY"),
)
_TABLE_OPTIONS = ("VALID FROM", "CHANGES ORDERED BY", "ON ERROR")


def _batching(cursor: Cursor) -> Batching:
    start = cursor.position
    cursor.expect("SIMULTANEITY")
    kind = cursor.choose(("TIME", "TUPLE", "BATCH"), "what is simultaneous")
    if kind == "BATCH" and not cursor.at("BY"):
        hint = "BATCH BY a: tuples of one time and equal a are one batch"
        raise cursor.error("expected BY and a column", hint=hint)
    by = cursor.names("a column") if kind != "TIME" and cursor.accept("BY") else ()
    return Batching(kind, by, span=cursor.since(start))


def _create_group(cursor: Cursor, name: Name, replace: bool) -> CreateGroup:
    cursor.expect("OF")
    streams = cursor.names("a stream")
    return CreateGroup(name, streams, _batching(cursor), replace, span=cursor.since(0))


def _default_window(cursor: Cursor) -> Range:
    start = cursor.position
    cursor.expect("DEFAULT", "WINDOW")
    if not cursor.accept("UNBOUNDED"):
        hint = "without DEFAULT WINDOW it is as SET default_window says: 'now', if it says nothing"
        raise cursor.error("expected UNBOUNDED", hint=hint)
    return Range(None, span=cursor.since(start))


def _on_error(cursor: Cursor) -> str:
    cursor.expect("ON", "ERROR")
    return cursor.choose(("DROP", "KEEP", "FAIL"), "a policy")


def _create_table(cursor: Cursor, name: Name, replace: bool) -> CreateTable:
    columns, key = _columns_and_key(cursor)
    # A table without a source starts empty and is filled by INSERT INTO.
    source = _source(cursor)
    history = _history(cursor)
    found: dict[str, Any] = {}
    while not cursor.done:
        if isinstance(history, Log):
            if not _read_option(cursor, found):
                raise _unknown_option(cursor, "the table", _READ_OPTIONS)
        elif cursor.at("ON"):
            found["on_error"] = _on_error(cursor)
        else:
            raise _unknown_option(cursor, "the table", _TABLE_OPTIONS)
    options, span = StreamOptions(**found), cursor.since(0)
    return CreateTable(name, columns, key, source, history, options, replace, span=span)


def _history(cursor: Cursor) -> Versions | Log | None:
    if cursor.accept("VALID"):
        cursor.expect("FROM")
        valid_from = cursor.name("the attribute with the start of validity")
        to = cursor.accept("TO")
        return Versions(
            valid_from, cursor.name("the attribute with the end of validity") if to else None
        )
    if cursor.accept("CHANGES"):
        cursor.expect("ORDERED", "BY")
        ordered_by = cursor.name("the time attribute")
        says = cursor.accept("OPERATION")
        return Log(ordered_by, cursor.name("the column with the operation") if says else None)
    return None


def _columns(cursor: Cursor) -> tuple[ColumnDefinition, ...]:
    columns, key = _columns_and_key(cursor)
    if key:
        message = "a stream has no primary key: its tuples come as often as they come"
        hint = "CREATE TABLE … CHANGES makes a table of rows that insert, update and delete by key"
        raise ContinuaError("SYNTAX", message, key[0].span.to(key[-1].span), hint=hint)
    return columns


def _columns_and_key(cursor: Cursor) -> tuple[tuple[ColumnDefinition, ...], tuple[Name, ...]]:
    """Columns in brackets; a primary key stands behind a column, or in the place of one."""
    cursor.expect("(")
    columns: list[ColumnDefinition] = []
    key: tuple[Name, ...] = ()
    while True:
        start = cursor.position
        if cursor.at(_KEY, "("):
            cursor.position += 2
            found = cursor.names("a column of the key")
            cursor.expect(")")
        else:
            columns.append(_column(cursor))
            found = (columns[-1].name,) if cursor.accept(_KEY) else ()
        if found and key:
            raise ContinuaError("SYNTAX", "a table has one primary key", cursor.since(start))
        key = key or found
        if not cursor.accept(","):
            break
    cursor.expect(")")
    return tuple(columns), key


_KEY = "PRIMARY KEY"  # the tokenizer makes one word of the two


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
        return SourceCall(USING, (format_,), options, cursor.since(start))
    if not cursor.accept("SOURCE"):
        return SourceCall("rows")
    if cursor.accept("VALUES"):
        return SourceCall("rows", parse_row_list(cursor), (), cursor.since(start))
    function = cursor.name("a source").text.lower()
    args: list[object] = []
    named: list[tuple[str, object]] = []
    cursor.expect("(")
    while not cursor.at(")"):
        if cursor.at("=>", ahead=1):
            key = cursor.name("an argument").text.lower()
            cursor.expect("=>")
            named.append((key, parse_literal(cursor)))
        else:
            args.append(parse_literal(cursor))
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
        found.append((key, parse_literal(cursor)))
        if not cursor.accept(","):
            break
    cursor.expect(")")
    return tuple(found)
