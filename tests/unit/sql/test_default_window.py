"""Which references the default window makes unbounded: each plan is compared with a written one."""

from __future__ import annotations

import pytest
from grid import CONSTRUCTS, STREAMERS, STREAMS, VERSIONED, Cell, possible, query_of

from continua import ContinuaError, Session
from continua.logical.node import Node
from continua.physical.operator import Form

DECLARED = """
CREATE STREAM s (k INT, v INT, t INT) ORDERED BY t;
CREATE STREAM r (k INT, t INT) ORDERED BY t;
CREATE STREAM u (k INT, t INT) ORDERED BY t DEFAULT WINDOW UNBOUNDED;
CREATE STREAM w (k INT, t INT, e INT) ORDERED BY t UNTIL e;
CREATE TABLE d (k INT)
"""
UNBOUNDED = "SET default_window = 'unbounded'"


def plan(query: str, *statements: str) -> Node:
    session = Session(engine="reference")
    for statement in (DECLARED, *statements):
        session.sql(statement)
    return session.query(query).plan


ALONE = ("filter", "map", "UNION ALL", "DURING")
"""Constructs that look at every tuple by itself."""


APART = {name for name in CONSTRUCTS if "NOW() of" in name or name == "join with DURING"}
"""Those that mean something else over what is unbounded, or nothing; there are others like them."""


@pytest.mark.parametrize(
    "construct", [name for name in CONSTRUCTS if name not in APART | VERSIONED]
)
def test_every_construct(construct: str) -> None:
    session = Session(engine="reference")
    for stream in STREAMS:
        session.sql(stream.declare([]))
    before, written = (
        session.query(query_of(Cell(construct, window, Form.PIECES, "slabs"))).plan
        for window in ("none", "UNBOUNDED")
    )
    session.sql(UNBOUNDED)
    found = session.query(query_of(Cell(construct, "none", Form.PIECES, "slabs"))).plan
    over = ("it", "DSTREAM", "DURING", "UNION ALL")
    kept = construct in (*ALONE, *STREAMERS, *(f"row window over {below}" for below in over))
    assert found.digest == (before if kept else written).digest
    assert before.digest != written.digest


WRITTEN = [
    "NOW", "RANGE", "UNBOUNDED", "SLIDE", "FIXED", "ROWS", "PARTITION", "BATCH", "FROM TO", "TUMBLE",
    "SESSION", "own validity", "table",
]  # fmt: skip


@pytest.mark.parametrize("construct", CONSTRUCTS)
def test_what_has_a_window_keeps_it(construct: str) -> None:
    session = Session(engine="reference")
    for stream in STREAMS:
        session.sql(stream.declare([]))
    cells = [Cell(construct, window, Form.PIECES, "slabs") for window in WRITTEN]
    queries = [query_of(cell) for cell in cells if possible(cell)]
    before = [session.query(query).plan.digest for query in queries]
    session.sql(UNBOUNDED)
    assert [session.query(query).plan.digest for query in queries] == before


@pytest.mark.parametrize(
    ("query", "meant"),
    [
        # A reference under two operators has one window.
        (
            "SELECT MAX(n) FROM (SELECT COUNT(*) AS n FROM s GROUP BY k)",
            "SELECT MAX(n) FROM (SELECT COUNT(*) AS n FROM s [UNBOUNDED] GROUP BY k)",
        ),
        # Windows on part of a query are no windows on the rest.
        (
            "SELECT * FROM s [RANGE 5] JOIN r USING (k)",
            "SELECT * FROM s [RANGE 5] JOIN r [UNBOUNDED] USING (k)",
        ),
        (
            "SELECT DISTINCT k FROM (SELECT k FROM s UNION ALL SELECT k FROM r [NOW])",
            "SELECT DISTINCT k FROM (SELECT k FROM s [UNBOUNDED] UNION ALL SELECT k FROM r)",
        ),
        # What stands beside an operator is not below it.
        (
            "SELECT k FROM s UNION ALL SELECT DISTINCT k FROM r",
            "SELECT k FROM s UNION ALL SELECT DISTINCT k FROM r [UNBOUNDED]",
        ),
        (
            "WITH x AS (SELECT k FROM s) SELECT k FROM x UNION ALL SELECT COUNT(*) FROM x",
            "SELECT k FROM s UNION ALL SELECT COUNT(*) FROM (SELECT k FROM s [UNBOUNDED])",
        ),
        # A window that is written ends the search, and so does a streamer.
        (
            "SELECT COUNT(*) FROM (SELECT k FROM s WHERE v > 1) [RANGE 5]",
            "SELECT COUNT(*) FROM (SELECT k FROM s [NOW] WHERE v > 1) [RANGE 5]",
        ),
        ("SELECT COUNT(*) FROM (SELECT k FROM s) [NOW]", "SELECT COUNT(*) FROM (SELECT k FROM s [NOW])"),
        (
            "SELECT COUNT(*) FROM (ISTREAM (SELECT k FROM s)) x",
            "SELECT COUNT(*) FROM (ISTREAM (SELECT k FROM s [NOW])) x [UNBOUNDED]",
        ),
        (
            "SELECT COUNT(*) FROM (RSTREAM (SELECT k FROM s) EVERY 2) x",
            "SELECT COUNT(*) FROM (RSTREAM (SELECT k FROM s [NOW]) EVERY 2) x [UNBOUNDED]",
        ),
        (
            "SELECT COUNT(*) FROM (ISTREAM (SELECT k FROM s)) x [NOW]",
            "SELECT COUNT(*) FROM (ISTREAM (SELECT k FROM s [NOW])) x [NOW]",
        ),
        # An operator of instants gives a stream of which no reference is left.
        (
            "SELECT MAX(n) FROM (SELECT COUNT(*) AS n FROM s [NOW])",
            "SELECT MAX(n) FROM (SELECT COUNT(*) AS n FROM s [NOW]) [NOW]",
        ),
        # What varies in time without a window has no default.
        ("SELECT COUNT(*) FROM w JOIN d USING (k)", "SELECT COUNT(*) FROM w JOIN d USING (k)"),
        # A subquery in an expression relates the tuples of both sides.
        (
            "SELECT k FROM s WHERE v > 0 AND EXISTS (SELECT k FROM r WHERE r.k = s.k)",
            "SELECT k FROM s [UNBOUNDED] WHERE v > 0 "
            "AND EXISTS (SELECT k FROM r [UNBOUNDED] WHERE r.k = s.k)",
        ),
        ("SELECT k, v FROM s ORDER BY v LIMIT 3", "SELECT k, v FROM s [UNBOUNDED] ORDER BY v LIMIT 3"),
        ("SELECT k FROM s ORDER BY v LIMIT 3", "SELECT k FROM s [UNBOUNDED] ORDER BY v LIMIT 3"),
        ("SELECT k FROM s ORDER BY k", "SELECT k FROM s [NOW]"),
        ("ISTREAM (SELECT k FROM s)", "ISTREAM (SELECT k FROM s [NOW])"),
        # A part of the history of a stream is a stream: the window stands on what is in it.
        (
            "SELECT COUNT(*) FROM (SELECT k FROM s WHERE v > 1 DURING [2, 9))",
            "SELECT COUNT(*) FROM (SELECT k FROM (SELECT * FROM s DURING [2, 9)) [UNBOUNDED] WHERE v > 1)",
        ),
        (
            "SELECT DISTINCT k FROM (SELECT k FROM s UNION ALL SELECT k FROM r [RANGE 2] DURING [2, 9))",
            "SELECT DISTINCT k FROM (SELECT k FROM (SELECT * FROM s DURING [2, 9)) [UNBOUNDED] "
            "UNION ALL (SELECT k FROM (SELECT * FROM r [RANGE 2] DURING [2, 9))))",
        ),
        ("SELECT k FROM s DURING [2, 9)", "SELECT k FROM s [NOW] DURING [2, 9)"),
        # So does a comparison with NOW(), and not NOW() as a value.
        ("SELECT k FROM s WHERE v > NOW() - 5", "SELECT k FROM s [UNBOUNDED] WHERE v > NOW() - 5"),
        (
            "SELECT k FROM s WHERE v > 1 AND NOW() BETWEEN v AND v + 5",
            "SELECT k FROM s [UNBOUNDED] WHERE v > 1 AND NOW() BETWEEN v AND v + 5",
        ),
        (
            "SELECT k FROM s WHERE v % 5 = NOW() % 5 UNION ALL SELECT k FROM r WHERE k > NOW()",
            "SELECT k FROM s [NOW] WHERE v % 5 = NOW() % 5 "
            "UNION ALL SELECT k FROM r [UNBOUNDED] WHERE k > NOW()",
        ),
        ("SELECT NOW() AS n FROM s", "SELECT NOW() AS n FROM s [NOW]"),
        (
            "SELECT k, NOW() AS n FROM s [NOW] WHERE v > NOW() - 5",
            "SELECT k, NOW() AS n FROM (SELECT * FROM s [NOW]) WHERE v > NOW() - 5",
        ),
    ],
)  # fmt: skip
def test_references(query: str, meant: str) -> None:
    assert plan(query, UNBOUNDED).digest == plan(meant).digest


@pytest.mark.parametrize(
    "query",
    [
        "SELECT k FROM s WHERE v > NOW() - 5 AND v % 5 = now() % 5",
        "SELECT k FROM s WHERE v % 5 = now() % 5 AND v > NOW() - 5",
        "SELECT k, now() FROM s WHERE v > NOW() - 5",
        "SELECT COUNT(*) FROM s WHERE v % 5 = now() % 5",
        "SELECT DISTINCT n FROM (SELECT now() AS n FROM s)",
    ],
)
def test_what_has_become_a_relation_has_no_now(query: str) -> None:
    with pytest.raises(ContinuaError) as caught:
        plan(query, UNBOUNDED)
    assert caught.value.code == "UNSUPPORTED"
    assert "NOW() varies while a row is valid" in caught.value.message
    assert caught.value.span is not None
    assert caught.value.span.text == "now"


@pytest.mark.parametrize(
    ("query", "meant"),
    [
        ("SELECT k FROM u WHERE k > 1", "SELECT k FROM u [NOW] WHERE k > 1"),
        ("SELECT COUNT(*) FROM u", "SELECT COUNT(*) FROM u [UNBOUNDED]"),
        (
            "SELECT DISTINCT k FROM (SELECT k FROM u UNION ALL SELECT k FROM s DURING [2, 9))",
            "SELECT DISTINCT k FROM (SELECT k FROM (SELECT * FROM u DURING [2, 9)) [UNBOUNDED] "
            "UNION ALL SELECT k FROM (SELECT * FROM s DURING [2, 9)))",
        ),
        ("SELECT DISTINCT k FROM u [NOW]", "SELECT DISTINCT k FROM (SELECT k FROM u) [NOW]"),
        ("SELECT * FROM s JOIN u USING (k)", "SELECT * FROM s [NOW] JOIN u [UNBOUNDED] USING (k)"),
    ],
)
def test_a_stream_may_declare_it_for_itself(query: str, meant: str) -> None:
    assert plan(query).digest == plan(meant).digest


def test_the_declaration_counts_by_the_windows_it_makes() -> None:
    """So that a query that it does not concern may go on where it was before the declaration."""
    with_it, without = (
        f"CREATE STREAM z (k INT, t INT) ORDERED BY t{x}" for x in (" DEFAULT WINDOW UNBOUNDED", "")
    )
    for query, same in (("SELECT k FROM z", True), ("SELECT DISTINCT k FROM z", False)):
        assert (plan(query, with_it).digest == plan(query, without).digest) is same


DERIVED = "CREATE STREAM f AS SELECT k FROM s WHERE v > 1"


def test_a_derived_stream_is_a_name_for_its_query() -> None:
    inside = "SELECT COUNT(*) FROM (SELECT k FROM s [UNBOUNDED] WHERE v > 1)"
    assert plan("SELECT COUNT(*) FROM f", DERIVED, UNBOUNDED).digest == plan(inside).digest
    assert plan("SELECT COUNT(*) FROM f [NOW]", DERIVED, UNBOUNDED).digest == (
        plan("SELECT COUNT(*) FROM (SELECT k FROM s WHERE v > 1)").digest
    )
    now = "CREATE STREAM f AS SELECT k FROM s [NOW]"
    assert plan("SELECT COUNT(*) FROM f", now, UNBOUNDED).digest == (
        plan("SELECT COUNT(*) FROM (SELECT k FROM s)").digest
    )


def test_what_only_names_or_batches_tuples_is_seen_through() -> None:
    granule = "CREATE STREAM g GRANULE 2 AS SELECT k FROM s"
    inside = "CREATE STREAM g GRANULE 2 AS SELECT k FROM s [UNBOUNDED]"
    count = "SELECT COUNT(*) FROM g"
    assert plan(count, granule, UNBOUNDED).digest == plan(count, inside).digest
    spread = "SPREAD r, s INTO g, h"
    written = plan("SELECT COUNT(*) FROM g [UNBOUNDED]", spread)
    assert plan(count, spread, UNBOUNDED).digest == written.digest


def test_a_derived_stream_keeps_the_windows_it_was_declared_with() -> None:
    counts = "CREATE STREAM c AS SELECT COUNT(*) AS n FROM s"
    early = plan("SELECT MAX(n) FROM c", counts, UNBOUNDED)
    assert early.digest == plan("SELECT MAX(n) FROM (SELECT COUNT(*) AS n FROM s)").digest
    late = plan("SELECT n FROM c", UNBOUNDED, counts, "SET default_window = 'now'")
    assert late.digest == plan("SELECT COUNT(*) AS n FROM s [UNBOUNDED]").digest


def test_a_window_over_what_has_become_a_relation_samples_it() -> None:
    query = "SELECT k FROM (SELECT DISTINCT k FROM z) [ROWS 2]"
    timestamps = "CREATE STREAM z (k INT, t TIMESTAMP) ORDERED BY t"
    assert plan(query, timestamps).digest
    with pytest.raises(ContinuaError) as caught:
        plan(query, timestamps, UNBOUNDED)
    assert caught.value.code == "NO_GRANULE"


def test_now_that_is_written_is_in_no_plan() -> None:
    for query in (
        "SELECT k FROM {}",
        "SELECT k FROM (SELECT * FROM {} WHERE k > 1) JOIN d USING (k)",
    ):
        written, unwritten = (plan(query.format(s)) for s in ("s [NOW]", "s"))
        assert written == unwritten
        assert written.digest == unwritten.digest


def test_explain_tells_windows_that_nobody_wrote() -> None:
    session = Session(engine="reference")
    session.sql(DECLARED)
    session.sql(UNBOUNDED)
    shown = session.query("SELECT COUNT(*) FROM s, r [UNBOUNDED]").explain()
    assert shown.count("window range unbounded by default\n") == 1
    assert shown.count("window range unbounded\n") == 1
