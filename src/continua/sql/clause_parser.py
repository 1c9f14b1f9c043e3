"""Parses what stands on a stream in FROM: window clauses (paper style and CQL brackets), the
arguments of table functions, AS OF and MATCH_CONDITION; and durations."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal, InvalidOperation

from sqlglot import TokenType

from continua.errors import ContinuaError, did_you_mean
from continua.sql.clauses import (
    MICROS,
    AsOf,
    Attribute,
    Batch,
    Bound,
    Clause,
    Duration,
    During,
    Fixed,
    Hop,
    MatchCondition,
    Moment,
    Now,
    Range,
    Rows,
    Sequence,
    Session,
)
from continua.sql.literals import parse_literal
from continua.sql.tokens import Cursor, Name, keyword

_FRAMES = ("RANGE", "ROWS", "FIXED", "NOW", "BATCH", "B", "UNBOUNDED", "PARTITION BY", "FROM")


_AS_OF = ("FOR", "SYSTEM_TIME", "AS", "OF")


def at_clause(cursor: Cursor) -> bool:
    """Whether a clause of a stream starts here: `WINDOW(`, or a bracket with a window in it; AS OF
    or MATCH_CONDITION."""
    if cursor.at("WINDOW", "(") or cursor.at(*_AS_OF) or cursor.at("MATCH_CONDITION", "("):
        return True
    return cursor.at("[") and any(cursor.at(frame, ahead=1) for frame in _FRAMES)


def parse_clause(cursor: Cursor) -> Clause:
    start = cursor.position
    if cursor.accept(*_AS_OF):
        time = _attribute(cursor)
        token = cursor.token()
        if token is not None and keyword(token) in ("(", "+", "-", "."):
            hint = "as in s JOIN r FOR SYSTEM_TIME AS OF s.t, where t is the time attribute of s"
            raise cursor.error("AS OF takes the time of the stream before it", hint=hint)
        return AsOf(time, span=cursor.since(start))
    if cursor.accept("MATCH_CONDITION", "("):
        left = _attribute(cursor)
        comparison = cursor.choose((">=", ">", "<=", "<", "="), "a comparison")
        right = _attribute(cursor)
        cursor.expect(")")
        return MatchCondition(left, comparison, right, span=cursor.since(start))
    return _window(cursor)


def _attribute(cursor: Cursor) -> Attribute:
    name = cursor.name("a time attribute")
    return Attribute(name, cursor.name()) if cursor.accept(".") else Attribute(None, name)


def _window(cursor: Cursor) -> Clause:
    """A window clause, `WINDOW(…)` or `[…]`, from its first token to its closing bracket."""
    start = cursor.position
    closing = "]" if cursor.accept("[") else ")"
    if closing == ")":
        cursor.expect("WINDOW", "(")
    make = _frame(cursor)
    cursor.expect(closing)
    return make(cursor, start)


def _frame(cursor: Cursor) -> Callable[[Cursor, int], Clause]:
    """The inside of a window clause; the clause is made once its whole place is known."""
    partition: tuple[Name, ...] = ()
    if cursor.accept("PARTITION BY"):
        partition = cursor.names("a column to partition by")
    if cursor.accept("RANGE"):
        size = None if cursor.accept("UNBOUNDED") else parse_duration(cursor)
        slide = parse_duration(cursor) if cursor.accept("SLIDE") else None
        return lambda c, at: Range(size, slide, partition, span=c.since(at))
    if cursor.accept("ROWS"):
        if cursor.accept("UNBOUNDED"):
            return lambda c, at: Range(None, None, partition, span=c.since(at))
        rows = _count(cursor)
        step = _step(cursor) if cursor.accept("SLIDE") else None
        return lambda c, at: Rows(rows, step, partition, span=c.since(at))
    if partition:
        raise cursor.error("expected ROWS or RANGE after PARTITION BY")
    if cursor.accept("FIXED"):
        fixed = parse_duration(cursor)
        return lambda c, at: Fixed(fixed, span=c.since(at))
    if cursor.accept("FROM"):
        return _sequence(cursor)
    if cursor.accept("NOW"):
        return lambda c, at: Now(span=c.since(at))
    if cursor.accept("UNBOUNDED"):
        return lambda c, at: Range(None, span=c.since(at))
    if cursor.accept("BATCH") or cursor.accept("B"):
        return lambda c, at: Batch(span=c.since(at))
    token = cursor.token()
    hint = did_you_mean(token.text, _FRAMES) if token else None
    raise cursor.error("expected a window", hint=hint or f"one of {', '.join(_FRAMES)}")


def _count(cursor: Cursor) -> int:
    span = cursor.span()
    count = cursor.whole("a number of rows")
    if count == 0:
        raise ContinuaError("WRONG_WINDOW", "a number of rows must be greater than 0", span)
    return count


def _step(cursor: Cursor) -> int | Duration:
    """What a window over rows moves by: a number of rows, or a duration; in integer time a number
    and TIME."""
    start = cursor.position
    step = parse_duration(cursor)
    if step.unit is not None or cursor.accept("TIME"):
        return step
    _ = cursor.accept("ROWS") or cursor.accept("ROW")
    if step.amount <= 0 or step.amount % 1:
        message = "a number of rows must be a whole number greater than 0"
        raise ContinuaError("WRONG_WINDOW", message, cursor.since(start))
    return int(step.amount)


def _sequence(cursor: Cursor) -> Callable[[Cursor, int], Clause]:
    lower = _bound(cursor)
    cursor.expect("TO")
    upper = _bound(cursor)
    cursor.expect("EVERY")
    span = cursor.span()
    every = _bound(cursor)
    if every.slope or every.offset <= 0:
        raise ContinuaError("WRONG_WINDOW", "EVERY takes an amount greater than 0", span)
    if lower.unit is None:
        lower = Bound(lower.slope, lower.offset, upper.unit)
    return lambda c, at: Sequence(lower, upper, every, span=c.since(at))


def _bound(cursor: Cursor) -> Bound:
    """A sum of whole numbers and multiples of j, and a unit."""
    slope = offset = 0
    sign = -1 if cursor.accept("-") else 1
    while True:
        if cursor.accept("J"):
            slope += sign * (cursor.whole() if cursor.accept("*") else 1)
        else:
            amount = cursor.whole("a number or j")
            if cursor.accept("*"):
                cursor.expect("J")
                slope += sign * amount
            else:
                offset += sign * amount
        if cursor.accept("+"):
            sign = 1
        elif cursor.accept("-"):
            sign = -1
        else:
            break
    if cursor.accept("ROWS") or cursor.accept("ROW"):
        return Bound(slope, offset, "ROWS")
    if cursor.accept("TIME"):
        return Bound(slope, offset, "TIME")
    return Bound(slope, offset, _unit(cursor))


def _unit(cursor: Cursor) -> str | None:
    token = cursor.token()
    if token is None:
        return None
    word = keyword(token).removesuffix("S")
    if word in MICROS:
        cursor.next()
        return word
    if word in ("MONTH", "QUARTER", "YEAR"):
        raise ContinuaError(
            "WRONG_WINDOW",
            f"a {word.lower()} has no fixed length",
            cursor.span(),
            hint="use days",
        )
    # What follows may well be no unit: an alias, or a word of the language.
    hint = did_you_mean(word, [f"{unit}S" for unit in MICROS])
    if hint is not None and token.token_type == TokenType.VAR:
        raise ContinuaError("SYNTAX", f"there is no unit {token.text}", cursor.span(), hint=hint)
    return None


def parse_duration(cursor: Cursor) -> Duration:
    """`10 SECONDS`, `INTERVAL '10' SECOND`, `INTERVAL '10 seconds'`, or a bare number; a sign may
    stand before it, or before its number."""
    start = cursor.position
    negative = cursor.accept("-")
    if cursor.accept("INTERVAL"):
        negative ^= cursor.accept("-")
    unit: str | None = None
    if cursor.at_literal(TokenType.STRING):
        text, _, rest = cursor.string().strip().partition(" ")
        unit = rest.strip().upper().removesuffix("S") or None
        if unit is not None and unit not in MICROS:
            raise ContinuaError("WRONG_WINDOW", f"unknown unit {rest!r}", cursor.since(start))
    elif cursor.at_literal(TokenType.NUMBER):
        text = cursor.next().text
    else:
        raise cursor.error("expected a duration", hint="as in 10 SECONDS, or 10 for integer time")
    unit = unit or _unit(cursor)
    try:
        amount = Decimal(text)
    except InvalidOperation:
        amount = Decimal("NaN")
    if not amount.is_finite() or amount.adjusted() > 18:
        raise ContinuaError("SYNTAX", f"{text!r} is no length of time", cursor.since(start))
    return Duration(amount.copy_negate() if negative else amount, unit, cursor.since(start))


def parse_moment(cursor: Cursor) -> Moment:
    """A time that is written down: a number, a text, TIMESTAMP and a text."""
    start = cursor.position
    value = None if cursor.at("(") else parse_literal(cursor)
    if isinstance(value, bool) or value is None:
        message, hint = "expected a time", "a number, or a text as '2026-01-01 12:00'"
        raise ContinuaError("SYNTAX", message, cursor.since(start), hint=hint)
    return Moment(value, cursor.since(start))


def at_during(cursor: Cursor) -> bool:
    """Whether a range of time starts here."""
    return cursor.at("DURING", "[")


def parse_during(cursor: Cursor) -> During:
    """`DURING [t1, t2)`."""
    start = cursor.position
    cursor.expect("DURING", "[")
    since = parse_moment(cursor)
    cursor.expect(",")
    until = parse_moment(cursor)
    if not cursor.accept(")"):
        hint = "as in DURING [1, 8): from 1 on, until just before 8"
        raise cursor.error("a range of time ends with )", hint=hint)
    return During(since, until, span=cursor.since(start))


TABLE_FUNCTIONS = ("TUMBLE", "HOP", "SESSION")


def parse_table_function(name: str, cursor: Cursor, start: int) -> Clause:
    """The arguments of TUMBLE, HOP or SESSION after the stream, up to the closing bracket."""
    cursor.expect(",")
    first = parse_duration(cursor)
    if name == "TUMBLE":
        offset = _offset(cursor)
        return Hop(None, first, offset, span=cursor.since(start))
    if name == "HOP":
        cursor.expect(",")
        size = parse_duration(cursor)
        offset = _offset(cursor)
        return Hop(first, size, offset, span=cursor.since(start))
    key = cursor.names("a key column") if cursor.accept(",") else ()
    cursor.expect(")")
    return Session(first, key, span=cursor.since(start))


def _offset(cursor: Cursor) -> Duration | None:
    """The last argument of TUMBLE and HOP, if it is there, and the closing bracket."""
    offset = parse_duration(cursor) if cursor.accept(",") else None
    cursor.expect(")")
    return offset
