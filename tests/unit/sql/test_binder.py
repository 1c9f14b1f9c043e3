"""Names: what they mean in joins, groups, orders and subqueries."""

import pytest

import continua


@pytest.fixture
def session() -> continua.Session:
    session = continua.Session(engine="reference")
    session.sql("""
        CREATE STREAM a (k INT, x INT, t INT) SOURCE rows((1, 10, 1), (2, 20, 1)) ORDERED BY t;
        CREATE STREAM b (k INT, y INT, t INT) SOURCE rows((2, 200, 1), (3, 300, 1)) ORDERED BY t;
        CREATE STREAM c (t INT, z INT, at INT) SOURCE rows((7, 70, 1)) ORDERED BY at
    """)
    return session


def rows(session: continua.Session, query: str) -> list[tuple[object, ...]]:
    return list(session.sql(query).snapshot(at=1))


@pytest.mark.parametrize(
    ("join", "expected"),
    [
        ("a JOIN b USING (k)", [(2, 20, 200)]),
        ("a NATURAL JOIN b", [(2, 20, 200)]),
        ("a LEFT JOIN b USING (k)", [(1, 10, None), (2, 20, 200)]),
        ("a RIGHT JOIN b USING (k)", [(2, 20, 200), (3, None, 300)]),
        ("a FULL JOIN b USING (k)", [(1, 10, None), (2, 20, 200), (3, None, 300)]),
        ("a LEFT SEMI JOIN b USING (k)", [(2, 20)]),
        ("a LEFT ANTI JOIN b ON a.k = b.k", [(1, 10)]),
    ],
)
def test_using_makes_one_column_of_two(
    session: continua.Session, join: str, expected: list[tuple[object, ...]]
) -> None:
    assert rows(session, f"SELECT * FROM {join}") == expected


def test_merged_columns_keep_their_qualified_names(session: continua.Session) -> None:
    query = "SELECT k, a.k AS left_k, b.k AS right_k FROM a LEFT JOIN b USING (k)"
    assert rows(session, query) == [(1, 1, None), (2, 2, 2)]


def test_a_column_hides_a_time_attribute_of_its_name(session: continua.Session) -> None:
    assert rows(session, "SELECT t, a.t, z FROM a JOIN c ON a.t = c.at AND a.k = 1") == [(7, 1, 70)]


def test_group_by_takes_expressions_numbers_and_aliases(session: continua.Session) -> None:
    for by in ("k % 2", "1", "odd"):
        query = f"SELECT k % 2 AS odd, SUM(x) + 1 FROM a GROUP BY {by}"
        assert rows(session, query) == [(0, 21), (1, 11)]
    assert rows(session, "SELECT (k % 2) * 10, MAX(k) FROM a GROUP BY k % 2") == [(0, 2), (10, 1)]


def test_group_by_and_qualified_names_of_the_same_column(session: continua.Session) -> None:
    assert rows(session, "SELECT k, COUNT(*) FROM a z GROUP BY z.k HAVING z.k > 1") == [(2, 1)]


def test_order_by_a_column_that_is_not_put_out(session: continua.Session) -> None:
    assert rows(session, "SELECT k FROM a ORDER BY x DESC LIMIT 1") == [(2,)]
    assert rows(session, "SELECT k + x AS s FROM a ORDER BY -x LIMIT 1") == [(22,)]
    assert rows(session, "SELECT k, SUM(x) FROM a GROUP BY k ORDER BY SUM(x) DESC LIMIT 1") == [
        (2, 20)
    ]


def test_order_by_a_qualified_name_means_the_column_of_from(session: continua.Session) -> None:
    assert rows(session, "SELECT x AS k FROM a q ORDER BY q.k LIMIT 1") == [(10,)]
    assert rows(session, "SELECT a.k, b.k FROM a, b ORDER BY b.k DESC, a.k LIMIT 1") == [(1, 3)]
    assert rows(session, "SELECT k AS n, x FROM a ORDER BY a.k DESC") == [(2, 20), (1, 10)]


def test_subqueries_among_outputs_are_joined_once(session: continua.Session) -> None:
    query = "SELECT k, (SELECT MAX(y) FROM b) AS m FROM a ORDER BY x DESC LIMIT 1"
    assert rows(session, query) == [(2, 300)]
    assert session.sql(query).explain().count("scalar join") == 1


def test_order_by_a_subquery(session: continua.Session) -> None:
    matched = "(SELECT MAX(y) FROM b WHERE b.k = a.k)"
    assert rows(session, f"SELECT k FROM a ORDER BY {matched} DESC LIMIT 1") == [(2,)]


def test_a_qualified_star_keeps_merged_columns(session: continua.Session) -> None:
    assert rows(session, "SELECT a.* FROM a JOIN b USING (k)") == [(2, 20)]


def test_names_given_to_columns_pass_over_hidden_ones(session: continua.Session) -> None:
    assert rows(session, "SELECT p, q FROM a AS z(p, q), b WHERE b.t = 1 AND y = 300") == [
        (1, 10),
        (2, 20),
    ]


def test_having_may_use_an_alias(session: continua.Session) -> None:
    assert rows(session, "SELECT k, SUM(x) AS total FROM a GROUP BY k HAVING total > 15") == [
        (2, 20)
    ]


def test_long_chains_of_conditions(session: continua.Session) -> None:
    chain = " OR ".join(f"k = {n}" for n in range(2, 2000))
    assert rows(session, f"SELECT k FROM a WHERE {chain}") == [(2,)]
    listed = ", ".join(map(str, range(2, 2000)))
    assert rows(session, f"SELECT k FROM a WHERE k IN ({listed})") == [(2,)]


def test_the_value_over_nothing_is_computed_only_if_needed(session: continua.Session) -> None:
    inverse = "SELECT k, (SELECT 1 / COUNT(*) FROM b WHERE b.k = a.k) FROM a"
    assert rows(session, f"{inverse} WHERE k = 2") == [(2, 1.0)]
    with pytest.raises(continua.ContinuaError, match="division by zero"):
        rows(session, inverse)


def test_a_table_has_no_say_in_the_granule() -> None:
    session = continua.Session(engine="reference")
    session.sql("""
        CREATE STREAM s (v INT, ts TIMESTAMP) SOURCE rows((1, '2026-01-01 00:00:00'))
        ORDERED BY ts GRANULE 1 SECOND;
        CREATE TABLE p (w INT, since TIMESTAMP) SOURCE rows((5, '2025-01-01')) VALID FROM since
    """)
    query = "SELECT * FROM (SELECT v, w FROM s WINDOW(RANGE 5 SECONDS), p) WINDOW(ROWS 1)"
    assert [row[:2] for row in session.sql(query).history()] == [(1, 5)]


def test_with_queries_are_visible_in_later_ones_and_in_subqueries(
    session: continua.Session,
) -> None:
    query = """
        WITH p(n) AS (SELECT k FROM a), q AS (SELECT n + 1 AS n FROM p)
        SELECT n FROM q WHERE n IN (SELECT n FROM p)
    """
    assert rows(session, query) == [(2,)]


def test_a_with_query_hides_a_stream_of_its_name(session: continua.Session) -> None:
    assert rows(session, "WITH b AS (SELECT 5 AS y) SELECT y FROM b") == [(5,)]


def test_values_as_a_relation(session: continua.Session) -> None:
    query = "SELECT name, x FROM a JOIN (VALUES (1, 'one'), (2, 'two')) AS n(k, name) USING (k)"
    assert rows(session, query) == [("one", 10), ("two", 20)]


def test_brackets_around_joins(session: continua.Session) -> None:
    assert rows(session, "SELECT x, y, z FROM c CROSS JOIN (a JOIN b ON a.k = b.k)") == [
        (20, 200, 70)
    ]


def test_set_operations_bring_types_together(session: continua.Session) -> None:
    query = session.sql("SELECT k FROM a UNION ALL SELECT 1.5")
    assert str(query.schema.columns[0].type) == "DECIMAL(11,1)"


def test_equal_aggregates_are_computed_once(session: continua.Session) -> None:
    plan = session.sql("SELECT SUM(x), SUM(x) + 1 FROM a HAVING SUM(x) > 0").explain()
    assert plan.count("aggregate SUM(x)\n") == 1


def test_a_condition_on_a_comma_join_makes_a_join(session: continua.Session) -> None:
    plan = session.sql("SELECT x FROM a, b, c WHERE a.k = b.k AND z > y").explain()
    assert "product" not in plan
    assert plan.count("join") == 2


@pytest.mark.parametrize(
    ("outer", "expected"),
    [
        ("k = (SELECT COUNT(*) FROM b WHERE b.k = a.k)", []),
        ("0 = (SELECT COUNT(*) FROM b WHERE b.k = a.k)", [(1,)]),
        ("1 IN (SELECT COUNT(*) FROM b WHERE b.k = a.k)", [(2,)]),
        ("0 >= ALL (SELECT COUNT(*) FROM b WHERE b.k = a.k)", [(1,)]),
        ("EXISTS (SELECT COUNT(*) FROM b WHERE b.k = a.k)", [(1,), (2,)]),
        ("EXISTS (SELECT COUNT(*) FROM b WHERE b.k = a.k HAVING COUNT(*) > 0)", [(2,)]),
        ("EXISTS (SELECT COUNT(*) FROM b WHERE y > 999)", [(1,), (2,)]),
        ("EXISTS (SELECT 1 FROM b WHERE b.k > a.k AND b.y > a.x * 20)", [(1,)]),
        ("NOT EXISTS (SELECT 1 FROM b WHERE b.k = a.k) OR x = 20", [(1,), (2,)]),
        ("(SELECT MAX(y) FROM b WHERE b.k = a.k) IS NULL", [(1,)]),
    ],
)
def test_correlated_subqueries(
    session: continua.Session, outer: str, expected: list[tuple[object, ...]]
) -> None:
    assert rows(session, f"SELECT k FROM a WHERE {outer}") == expected
