"""Every construct over every window: small queries, one for each cell of a table.

Random queries meet what is drawn often; here nothing that is possible is left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random
from typing import NamedTuple

from hypothesis import strategies as st
from queries import Both, Case
from streams import INT, OPERATION, SOURCES, TEXT, VALUES, Log, Source, rows_of

from continua.physical.operator import Form

PLAIN = {
    "none": "SELECT a, b, s, x FROM {0}",
    "NOW": "SELECT a, b, s, x FROM {0} [NOW]",
    "RANGE": "SELECT a, b, s, x FROM {0} [RANGE 5]",
    "UNBOUNDED": "SELECT a, b, s, x FROM {0} [UNBOUNDED]",
    "ROWS UNBOUNDED": "SELECT a, b, s, x FROM {0} [ROWS UNBOUNDED]",
    "SLIDE": "SELECT a, b, s, x FROM {0} [RANGE 5 SLIDE 3]",
    "SLIDE that divides": "SELECT a, b, s, x FROM {0} [RANGE 4 SLIDE 2]",
    "FIXED": "SELECT a, b, s, x FROM {0} [FIXED 3]",
    "ROWS": "SELECT a, b, s, x FROM {0} [ROWS 2]",
    "ROWS SLIDE": "SELECT a, b, s, x FROM {0} [ROWS 3 SLIDE 2]",
    "ROWS SLIDE in time": "SELECT a, b, s, x FROM {0} [ROWS 3 SLIDE 4 TIME]",
    "PARTITION": "SELECT a, b, s, x FROM {0} [PARTITION BY a ROWS 1]",
    "BATCH": "SELECT a, b, s, x FROM {0} [BATCH]",
    "FROM TO": "SELECT a, b, s, x FROM {0} WINDOW(FROM j TO j+1 ROWS EVERY 2 ROWS)",
    "FROM TO in time": "SELECT a, b, s, x FROM {0} WINDOW(FROM 3*j TO 3*j+2 EVERY 3)",
    "TUMBLE": "SELECT a, b, s, x FROM TUMBLE({0}, 3)",
    "HOP": "SELECT a, b, s, x FROM HOP({0}, 2, 4)",
    "TUMBLE offset": "SELECT a, b, s, x FROM TUMBLE({0}, 3, -1)",
    "HOP with gaps": "SELECT a, b, s, x FROM HOP({0}, 4, 3)",
    "HOP offset": "SELECT a, b, s, x FROM HOP({0}, 2, 5, 1)",
    "SESSION": "SELECT a, b, s, x FROM SESSION({0}, 2)",
}
"""The windows, each as a query for one of the streams r and q, which have the same columns here."""

BATCHED = {f"{name} in batches": text.replace("{0}", "{0}_b") for name, text in PLAIN.items()}
"""The same over streams that may have several batches at a time."""

SPREADS = (
    "SPREAD r, q INTO r_b, q_b",
    "SPREAD q, r ON a INTO q_b, r_b",
    "SPREAD r, q ON b INTO r_0, q_0; SPREAD q_0, r_0 ON s INTO q_b, r_b",
    "SPREAD r, q ON x INTO r_0, q_0; SPREAD r_0, q_0 INTO r_b, q_b",
    "SPREAD r, q INTO r_0, q_0; SPREAD ALL q_0, r_0 ON b INTO q_b, r_b",
    "SPREAD r, q INTO r_0, q_0; SPREAD ALL q_0, r_0 ON ts INTO q_b, r_b",
)
"""Where these have their batches from."""

WINDOWS = {
    **PLAIN,
    "own validity": "SELECT b AS a, c AS b, 'a' AS s, 0.5e0 * c AS x FROM p",
    "table": "SELECT a, v AS b, s, 1.5e0 AS x FROM k",
    "changes": "SELECT a, v AS b, s, 1.5e0 AS x FROM l",
    **BATCHED,
}

CONSTRUCTS = {
    "filter": "SELECT a, s, x FROM {r} WHERE a > 0 OR s IS NULL OR x >= 0",
    "map": "SELECT a + b AS c, s FROM {r}",
    "DISTINCT": "SELECT DISTINCT a FROM {r}",
    "DISTINCT numbers": "SELECT DISTINCT x FROM {r}",
    "UNION": "SELECT a FROM {r} UNION SELECT b FROM {q}",
    "UNION ALL": "SELECT a FROM {r} UNION ALL SELECT b FROM {q}",
    "EXCEPT": "SELECT a FROM {r} EXCEPT SELECT b FROM {q}",
    "EXCEPT ALL": "SELECT a FROM {r} EXCEPT ALL SELECT b FROM {q}",
    "INTERSECT": "SELECT a FROM {r} INTERSECT SELECT a FROM {q}",
    "INTERSECT ALL": "SELECT a FROM {r} INTERSECT ALL SELECT a FROM {q}",
    "inner join": "SELECT r.a, q.b FROM {r} JOIN {q} ON r.a = q.a",
    "theta join": "SELECT r.a, q.b FROM {r} JOIN {q} ON r.a < q.b",
    "left join": "SELECT r.a, q.b FROM {r} LEFT JOIN {q} ON r.a = q.a",
    "right join": "SELECT r.a, q.b FROM {r} RIGHT JOIN {q} ON r.a = q.a AND r.b > 0",
    "full join": "SELECT r.a, q.b FROM {r} FULL JOIN {q} ON r.a = q.a",
    "cross join": "SELECT r.a, q.s FROM {r} CROSS JOIN {q}",
    "semi join": "SELECT r.a FROM {r} LEFT SEMI JOIN {q} ON r.a = q.a",
    "anti join": "SELECT r.a FROM {r} LEFT ANTI JOIN {q} ON r.a = q.a",
    "IN": "SELECT a FROM {r} WHERE a IN (SELECT b FROM {q})",
    "NOT IN": "SELECT a FROM {r} WHERE a NOT IN (SELECT b FROM {q})",
    "EXISTS": "SELECT a FROM {r} WHERE EXISTS (SELECT 1 FROM {q} WHERE q.s = r.s)",
    "NOT EXISTS": "SELECT a FROM {r} WHERE NOT EXISTS (SELECT 1 FROM {q} WHERE q.a = r.a)",
    "ANY": "SELECT a FROM {r} WHERE a > ANY (SELECT b FROM {q})",
    "ALL": "SELECT a FROM {r} WHERE a >= ALL (SELECT b FROM {q})",
    "mark": "SELECT a, a = ANY (SELECT b FROM {q}) AS m FROM {r}",
    "scalar": "SELECT a, (SELECT SUM(b) FROM {q}) AS n FROM {r}",
    "computed scalar": "SELECT a, (SELECT 1 + COUNT(*) FROM {q}) AS n FROM {r}",
    "correlated scalar": "SELECT a, (SELECT COUNT(*) FROM {q} WHERE q.a = r.a) AS n FROM {r}",
    "COUNT": "SELECT a, COUNT(*) AS n, COUNT(s) AS m FROM {r} GROUP BY a",
    "COUNT(DISTINCT)": "SELECT a, COUNT(DISTINCT b) AS n FROM {r} GROUP BY a",
    "COUNT(DISTINCT) with others": "SELECT COUNT(DISTINCT b) AS n, SUM(a) AS m FROM {r}",
    "SUM": "SELECT s, SUM(a) AS n FROM {r} GROUP BY s",
    "floating SUM and AVG": "SELECT a, SUM(x) AS n, AVG(x) AS m FROM {r} GROUP BY a",
    "MIN and MAX": "SELECT a, MIN(b) AS n, MAX(s) AS m, MIN(x) AS o FROM {r} GROUP BY a",
    "MEDIAN": "SELECT a, MEDIAN(b) AS n FROM {r} GROUP BY a",
    "VARIANCE": "SELECT VARIANCE(b) AS n FROM {r}",
    "FILTER": "SELECT a, COUNT(*) FILTER (WHERE b > 0) AS n FROM {r} GROUP BY a",
    "ungrouped": "SELECT COUNT(*) AS n, MAX(b) AS m FROM {r}",
    "HAVING": "SELECT a FROM {r} GROUP BY a HAVING COUNT(*) > 1",
    "HAVING of two aggregates": "SELECT MIN(b) AS m FROM {r} HAVING MIN(b) < MAX(b)",
    "WHERE over two aggregates": (
        "SELECT m FROM (SELECT a, MIN(b) AS m, MAX(b) AS n FROM {r} GROUP BY a) WHERE m <= n"
    ),
    "ON with two aggregates": (
        "SELECT y.m FROM {q} JOIN (SELECT MIN(b) AS m, MAX(b) AS n FROM {r}) AS y "
        "ON y.m <= q.a AND q.a <= y.n"
    ),
    "top-k": "SELECT a, b FROM {r} ORDER BY b DESC, a LIMIT 2",
    "aggregate of an aggregate": (
        "SELECT MAX(n) AS m FROM (SELECT a, COUNT(*) AS n FROM {r} GROUP BY a)"
    ),
    "DISTINCT of a join": "SELECT DISTINCT r.s FROM {r} JOIN {q} ON r.a = q.a",
    "aggregate of a join": "SELECT r.a, SUM(q.x) AS n FROM {r} JOIN {q} ON r.a = q.a GROUP BY r.a",
    "join of aggregates": (
        "SELECT y.n, z.n AS m FROM (SELECT a, COUNT(*) AS n FROM {r} GROUP BY a) AS y "
        "JOIN (SELECT a, MAX(b) AS n FROM {q} GROUP BY a) AS z ON y.a = z.a"
    ),
    "ON that may fail": (
        "SELECT r.a, q.b FROM {r} LEFT JOIN {q} "
        "ON r.a = q.a AND coalesce(r.b * q.b, 0) <> 0 AND 6 / q.b > 1"
    ),
    "WHERE that may fail": (
        "SELECT y FROM (SELECT 6 / q.b AS y FROM {r} JOIN {q} "
        "ON r.a = q.a AND coalesce(r.b * q.b, 0) <> 0) WHERE y > 1"
    ),
    "row window over it": "SELECT * FROM (SELECT a, b FROM {r}) [ROWS 2]",
    "row window over UNION ALL": (
        "SELECT * FROM (SELECT a, b FROM {r} UNION ALL SELECT a, b FROM {q}) [ROWS 3]"
    ),
    "row window over a join": (
        "SELECT * FROM (SELECT r.a, q.b FROM {r} JOIN {q} ON r.a <= q.a) [ROWS 3]"
    ),
    "FROM TO over a join": (
        "SELECT * FROM (SELECT r.a, q.b FROM {r} JOIN {q} ON r.a = q.a) "
        "WINDOW(FROM 2*j TO 2*j+1 ROWS EVERY 2 ROWS)"
    ),
    "ISTREAM": "ISTREAM (SELECT a, s FROM {r})",
    "DSTREAM": "DSTREAM (SELECT a, s FROM {r})",
    "ISTREAM DIF": "ISTREAM DIF (SELECT a FROM {r})",
    "DSTREAM DIF": "DSTREAM DIF (SELECT a FROM {r})",
    "RSTREAM": "RSTREAM (SELECT a, b FROM {r})",
    "RSTREAM EVERY": "RSTREAM (SELECT a, b FROM {r}) EVERY 3",
    "ISTREAM of an aggregate": "ISTREAM (SELECT a, COUNT(*) AS n FROM {r} GROUP BY a)",
    "NOW() compared": "SELECT a, s FROM {r} WHERE 2 * b + 3 > NOW() - 2",
    "NOW() between": "SELECT a, s FROM {r} WHERE NOW() BETWEEN a + 1 AND b + 7 AND x > 0",
    "aggregate until NOW()": "SELECT s, COUNT(*) AS n FROM {r} WHERE NOW() <= b + 6 GROUP BY s",
    "HAVING with NOW()": "SELECT a, MAX(b) AS n FROM {r} GROUP BY a HAVING MAX(b) >= NOW() - 5",
    "join with NOW()": (
        "SELECT r.a, q.b FROM {r} JOIN {q} ON r.a = q.a WHERE q.b < NOW() AND r.b + q.b >= NOW() - 4"
    ),
    "anti join with NOW()": (
        "SELECT a FROM {r} WHERE NOT EXISTS (SELECT 1 FROM {q} WHERE q.a = r.a AND q.b = NOW() - 3)"
    ),
    "NOW() of ISTREAM": (
        "SELECT a, NOW() AS n FROM ISTREAM (SELECT a, b FROM {r}) WHERE a % 2 < NOW() % 3"
    ),
    "aggregate with NOW() of DSTREAM": (
        "SELECT a, NOW() AS n, MAX(NOW() - b) AS m FROM DSTREAM (SELECT a, b FROM {r}) [NOW] "
        "GROUP BY a"
    ),
    "row window over NOW() of ISTREAM": (
        "SELECT * FROM (SELECT a, NOW() AS n FROM ISTREAM (SELECT a FROM {r})) [ROWS 2]"
    ),
    "DURING": "SELECT a, s FROM {r} DURING [2, 9)",
    "DURING of an aggregate": "SELECT a, COUNT(*) AS n FROM {r} GROUP BY a DURING [2, 9)",
    "join with DURING": (
        "SELECT r.a, y.b FROM {r} JOIN (SELECT a, b FROM {q} DURING [2, 9)) AS y ON r.a = y.a"
    ),
    "row window over DURING": "SELECT * FROM (SELECT a, b FROM {r} DURING [2, 9)) [ROWS 2]",
    "row window over DSTREAM": "SELECT * FROM DSTREAM (SELECT a, b FROM {r}) [ROWS 2]",
    "AS OF": "SELECT r.a, q.b FROM r JOIN {q} FOR SYSTEM_TIME AS OF r.ts ON r.a = q.a",
    "left AS OF": ("SELECT r.a, q.b FROM r LEFT JOIN {q} FOR SYSTEM_TIME AS OF r.ts ON r.a < q.b"),
    "ASOF": (
        "SELECT y.a, y.c, q.b FROM {q} JOIN (SELECT v.a, v.b, w.b AS c FROM r v "
        "ASOF JOIN q w MATCH_CONDITION (v.ts >= w.ts) ON v.a = w.a) [NOW] AS y ON y.b = q.b"
    ),
    "strict left ASOF": (
        "SELECT y.a, y.c, q.b FROM {q} RIGHT JOIN (SELECT v.a, v.b, w.b AS c FROM r v "
        "ASOF LEFT JOIN q w MATCH_CONDITION (v.ts > w.ts) ON v.a = w.a) [NOW] AS y ON y.b = q.b"
    ),
}
"""Queries over r and q, both in one kind of window."""

STREAMERS = {
    "ISTREAM": "ISTREAM ({})",
    "DSTREAM": "DSTREAM ({})",
    "ISTREAM DIF": "ISTREAM DIF ({})",
    "DSTREAM DIF": "DSTREAM DIF ({})",
    "RSTREAM": "RSTREAM ({})",
    "RSTREAM EVERY": "RSTREAM ({}) EVERY 2",
}
"""The streamers, each over a query."""

VERSIONED = {"AS OF", "left AS OF"}
"""The constructs that ask for a relation."""

VARYING = {
    name
    for name, text in CONSTRUCTS.items()
    if any(asked in text for asked in ("STREAM", "DURING", ") [ROWS", "WINDOW("))
}
"""The constructs that ask for something that varies in time."""

STANDING_ON_IT = {
    *("row window over it", "row window over UNION ALL", "row window over a join"),
    *("row window over DURING", "FROM TO over a join"),
}
"""The constructs with a window on what they are over."""

EXTREME = [-0.0, 1e308, -1e308, 5e-324, 1e16, 0.1]
"""What is infinite or no number has no literal; the corpus of odd values has them."""

PATHS: dict[str, Sequence[int]] = {"one slab": (), "slabs": (0, 4, 12)}


class Cell(NamedTuple):
    construct: str
    window: str
    form: Form
    path: str


def possible(cell: Cell) -> bool:
    """Windows and streamers stand on what varies in time only, windows on no table; a stream has no
    versions. The streams that some constructs name have no batches."""
    if "AS OF" in cell.construct or "ASOF" in cell.construct:
        versions = cell.construct not in VERSIONED or cell.window not in ("none", "NOW")
        return versions and cell.window not in BATCHED
    if cell.window == "changes" and cell.construct in STANDING_ON_IT:
        return False
    return not (cell.window == "table" and cell.construct in VARYING)


def together(*windows: str) -> bool:
    """Batches of one time can be compared with those of a table, and of the same group."""
    streams = [window for window in windows if window not in ("table", "changes")]
    return all(window in BATCHED for window in streams) or not {*streams} & {*BATCHED}


def cells() -> Iterator[Cell]:
    for construct in CONSTRUCTS:
        for window in WINDOWS:
            for form in Form:
                for path in PATHS:
                    if possible(cell := Cell(construct, window, form, path)):
                        yield cell


R, _, P, K = SOURCES
L = Log("l", (("a", INT), ("v", INT), ("s", TEXT), ("op", OPERATION)), ("ts",))
STREAMS = (R, replace(R, name="q"), P, K, L)


def query_of(cell: Cell) -> str:
    return query_over(cell.construct, cell.window, cell.window)


def query_over(construct: str, r: str, q: str) -> str:
    """A construct over the two streams, each in a window of its own."""
    windows = {"r": WINDOWS[r], "q": WINDOWS[q]}
    refs = {name: f"({window.format(name)}) AS {name}" for name, window in windows.items()}
    return CONSTRUCTS[construct].format(**refs)


@st.composite
def case_of(draw: st.DrawFn, cell: Cell, at_most: int = 8) -> Case:
    """The query of a cell over random rows."""
    rows = {source.name: draw(rows_of(source, at_most)) for source in STREAMS}
    for name in "rq":
        # Extreme numbers, in a column that nothing overflows by.
        extreme = st.sampled_from([*EXTREME, *[None] * len(EXTREME)])
        found = [(row, draw(extreme)) for row in rows[name]]
        rows[name] = [row if x is None else (*row[:3], x, *row[4:]) for row, x in found]
    views = [draw(st.sampled_from(SPREADS))] if cell.window in BATCHED else []
    return Case(rows, views, Both(query_of(cell), ""), (), [], set(), STREAMS)


def long_case(random: Random, construct: str, r: str, q: str) -> Case:
    """The query over many rows, of which few are near each other: many small cases at once."""
    # What never ends meets all that comes later.
    number = 30 if any("UNBOUNDED" in window for window in (r, q)) else 80
    rows = {s.name: _long_rows(random, s, number if s.times else 4) for s in STREAMS}
    views = [random.choice(SPREADS)] if {r, q} & {*BATCHED} else []
    return Case(rows, views, Both(query_over(construct, r, q), ""), (), [], set(), STREAMS)


LONG = range(-60, 140)
"""The times of long cases."""


def _long_rows(random: Random, source: Source, number: int) -> list[tuple[object, ...]]:
    columns = [[*VALUES[type_], None] for _, type_ in source.columns]
    rows: list[tuple[object, ...]] = []
    for _ in range(number):
        values = tuple(map(random.choice, columns))
        start = random.choice(LONG)
        end = start + random.choice([1, 2, 3, 6, 20, 70])
        rows += [(*values, *(start, end)[: len(source.times)])] * random.choice([1, 1, 1, 2])
    return rows


def table(counts: Counter[Cell]) -> str:
    """How often each construct was tried over each window, and which cells are empty."""
    width = max(map(len, CONSTRUCTS))
    lines = [f"{'':{width}}  " + "  ".join(WINDOWS)]
    for construct in CONSTRUCTS:
        found = []
        for window in WINDOWS:
            here = [Cell(construct, window, form, path) for form in Form for path in PATHS]
            tried = [counts[cell] for cell in here if possible(cell)]
            shown = "-" if not tried else f"{sum(tried)}{'!' * (0 in tried)}"
            found.append(f"{shown:>{len(window)}}")
        lines.append(f"{construct:{width}}  " + "  ".join(found))
    known = list(cells())
    empty = sum(1 for cell in known if not counts[cell])
    lines.append(f"{empty} of {len(known)} cells are empty (by form and path; ! marks where)")
    return "\n".join(lines)
