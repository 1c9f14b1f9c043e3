"""Joins of every kind on Spark, over any slabs, are what the logical algebra says they are."""

from collections.abc import Sequence
from itertools import count

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from slabs import on_spark

from continua import Session
from continua.logical.evaluate import context_of, evaluate
from continua.logical.node import Node
from continua.logical.scan import Scan
from continua.model.element import SourceRow
from continua.model.instant import INFINITY, MINUS_INFINITY
from continua.physical.failures import AT_A_TIME
from continua.physical.operator import Form
from continua.runtime.engine import Engine

pytestmark = pytest.mark.spark

Row = tuple[object, ...]
Data = dict[str, Sequence[Row]]

DECLARED = """
CREATE STREAM r (a INT, b INT, t BIGINT) SOURCE rows((1, 1, 1)) ORDERED BY t;
CREATE STREAM q (a INT, b INT, t BIGINT) SOURCE rows((1, 1, 1)) ORDERED BY t;
CREATE TABLE k (a INT, b INT) SOURCE rows((1, 1));
CREATE TABLE v (a INT, b INT, f BIGINT, u BIGINT) SOURCE rows((1, 1, 1, 2)) VALID FROM f TO u
"""

THETA = [
    "SELECT * FROM r AS x JOIN q AS y ON x.a = y.a",
    "SELECT * FROM r AS x JOIN q WINDOW(RANGE 4) AS y ON x.a = y.a AND x.b < y.b",
    "SELECT * FROM r WINDOW(RANGE 3) AS x JOIN q WINDOW(RANGE 2) AS y ON x.a = y.a",
    "SELECT * FROM r WINDOW(RANGE 3) AS x JOIN q WINDOW(FIXED 2) AS y ON x.a <=> y.b",
    "SELECT * FROM r WINDOW(RANGE 2) AS x, q WINDOW(RANGE 3) AS y",
    "SELECT * FROM r WINDOW(RANGE 2) AS x JOIN q WINDOW(RANGE 3) AS y ON x.a + y.a > x.b",
    "SELECT * FROM r WINDOW(RANGE 2) AS x JOIN q WINDOW(RANGE 3) AS y ON x.a BETWEEN y.a - 1 AND y.a",
    "SELECT * FROM r WINDOW(RANGE 2) AS x JOIN q WINDOW(RANGE 3) AS y ON x.a - y.b < 2 AND y.b <= x.a + 1",
    "SELECT x.a, y.b FROM r WINDOW(RANGE 6) AS x JOIN q WINDOW(RANGE 5) AS y ON x.t BETWEEN y.t - 2 AND y.t + 1",
    "SELECT * FROM r WINDOW(RANGE UNBOUNDED) AS x JOIN q WINDOW(RANGE UNBOUNDED) AS y ON x.a = y.a",
    "SELECT * FROM r WINDOW(RANGE 2) AS x JOIN k ON x.a = k.a",
    "SELECT * FROM k JOIN r AS x ON x.a < k.a",
    "SELECT * FROM r WINDOW(RANGE 1) AS x JOIN v ON x.a = v.a",
    "SELECT * FROM v JOIN r WINDOW(RANGE 2) AS x ON x.a <= v.a",
    "SELECT * FROM v JOIN r ON r.a = v.a",
    "SELECT * FROM v AS x JOIN v AS y ON x.a = y.a",
    "SELECT * FROM v AS x JOIN v AS y ON x.a < y.a",
    "SELECT * FROM (SELECT x.a, y.b FROM r AS x JOIN q WINDOW(RANGE 3) AS y ON x.a = y.a) WINDOW(ROWS 2)",
]
OUTER = [
    "SELECT * FROM r WINDOW(RANGE 3) AS x LEFT JOIN q WINDOW(RANGE 2) AS y ON x.a = y.a",
    "SELECT * FROM r AS x RIGHT JOIN q WINDOW(RANGE 2) AS y ON x.a = y.a AND x.b > 0",
    "SELECT * FROM r WINDOW(RANGE 2) AS x FULL JOIN q WINDOW(RANGE 2) AS y ON x.a < y.a",
    "SELECT * FROM r WINDOW(RANGE 2) AS x LEFT JOIN k ON x.a = k.a",
    "SELECT * FROM k LEFT JOIN r WINDOW(RANGE 2) AS x ON x.a = k.a",
    "SELECT * FROM k FULL JOIN r WINDOW(RANGE 2) AS x ON x.a = k.a",
    "SELECT * FROM v FULL JOIN r WINDOW(RANGE 2) AS x ON x.a = v.a",
    "SELECT * FROM (SELECT x.a, y.b FROM r AS x LEFT JOIN q WINDOW(RANGE 3) AS y ON x.a = y.a) WINDOW(ROWS 2)",
]
CHOOSING = [
    "SELECT * FROM r WHERE a IN (SELECT a FROM q WINDOW(RANGE 3))",
    "SELECT * FROM r WINDOW(RANGE 3) AS x WHERE EXISTS (SELECT 1 FROM q WINDOW(RANGE 2) AS y WHERE x.a = y.a)",
    "SELECT * FROM r WINDOW(RANGE 3) AS x WHERE NOT EXISTS (SELECT 1 FROM q WINDOW(RANGE 2) AS y WHERE x.a = y.a AND x.b <= y.b)",
    "SELECT a FROM r WINDOW(RANGE 3) WHERE a NOT IN (SELECT a FROM q WINDOW(RANGE 2))",
    "SELECT a FROM r WINDOW(RANGE 3) WHERE a >= ALL (SELECT a FROM q WINDOW(RANGE 2))",
    "SELECT a FROM r WINDOW(RANGE 3) WHERE a NOT IN (SELECT a FROM k)",
    "SELECT a FROM r WHERE a IN (SELECT a FROM k)",
    "SELECT a FROM k WHERE a IN (SELECT a FROM q WINDOW(RANGE 2))",
    "SELECT a FROM k WHERE a NOT IN (SELECT a FROM v)",
    "SELECT a FROM r WINDOW(RANGE 3) WHERE a <> ALL (SELECT max(a) FROM k)",
    "SELECT a FROM r WINDOW(RANGE 3) AS x WHERE EXISTS (SELECT 1 FROM q WINDOW(RANGE 2) AS y WHERE y.t - x.t <= 1 AND x.t <= y.t)",
    "SELECT a FROM r AS x WHERE NOT EXISTS (SELECT 1 FROM q WINDOW(RANGE 3) AS y WHERE x.t - y.t < 2 AND x.b > y.b AND y.t < x.t)",
    "SELECT a FROM r WINDOW(RANGE 1) WHERE EXISTS (SELECT 1 FROM v WHERE v.a = r.a AND v.b < r.b)",
    "SELECT a FROM r WINDOW(RANGE 2) WHERE a < ANY (SELECT a FROM v)",
    "SELECT a FROM v WHERE a NOT IN (SELECT a FROM q WINDOW(RANGE 1))",
]
MARKING = [
    "SELECT a, a >= ALL (SELECT a FROM q WINDOW(RANGE 2)) AS m FROM r WINDOW(RANGE 3)",
    "SELECT a, a IN (SELECT a FROM q WINDOW(RANGE 2) AS y WHERE y.b = r.b) AS m FROM r",
    "SELECT a, a = ANY (SELECT a FROM v) AS m FROM r WINDOW(RANGE 2)",
    "SELECT a, b <= ALL (SELECT b FROM k WHERE k.a = r.a) AS m FROM r WINDOW(RANGE 2)",
    "SELECT EXISTS (SELECT 1 FROM q WINDOW(RANGE 2)) AS m",
]


@pytest.fixture(scope="module")
def engine(spark: SparkSession) -> Engine:
    return Engine(spark)


@pytest.fixture(scope="module")
def session() -> Session:
    session = Session(engine="reference")
    for statement in DECLARED.split(";"):
        session.sql(statement)
    return session


def source(name: str, rows: Sequence[Row]) -> list[SourceRow]:
    """Rows as a source delivers them: a stream's last column is its time, v's are its validity."""
    found = []
    for row, phi in zip(rows, count(), strict=False):
        start, end = MINUS_INFINITY, INFINITY
        if name in ("r", "q"):
            start, end = row[-1], row[-1] + 1  # type: ignore[operator]
        elif name == "v":
            start, end = row[-2], INFINITY if row[-1] is None else row[-1]  # type: ignore[assignment]
        found.append(SourceRow(row, start, end, phi))
    return found


def check(
    engine: Engine, plan: Node, data: Data, cuts: Sequence[int] = (), form: Form = Form.PIECES
) -> None:
    rows = {
        node.relation: tuple(source(node.relation.name, data.get(node.relation.name, ())))
        for node in plan.walk()
        if isinstance(node, Scan)
    }
    expected = evaluate(plan, context_of(plan, lambda relation: rows[relation]))
    got = on_spark(engine, plan, rows, cuts, form)
    assert got == expected.without_identity()


VALUES = st.one_of(st.none(), st.integers(0, 2))
STREAM = st.lists(st.tuples(VALUES, VALUES, st.integers(-4, 6)), max_size=6)
TABLE = st.lists(st.tuples(VALUES, VALUES), max_size=3)
VERSIONS = st.lists(
    st.tuples(VALUES, VALUES, st.integers(-6, 4), st.integers(1, 40)).map(
        lambda v: (*v[:3], None if v[3] > 30 else v[2] + v[3])
    ),
    max_size=4,
)
DATA = st.fixed_dictionaries({"r": STREAM, "q": STREAM, "k": TABLE, "v": VERSIONS})
CUTS = st.lists(st.integers(-5, 9), max_size=2)
FORMS = st.sampled_from(Form)
RUNS = settings(max_examples=12)

FULL: Data = {
    "r": [(0, 1, -4), (1, 1, -1), (1, 1, -1), (None, 0, 0), (1, 2, 1), (2, 0, 3), (0, None, 5)],
    "q": [(1, 0, -2), (1, 2, -1), (0, 1, 0), (None, 1, 0), (1, 1, 1), (1, 1, 1), (2, 2, 4)],
    "k": [(0, 1), (1, 0), (1, 2)],
    "v": [(0, 1, -6, 0), (1, 0, -6, None), (1, 2, 0, 30), (2, None, 3, 4)],
}
"""Every case once: duplicates, NULLs, times before zero, long and endless validity."""


@pytest.mark.parametrize("sql", THETA + OUTER + CHOOSING + MARKING)
def test_history(engine: Engine, session: Session, sql: str) -> None:
    check(engine, session.sql(sql).plan, FULL)


@pytest.mark.parametrize("queries", [THETA, OUTER, CHOOSING, MARKING])
def test_slabs(engine: Engine, session: Session, queries: list[str]) -> None:
    @RUNS
    @given(st.sampled_from(queries), DATA, CUTS, FORMS)
    def run(sql: str, data: Data, cuts: Sequence[int], form: Form) -> None:
        check(engine, session.sql(sql).plan, data, cuts, form)

    run()


SCALAR = "SELECT a, (SELECT b FROM q WINDOW(RANGE 2) AS y WHERE y.a = x.a) AS n FROM r WINDOW(RANGE 3) AS x"


@RUNS
@given(
    STREAM,
    st.lists(
        st.tuples(VALUES, VALUES, st.integers(-2, 3)), max_size=5, unique_by=lambda v: (v[0], v[2])
    ),
    CUTS,
)
@example(r=[(1, 1, 0), (1, 1, 0), (2, 0, 1)], q=[(1, None, 0), (1, 5, 1)], cuts=[1])
def test_scalar(
    engine: Engine, session: Session, r: list[Row], q: list[Row], cuts: list[int]
) -> None:
    apart = [(a, b, 2 * t) for a, b, t in q]  # type: ignore[operator]
    check(engine, session.sql(SCALAR).plan, {"r": r, "q": apart}, cuts)


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        (
            "SELECT a, (SELECT b FROM k WHERE k.a = x.a) AS n FROM r WINDOW(RANGE 2) AS x",
            {"k": [(1, 5)]},
        ),
        (
            "SELECT a, (SELECT b FROM v WHERE v.a = x.a) AS n FROM r WINDOW(RANGE 1) AS x",
            {"v": [(1, None, -9, 1), (1, 3, 1, 50)]},
        ),
        (
            "SELECT a, (SELECT count(*) FROM q WINDOW(RANGE 2) AS y WHERE y.a = x.a) AS n FROM r AS x",
            {},
        ),
        ("SELECT a, (SELECT max(b) FROM q WINDOW(RANGE 2)) AS n FROM r AS x", {}),
    ],
)
@pytest.mark.parametrize("cuts", [(), (0, 2)])
def test_scalar_over_others(
    engine: Engine, session: Session, sql: str, expected: Data, cuts: tuple[int, ...]
) -> None:
    check(engine, session.sql(sql).plan, {**FULL, **expected}, cuts)


def test_two_rows_are_an_error_that_names_the_time(engine: Engine, session: Session) -> None:
    data: Data = {"r": [(1, 1, 4)], "q": [(1, 1, 5), (1, 2, 6)]}
    with pytest.raises(PySparkException, match=f"{AT_A_TIME}0:6"):
        check_spark_only(engine, session.sql(SCALAR).plan, data)


def check_spark_only(engine: Engine, plan: Node, data: Data) -> None:
    scans = [node.relation for node in plan.walk() if isinstance(node, Scan)]
    on_spark(
        engine, plan, {relation: source(relation.name, data[relation.name]) for relation in scans}
    )
