"""What stands in quotes is never taken for anything else, and statements print as they were."""

from __future__ import annotations

import pytest

from continua import ContinuaError, Session
from continua.sql.parser import parse
from continua.sql.printer import print_statement


@pytest.fixture
def session() -> Session:
    session = Session(engine="reference")
    session.sql("CREATE TABLE s (k STRING, v INT) SOURCE rows(('a', 1), ('b', 3))")
    return session


def values(session: Session, query: str) -> list[object]:
    return [row[0] for row in session.sql(query).snapshot(at=0)]


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM s WHERE k = 'a'",
        "SELECT 'a'",
        'SELECT v FROM s WHERE k <> "b" ',
        "SELECT v AS `'a'` FROM s WHERE k IN ('b', 'a')",
    ],
)
def test_a_query_that_ends_in_a_string_can_be_explained(session: Session, query: str) -> None:
    plain = session.sql(query).explain()
    for stage in ("", "LOGICAL "):
        explained = session.sql(f"EXPLAIN {stage}{query}")
        assert "\n".join(line for (line,) in explained) == plain
    assert len(list(session.execute(f"EXPLAIN {query}; SHOW TABLES; EXPLAIN {query};"))) == 3


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("','", ","),
        ("'('", "("),
        ("')'", ")"),
        ("'['", "["),
        ("'ISTREAM'", "ISTREAM"),
        ("'WINDOW('", "WINDOW("),
        ("'-- no comment'", "-- no comment"),
        ("'/* none */'", "/* none */"),
        ("';'", ";"),
        ("'it''s'", "it's"),
        ("'it\\'s'", "it's"),
        ('"a""b"', 'a"b'),
        ('"it\'s"', "it's"),
        ("'a' 'b'", "ab"),
        ("'a'\"b\"", "ab"),
        ("'_piece_0_'", "_piece_0_"),
        ("'_function_f'", "_function_f"),
        ("'#stream0'", "#stream0"),
    ],
)
def test_a_string_means_what_it_says(session: Session, text: str, value: str) -> None:
    assert values(session, f"SELECT {text}") == [value]
    assert values(session, f"SELECT concat('<', {text}, '>')") == [f"<{value}>"]
    assert values(session, f"SELECT 1, {text} FROM (SELECT {text} AS x) q WHERE x = {text}") == [1]
    (statement,) = parse(f"SELECT {text} FROM s WINDOW(NOW) WHERE f(k, {text})")
    assert parse(print_statement(statement)) == [statement]


@pytest.mark.parametrize("name", ["_piece_0_", "_function_f", "#stream0", "a,b", "it's", "a)"])
def test_a_name_is_what_it_says(name: str) -> None:
    text = f"SELECT `{name}` FROM SESSION(`{name}`, 3, `{name}`) AS `{name}` WHERE `{name}`.v > 1"
    (statement,) = parse(text)
    printed = print_statement(statement)
    assert printed.replace("`", "").count(name) == 5
    assert parse(printed) == [statement]


@pytest.mark.parametrize(
    "condition",
    [
        "v >= ANY (SELECT v FROM s) AND v < 2",
        "NOT v >= ALL (SELECT v FROM s)",
        "(v >= ALL (SELECT v FROM s)) IS FALSE",
        "CASE WHEN v = SOME (SELECT 1) THEN TRUE ELSE FALSE END",
        "v = ANY (VALUES (1))",
        "v = ANY ((SELECT 1) UNION (SELECT 7))",
    ],
)
def test_quantified_comparisons_inside_larger_expressions(session: Session, condition: str) -> None:
    query = f"SELECT k FROM s WHERE {condition}"
    assert values(session, query) == ["a"]
    (statement,) = parse(query)
    printed = print_statement(statement)
    assert parse(printed) == [statement]
    assert values(session, printed) == ["a"]


@pytest.mark.parametrize(
    "condition",
    [
        "v >= ANY (SELECT v FROM s) + v",
        "v >= ALL (SELECT v FROM s) * 2",
        "v = ANY (1, 2)",
        "v = ANY (v)",
        "ALL (SELECT 1)",
        "k LIKE ANY ('a', 'b')",
        "v = ANY (SELECT 1) BETWEEN 1 AND 2",
    ],
)
def test_a_quantifier_needs_a_comparison_and_a_query(session: Session, condition: str) -> None:
    with pytest.raises(ContinuaError, match="between a comparison and a query") as caught:
        session.sql(f"SELECT k FROM s WHERE {condition}")
    assert caught.value.code == "SYNTAX"
    assert caught.value.span is not None
    assert caught.value.hint


@pytest.mark.parametrize("function", ["k RLIKE '^a'", "regexp_like(k, '^a')", "RLIKE(k, '^a')"])
def test_patterns(session: Session, function: str) -> None:
    assert values(session, f"SELECT k FROM s WHERE {function}") == ["a"]


def test_a_word_after_a_duration_need_not_be_a_unit() -> None:
    for text in (
        "SELECT * FROM RSTREAM (SELECT * FROM s) EVERY 10 `where`",
        "SELECT 1 FROM s [RANGE 3]",
    ):
        (statement,) = parse(text)
        assert parse(print_statement(statement)) == [statement]


def test_many_statements_that_sqlglot_calls_commands() -> None:
    assert len(parse("SHOW STREAMS; EXPLAIN SELECT 'a';\n" * 3000)) == 6000
