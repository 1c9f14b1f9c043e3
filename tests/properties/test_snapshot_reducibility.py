"""At every instant, a query gives what plain SQL gives over the tuples valid at that instant.

DuckDB is the second opinion. It never sees a window: the snapshots of the windowed streams are
loaded into tables, at every instant at which one of them changes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from decimal import Decimal

import duckdb
import pytest
from both_engines import session_of
from drawing import examples
from hypothesis import HealthCheck, Phase, event, given, seed, settings
from queries import Both, Case, Reference, cases
from streams import Q, R, Source, literal_row

from continua.model.instant import Instant
from continua.model.timeline import Timeline

pytestmark = pytest.mark.apart

Row = tuple[object, ...]


@pytest.fixture(scope="module")
def plain() -> Iterator[duckdb.DuckDBPyConnection]:
    connection = duckdb.connect()
    connection.execute("SET threads = 1")
    yield connection
    connection.close()


def rows_at(timeline: Timeline, instant: Instant) -> list[Row]:
    return [e.values for e, n in timeline.at(instant).items() for _ in range(n)]


class Snapshots:
    """The tables DuckDB reads: each holds the snapshot of a windowed stream at the moment."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self.connection = connection

    def fill(self, reference: Reference, snapshots: Sequence[list[Row]]) -> None:
        """All snapshots of a stream, numbered; the table shows the one of the number that is set."""
        table, columns = reference.table, reference.source.plain_columns
        self.connection.execute(f"CREATE OR REPLACE TABLE {table}_all ({columns}, moment INTEGER)")
        names = ", ".join(name for name, _ in reference.source.all_columns)
        self.connection.execute(
            f"CREATE OR REPLACE VIEW {table} AS SELECT {names} FROM {table}_all "
            "WHERE moment = getvariable('moment')"
        )
        self._load(f"{table}_all", [(*row, i) for i, rows in enumerate(snapshots) for row in rows])

    def fill_table(self, source: Source, rows: list[Row]) -> None:
        self.connection.execute(f"CREATE OR REPLACE TABLE {source.name} ({source.plain_columns})")
        self._load(source.name, rows)

    def _load(self, table: str, rows: Sequence[Row]) -> None:
        if rows:
            self.connection.execute(
                f"INSERT INTO {table} VALUES {', '.join(map(literal_row, rows))}"
            )

    def ask(self, moment: int, query: str) -> list[Row]:
        self.connection.execute(f"SET VARIABLE moment = {moment}")
        return self.connection.execute(query).fetchall()


def moments(inputs: Sequence[Timeline], result: Timeline) -> list[Instant]:
    """Every instant at which anything changes, one before the first and one after the last."""
    changes = {
        at for line in (*inputs, result) for at in line.instants() if abs(at.t) != float("inf")
    }
    first, last = min(changes, default=Instant(0)), max(changes, default=Instant(0))
    return sorted({*changes, Instant(first.t - 1), Instant(last.t + 1)})


def unequal(ours: list[Row], plain: list[Row]) -> bool:
    """Whether two bags of rows differ; numbers of any type are equal if they are close."""
    exact = Counter(map(_rounded, ours)), Counter(map(_rounded, plain))
    if exact[0] == exact[1]:
        return False
    left = list((exact[0] - exact[1]).elements())
    right = list((exact[1] - exact[0]).elements())
    for row in left:
        match = next((other for other in right if all(map(_close, row, other))), None)
        if match is None:
            return True
        right.remove(match)
    return bool(right)


def _rounded(row: Row) -> Row:
    return tuple(map(_comparable, row))


def _comparable(value: object) -> object:
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, (int, float, Decimal)):
        return round(float(value), 9) + 0.0
    return value


def _close(a: object, b: object) -> bool:
    if isinstance(a, float) and isinstance(b, float):
        # An average of decimals is rounded to six digits.
        return abs(a - b) <= 6e-7 + 1e-9 * max(abs(a), abs(b))
    return a == b


def check(plain: duckdb.DuckDBPyConnection, case: Case) -> Timeline:
    """Compares the two at every instant; gives our result."""
    session = session_of(case)
    inputs = [session.sql(reference.feed).timeline() for reference in case.references]
    result = session.sql(case.query.ours).timeline()
    instants = moments(inputs, result)
    snapshots = Snapshots(plain)
    for source in case.sources:
        if not source.times:
            snapshots.fill_table(source, case.rows[source.name])
    for reference, line in zip(case.references, inputs, strict=True):
        snapshots.fill(reference, [rows_at(line, at) for at in instants])
    before = None
    for number, at in enumerate(instants):
        valid = [line.at(at) for line in inputs]
        if valid != before:
            expected = snapshots.ask(number, case.query.plain)
        before = valid
        found = rows_at(result, at)
        assert not unequal(found, expected), (
            f"at {at.t}: ours {sorted(map(repr, found))}, plain {sorted(map(repr, expected))}"
        )
    return result


@examples(500)
@given(case=cases())
def test_a_query_is_plain_sql_at_every_instant(
    plain: duckdb.DuckDBPyConnection, case: Case
) -> None:
    result = check(plain, case)
    event("changes" if len(result.instants()) > 1 else "static or empty")


# Corners that random queries seldom reach; `{r}` is the stream r in a window of three units.
CORNERS = """
SELECT s FROM {r} WHERE s NOT LIKE 'a%'
SELECT a FROM {r} WHERE a NOT IN (SELECT c FROM {q})
SELECT a FROM {r} WHERE a NOT IN (SELECT c FROM {q} WHERE q.a = r.a)
SELECT v FROM k WHERE v NOT IN (SELECT a FROM {r} WHERE b > 100)
SELECT v FROM k WHERE 0 IN (SELECT COUNT(*) FROM {r})
SELECT v FROM k WHERE 0 IN (SELECT COUNT(*) FROM {r} UNION SELECT 9)
SELECT v FROM k WHERE 0 IN (SELECT 9 UNION ALL (SELECT COUNT(*) FROM {r}))
SELECT v FROM k WHERE EXISTS (SELECT MAX(a) FROM {r})
SELECT v FROM k WHERE EXISTS (WITH c AS (SELECT a FROM {r}) SELECT MAX(a) FROM c)
SELECT v, (WITH c AS (SELECT a FROM {r}) SELECT COUNT(*) FROM c) AS n FROM k
SELECT v, (SELECT COUNT(*) FROM {r} WHERE r.a = k.a) AS n FROM k
SELECT v, (SELECT COUNT(*) + 1 FROM {r} WHERE r.a = k.a) AS n FROM k
SELECT v FROM k WHERE v <= ALL ((SELECT COUNT(*) FROM {r}) UNION (SELECT 9))
SELECT v FROM k WHERE v > ALL (SELECT a FROM {r} WHERE r.s = k.s)
SELECT v, v > ALL (SELECT a FROM {r} WHERE r.s = k.s) AS o FROM k
SELECT v, v <> ANY (SELECT a FROM {r} WHERE r.s = k.s) AS o FROM k
SELECT k.v FROM k LEFT JOIN ((VALUES (1, 'a')) AS x(m, n) JOIN {r} ON x.m = r.a) ON k.a = r.a
SELECT k.v FROM k LEFT JOIN ((SELECT a AS m FROM {q}) AS x JOIN {r} ON x.m = r.a) ON k.a = r.a
SELECT r.a, COUNT(*) AS n FROM {r} GROUP BY r.a, r.a HAVING COUNT(*) > (SELECT COUNT(*) FROM {q} WHERE q.a = r.a)
SELECT r.a, (SELECT COUNT(*) FROM {q} WHERE q.a = r.a) AS n FROM {r} GROUP BY r.a
SELECT r.a FROM {r} GROUP BY r.a HAVING EXISTS (SELECT 1 FROM {q} WHERE q.a = r.a)
SELECT a, r.a AS ra, q.a AS qa FROM {r} FULL JOIN {q} USING (a)
SELECT a FROM {r} UNION SELECT c FROM {q} INTERSECT SELECT v FROM k
SELECT a FROM {r} EXCEPT SELECT c FROM {q} UNION ALL SELECT v FROM k
SELECT a FROM {r} EXCEPT ALL SELECT a FROM {q}
SELECT a FROM {r} INTERSECT ALL SELECT a FROM {q}
SELECT a, s FROM {r} UNION ALL SELECT a, s FROM {q} ORDER BY a NULLS FIRST, s NULLS FIRST LIMIT 2
SELECT a, b FROM {r} ORDER BY b DESC NULLS LAST, a NULLS FIRST LIMIT 2
SELECT a FROM {r} ORDER BY b ASC NULLS LAST, a NULLS FIRST LIMIT 1
SELECT a FROM {r} ORDER BY s DESC NULLS FIRST, a NULLS FIRST LIMIT 3
SELECT DISTINCT a FROM {r} WHERE (a IN (SELECT a FROM {q})) IS NULL
"""


@pytest.mark.parametrize("text", CORNERS.strip().split("\n"))
def test_corners(plain: duckdb.DuckDBPyConnection, text: str) -> None:
    rows = {
        "r": [
            (1, 2, "a", 0.5, 0),
            (1, 2, "a", 0.5, 0),
            (1, 5, "a", 0.5, 1),
            (None, 3, "b", None, 1),
            (2, None, None, 1.0, 6),
            (3, 1, "ab", 1.0, 7),
        ],
        "q": [
            (1, 2, "a", Decimal(1), 0),
            (1, 4, "a", Decimal(1), 1),
            (None, 3, "b", None, 2),
            (3, None, "b", Decimal(2), 7),
            (1, 2, "a", None, 12),
        ],
        "p": [],
        "k": [(1, "a", 1), (None, "b", 2), (7, None, None)],
    }
    references = []
    ours, duck = text, text
    for source in (R, Q):
        references.append(
            Reference(
                f"{source.name}_0",
                source,
                f"SELECT {', '.join(n for n, _ in source.all_columns)} FROM {source.name} WINDOW(RANGE 3)",
            )
        )
        ours = ours.replace(f"{{{source.name}}}", f"{source.name} WINDOW(RANGE 3)")
        duck = duck.replace(f"{{{source.name}}}", f"{source.name}_0 AS {source.name}")
    check(plain, Case(rows, [], Both(ours, duck), (), references, set()))


CONSTRUCTS = """
window RANGE|window SLIDE|window FIXED|window ROWS|window PARTITION|window UNBOUNDED|window NOW
window BATCH|window none|own validity|static table|values|an empty stream|time as BIGINT|time as TIMESTAMP
inner join|left join|right join|full join|cross join|semi join|anti join|comma join|nested join
natural join|using join|full join using|equi condition|theta condition
WHERE|arithmetic|division|conditional|SELECT *|DISTINCT|top-k|top-k by a column that is not put out
UNION|UNION ALL|EXCEPT|EXCEPT ALL|INTERSECT|INTERSECT ALL|three branches|top-k of a set operation
GROUP BY|GROUP BY number|HAVING|ungrouped aggregate|subquery beside GROUP BY
COUNT(*)|COUNT|COUNT(DISTINCT)|SUM|SUM(DISTINCT)|AVG|MIN|MAX|MEDIAN|STDDEV|VARIANCE
subquery in FROM|column aliases|WITH|WITH in a subquery|derived stream|named query
IN|NOT IN|EXISTS|NOT EXISTS|ANY|ALL|subquery in WHERE|subquery under OR or NOT or in SELECT
subquery in SELECT|any query in an expression|aggregate in an expression
correlated aggregate in an expression|equality correlation|theta correlation
scalar subquery|correlated scalar subquery|scalar top 1|WITH in a scalar subquery
"""


def test_the_queries_cover_the_language_and_have_results() -> None:
    """The property above is worth something only if its queries use everything and give rows."""
    seen: Counter[str] = Counter()
    outcomes: Counter[str] = Counter()

    @settings(
        max_examples=700,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=cases())
    def look(case: Case) -> None:
        seen.update(case.features)
        outcomes["drawn"] += 1
        if outcomes["drawn"] % 2:
            # Those drawn one after the other are alike: half of all say as much, in half the time.
            return
        outcomes["cases"] += 1
        try:
            result = session_of(case).sql(case.query.ours).timeline()
        except Exception:
            # The property itself tells what is wrong with it.
            outcomes["failed"] += 1
            return
        outcomes["rows"] += bool(result.instants())
        outcomes["changes"] += len(result.instants()) > 1

    wanted = [name for line in CONSTRUCTS.strip().split("\n") for name in line.split("|")]
    # Those drawn one after the other are alike, so one round may miss a construct.
    for number in range(20260101, 20260104):
        if not all(seen[name] for name in wanted):
            seed(number)(look)()
    assert [name for name in wanted if not seen[name]] == []
    assert outcomes["cases"] >= 350
    assert outcomes["rows"] > 0.5 * outcomes["cases"], outcomes
    assert outcomes["changes"] > 0.33 * outcomes["cases"], outcomes
