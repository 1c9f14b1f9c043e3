"""The properties and corollaries of Astral (Petit et al.), on random streams.

The paper calls streams, and the states of relations, equivalent (definition 24) if they hold the same
tuples *in the same order*, physical identifiers apart. `same` compares this on the reference, and for
some of the examples has DuckDB compute the same plans over slabs. Our words for the paper's:

| paper | here |
|---|---|
| `S[B]`, `S[∞]`, `S[α, β, rn]` | `S [B]`, `S [UNBOUNDED]`, `S WINDOW(FROM α TO β ROWS EVERY r ROWS)` |
| `IS(R)`, `DS(R)`, `RSᵘ(R)`, `RSʳ(R)` | `ISTREAM (R)`, `DSTREAM (R)`, `RSTREAM (R)`, `RSTREAM (R) EVERY r` |
| `S ⋈ R` | `ISTREAM (… S [B] JOIN R …)` |
| `S1 ⋈ᵈ S2` | `ISTREAM (… S1 [RANGE d+1] JOIN S2 [RANGE d+1] …)`, for d = ∞ `[UNBOUNDED]` |
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import pytest
from compared import check_same
from drawing import examples
from hypothesis import given
from hypothesis import strategies as st
from on_duckdb import DuckDB
from slabs import over_slabs
from streams import INT, TEXT, Source, rows_of

from continua import Session
from continua.logical.evaluate import context_of, evaluate
from continua.logical.node import Node
from continua.logical.scan import Scan
from continua.model.catalog import Relation
from continua.model.element import SourceRow, identity_order
from continua.model.instant import Instant
from continua.model.timeline import Timeline
from continua.physical.operator import Form
from continua.runtime.reference import Reference

Values = tuple[object, ...]
Elements = list[tuple[Instant, Values]]

S = Source("s", (("n", INT), ("a", INT), ("b", INT)), ("ts",))
U = Source("u", (("m", INT), ("a", INT), ("c", TEXT)), ("ts",))
W = Source("w", (("o", INT), ("a", INT), ("d", INT)), ("ts",))

SIMULTANEITIES = ("", "", "TUPLE", "TUPLE BY a", "BATCH BY a")
"""How the tuples of one time fall into batches, over all three streams."""

WINDOWS = (
    *("B", "UNBOUNDED", "RANGE 3", "RANGE 4 SLIDE 3", "FIXED 3", "ROWS 2", "ROWS 3 SLIDE 2"),
    *("PARTITION BY a ROWS 1", "FROM j-1 TO j ROWS EVERY 1 ROW", "FROM 2*j TO 2*j+2 EVERY 2"),
)


@dataclass
class Streams:
    """Three streams, and how they are cut where DuckDB computes over them, if it is to."""

    rows: dict[str, list[Values]]
    simultaneity: str
    cuts: tuple[int, ...] | None

    @cached_property
    def session(self) -> Session:
        session = Session(engine="reference")
        for source in (S, U, W):
            session.sql(source.declare(self.rows[source.name]))
        if self.simultaneity:
            session.sql(f"CREATE GROUP g OF s, u, w SIMULTANEITY {self.simultaneity}")
        return session

    def asked(self, text: str) -> tuple[Node, dict[Relation, tuple[SourceRow, ...]]]:
        """The plan of a query, and the rows that it reads."""
        query = self.session.sql(text)
        evaluation = query.evaluation
        assert isinstance(evaluation, Reference)
        scans = (node.relation for node in query.plan.walk() if isinstance(node, Scan))
        return query.plan, {relation: evaluation.read(relation) for relation in scans}

    def meaning(self, text: str) -> Timeline:
        """What a query means, with the identities of its tuples."""
        plan, rows = self.asked(text)
        return evaluate(plan, context_of(plan, rows.__getitem__), identified=True)

    def elements(self, text: str) -> Elements:
        """The elements of a stream with their instants, in the order of their positions."""
        plan, _ = self.asked(text)
        assert plan.chronon, text
        found = self.meaning(text).openings()
        return [(at, element.values) for element, at, n in found for _ in range(n)]

    def states(self, text: str, *others: str) -> Iterator[tuple[Instant, tuple[list[Values], ...]]]:
        """The states of relations at every instant at which one changes; tuples by position."""
        lines = [self.meaning(query) for query in (text, *others)]
        for at in sorted({at for line in lines for at in line.instants()}):
            yield at, tuple(in_order(line, at) for line in lines)


def in_order(line: Timeline, at: Instant) -> list[Values]:
    """The tuples that are valid at an instant, by their positions."""
    found = sorted(line.at(at).items(), key=lambda item: identity_order(item[0].identity))
    return [element.values for element, n in found for _ in range(n)]


@st.composite
def random_streams(draw: st.DrawFn, at_most: int = 6) -> Streams:
    """Rows are numbered by their first column."""
    rows = {
        source.name: [
            (number, *row[1:]) for number, row in enumerate(draw(rows_of(source, at_most)))
        ]
        for source in (S, U, W)
    }
    cuts = draw(st.sampled_from([None] * 5 + [(), (0, 4, 12)]))
    return Streams(rows, draw(st.sampled_from(SIMULTANEITIES)), cuts)


@pytest.fixture(scope="module")
def machine() -> DuckDB:
    return DuckDB()


def same(machine: DuckDB, streams: Streams, first: str, *others: str, batches: bool = True) -> None:
    """The streams that queries give are equivalent, and DuckDB computes them.

    batches: whether batches within a time are compared, too. Of what DuckDB gives only a window over
    rows tells the order.
    """

    def elements(text: str) -> Elements:
        found = streams.elements(text)
        return found if batches else [(Instant(at.t), values) for at, values in found]

    expected = elements(first)
    for text in others:
        assert elements(text) == expected, f"{first}\n{text}"
    if streams.cuts is None:
        return
    for text in (first, *others):
        plan, rows = streams.asked(f"SELECT * FROM ({text}) [ROWS 2]")
        computed = over_slabs(machine, plan, rows, streams.cuts, Form.PIECES)
        check_same(computed, evaluate(plan, context_of(plan, rows.__getitem__)))


def same_states(streams: Streams, first: str, second: str) -> None:
    """The states of two relations are equivalent at every instant."""
    for at, (one, other) in streams.states(first, second):
        assert one == other, f"at {at}: {first}\n{second}"


def streamed(streams: Streams, text: str) -> dict[Values, Instant]:
    """The instants of a stream whose tuples are all different."""
    found = {values: at for at, values in streams.elements(text)}
    assert len(found) == len(streams.elements(text))
    return found


windows = st.sampled_from(WINDOWS)
conditions = st.sampled_from(["a > 0", "b = 1", "a + b < 3", "n <> 1", "a IS NULL"])
projections = st.sampled_from(["a", "b, a", "a + b AS c", "1 AS one"])


@st.composite
def relations(draw: st.DrawFn) -> str:
    """A relation with the columns n, a, b: windows, and what relational operators make of them."""
    w, v = draw(windows), draw(windows)
    return draw(
        st.sampled_from(
            [
                f"SELECT n, a, b FROM s [{w}]",
                f"SELECT n, a, b FROM s [{w}] WHERE a IS NOT NULL",
                f"SELECT n, a, b FROM s [{w}] UNION ALL SELECT o, a, d FROM w [{v}]",
                f"SELECT s.n, u.a, s.b FROM s [{w}] JOIN u [{v}] ON s.a >= u.a",
                f"SELECT s.n, s.a, u.m AS b FROM s [{w}] LEFT JOIN u [{v}] ON s.a = u.a",
                f"SELECT COUNT(*) AS n, a, MAX(b) AS b FROM s [{w}] GROUP BY a",
            ]
        )
    )


@examples(40)
@given(streams=random_streams())
def test_property_1(streams: Streams) -> None:
    """τS gives the instant of a position, τS⁻¹(t, i) the highest position up to (t, i). It holds:
    τS(0) ≥ (t0, 0); τS(τS⁻¹(t, i)) ≤ (t, i), and it is (t, i) if a tuple has that instant;
    τS⁻¹(τS(n)) ≥ n.

    `S WINDOW(FROM j TO j ROWS EVERY 1 ROW)`, the paper's [L], shows at (t, i) the tuple at the
    position τS⁻¹(t, i).
    """
    elements = streams.elements("SELECT n FROM s")
    position = {values: n for n, (_, values) in enumerate(elements)}
    times = [row[-1] for row in streams.rows["s"]]
    for at, (shown,) in streams.states("SELECT n FROM s WINDOW(FROM j TO j ROWS EVERY 1 ROW)"):
        (values,) = shown
        n = position[values]
        assert elements[n][0] == at  # it changes where a tuple comes, and nowhere else
        assert n == max(m for m, (of, _) in enumerate(elements) if of <= at)
    line = streams.meaning("SELECT n FROM s WINDOW(FROM j TO j ROWS EVERY 1 ROW)")
    for n, (at, _) in enumerate(elements):
        assert at >= Instant(min(times))
        (values,) = in_order(line, at)
        assert position[values] >= n
    for at in (Instant(t, i) for t in range(-6, 14) for i in range(3)):
        for values in in_order(line, at):
            assert elements[position[values]][0] <= at


@examples(30)
@given(streams=random_streams(), w=windows, v=windows)
def test_property_2(streams: Streams, w: str, v: str) -> None:
    """The cartesian product is not symmetric in the general case: its tuples are ordered by the
    position on the left, then by that on the right. So are those of a union, by the side first.

    In both directions there are the same tuples, in the order of two nested loops.
    """
    product, turned = (
        "SELECT n, s.a, b, m, u.a AS a2, c FROM {} CROSS JOIN {}".format(*sides)
        for sides in ((f"s [{w}]", f"u [{v}]"), (f"u [{v}]", f"s [{w}]"))
    )
    left, right = f"SELECT n, a, b FROM s [{w}]", f"SELECT m, a, c FROM u [{v}]"
    union = f"SELECT n, a FROM s [{w}] UNION ALL SELECT m, a FROM u [{v}]"
    for at, (ours, theirs, found, other, both) in streams.states(
        left, right, product, turned, union
    ):
        assert found == [one + two for one in ours for two in theirs], at
        assert other == [one + two for two in theirs for one in ours], at
        assert Counter(found) == Counter(other)
        assert both == [row[:2] for row in (*ours, *theirs)], at


def test_property_2_by_example(machine: DuckDB) -> None:
    rows: dict[str, list[Values]] = {
        "s": [(0, 1, 1, 1), (1, 3, 1, 1)],
        "u": [(0, 42, "x", 1), (1, 2, "x", 1)],
        "w": [],
    }
    streams = Streams(rows, "", ())
    one = "SELECT n, m FROM s CROSS JOIN u"
    other = "SELECT n, m FROM u CROSS JOIN s"
    assert streams.elements(one) != streams.elements(other)
    same(machine, streams, one)
    same(machine, streams, other)


@examples(40)
@given(
    streams=random_streams(at_most=8),
    slope=st.integers(0, 1),
    back=st.integers(0, 3),
    k=st.integers(0, 2),
)
def test_property_3(streams: Streams, slope: int, back: int, k: int) -> None:
    """Let S' be IS(S[α, i+k, 1n]) with α increasing: a tuple of S' in the batch (t, i) was in the
    batch (t, i) of S. The same holds for RSᵘ(S[B]).

    It holds of what comes after window 0. That one stands from the instant of position k on, and
    takes in what came before: the paper's proof goes on with negative numbers of windows there.
    """
    original = streamed(streams, "SELECT n FROM s")
    first = sorted(original.values())[k : k + 1]
    window = f"FROM {slope}*j-{back} TO j+{k} ROWS EVERY 1 ROW"
    for values, at in streamed(streams, f"ISTREAM (SELECT n FROM s WINDOW({window}))").items():
        assert original[values] == at or (at == first[0] and original[values] < at)
    assert streamed(streams, "RSTREAM (SELECT n FROM s [B])") == original


@examples(40)
@given(streams=random_streams(), columns=st.sampled_from(["n, a, b", "a", "1 AS one"]))
def test_corollary_2(machine: DuckDB, streams: Streams, columns: str) -> None:
    """S ≡ IS(S[α, i+k, 1n]) ≡ IS(S[B]) ≡ IS(S[∞]) ≡ RSᵘ(S[B]), if α is such that the windows
    contain the last batch; with k = 0, see property 3."""
    largest = max(Counter(at for at, _ in streams.elements("SELECT n FROM s")).values(), default=1)
    same(
        machine,
        streams,
        f"SELECT {columns} FROM s",
        f"ISTREAM (SELECT {columns} FROM s WINDOW(FROM 0 TO j ROWS EVERY 1 ROW))",
        f"ISTREAM (SELECT {columns} FROM s WINDOW(FROM j-{largest - 1} TO j ROWS EVERY 1 ROW))",
        f"ISTREAM (SELECT {columns} FROM s [B])",
        f"ISTREAM (SELECT {columns} FROM s [UNBOUNDED])",
        f"RSTREAM (SELECT {columns} FROM s [B])",
    )


@examples(40)
@given(streams=random_streams(), columns=projections, where=conditions)
def test_corollary_3(machine: DuckDB, streams: Streams, columns: str, where: str) -> None:
    """σcS ≡ IS(σcS[B]) ≡ IS(σcS[∞]) ≡ RSᵘ(σcS[B]); projection and renaming likewise."""
    for select in (f"SELECT n, a, b FROM s{{}} WHERE {where}", f"SELECT {columns} FROM s{{}}"):
        same(
            machine,
            streams,
            select.format(""),
            f"ISTREAM ({select.format(' [B]')})",
            f"ISTREAM ({select.format(' [UNBOUNDED]')})",
            f"RSTREAM ({select.format(' [B]')})",
        )


@examples(40)
@given(streams=random_streams(), relation=relations(), columns=projections, where=conditions)
@pytest.mark.parametrize(
    "streamer", ["ISTREAM ({})", "DSTREAM ({})", "RSTREAM ({}) EVERY 2", "RSTREAM ({}) EVERY 1"]
)
def test_property_4(
    machine: DuckDB, streams: Streams, streamer: str, relation: str, columns: str, where: str
) -> None:
    """Let c be a condition that is not on t. σcIS(R) ≡ ISσc(R), ΠaIS(R) ≡ ISΠa(R); and so for DS
    and RSʳ, and for renaming.

    A tuple is new by its identity, which a projection keeps (DEL). RSTREAM EVERY speaks at the last
    batch of a time in which what is below it changes; so there only times are compared.
    """
    batches = "EVERY" not in streamer
    for select in (
        f"SELECT * FROM ({{}}) AS r WHERE {where}",
        f"SELECT {columns} FROM ({{}}) AS r",
    ):
        above = select.format(streamer.format(relation))
        below = streamer.format(select.format(relation))
        same(machine, streams, above, below, batches=batches)


@examples(30)
@given(streams=random_streams(), columns=projections, where=conditions)
def test_property_4_of_all_changes(
    machine: DuckDB, streams: Streams, columns: str, where: str
) -> None:
    """σcRSᵘ(R) ≡ RSᵘσc(R) and ΠaRSᵘ(R) ≡ RSᵘΠa(R), if no tuple of R is in two states of it that
    follow each other.

    [B] gives such a relation.
    """
    relation = "SELECT n, a, b FROM s [B]"
    for select in (
        f"SELECT * FROM ({{}}) AS r WHERE {where}",
        f"SELECT {columns} FROM ({{}}) AS r",
    ):
        below = f"RSTREAM ({select.format(relation)})"
        same(machine, streams, select.format(f"RSTREAM ({relation})"), below)


@examples(30)
@given(streams=random_streams(), relation=relations(), columns=projections)
def test_projections_commute_with_all_changes_of_any_relation(
    machine: DuckDB, streams: Streams, relation: str, columns: str
) -> None:
    """ΠaRSᵘ(R) ≡ RSᵘΠa(R) without property 4's condition, as RSTREAM goes by identity."""
    select = f"SELECT {columns} FROM ({{}}) AS r"
    below = f"RSTREAM ({select.format(relation)})"
    same(machine, streams, select.format(f"RSTREAM ({relation})"), below)


def given_rows(*rows: tuple[int, int, int]) -> Streams:
    """Rows (a, b) of s with their times."""
    numbered: list[Values] = [(n, *row) for n, row in enumerate(rows)]
    return Streams({"s": numbered, "u": [], "w": []}, "", None)


def test_property_4_needs_its_condition() -> None:
    """RSᵘ of a selection says less often what there is: at 2 nothing of it has changed."""
    streams = given_rows((1, 0, 1), (2, 0, 2))
    above = "SELECT * FROM RSTREAM (SELECT a FROM s [RANGE 5]) AS r WHERE a = 1"
    below = "RSTREAM (SELECT a FROM s [RANGE 5] WHERE a = 1)"
    assert streams.elements(above) == [(Instant(1), (1,)), (Instant(2), (1,))]
    assert streams.elements(below) == [(Instant(1), (1,))]


def test_property_4_needs_identity() -> None:
    """By value (DIF) a projection does not commute: 0 has been there before."""
    streams = given_rows((1, 0, 1), (2, 0, 2))
    above = "SELECT b FROM ISTREAM DIF (SELECT a, b FROM s [RANGE 5]) AS r"
    below = "ISTREAM DIF (SELECT b FROM s [RANGE 5])"
    assert streams.elements(above) == [(Instant(1), (0,)), (Instant(2), (0,))]
    assert streams.elements(below) == [(Instant(1), (0,))]


def band(d: int | None) -> str:
    """The window of both sides of a band join: tuples at most d apart are valid together."""
    return "[UNBOUNDED]" if d is None else f"[RANGE {d + 1}]"


widths = st.sampled_from([0, 1, 3, None])


@examples(30)
@given(streams=random_streams(), d=widths)
def test_definition_23(streams: Streams, d: int | None) -> None:
    """S1 ⋈ᵈ S2 = {Ψ(s1 × s2, max(s1(t), s2(t))) | s1 ∈ S1, s2 ∈ S2, |s1(t) - s2(t)| ≤ d}."""
    found = streams.elements(f"ISTREAM (SELECT n, m FROM s {band(d)} CROSS JOIN u {band(d)})")
    pairs = [
        (max(at, other), (*one, *two))
        for at, one in streams.elements("SELECT n FROM s")
        for other, two in streams.elements("SELECT m FROM u")
        if d is None or abs(at.t - other.t) <= d
    ]
    assert sorted(found) == sorted(pairs)


@examples(40)
@given(
    streams=random_streams(), d=widths, where=st.sampled_from(["s.a > 0", "s.b = 1", "s.n <> 1"])
)
def test_corollary_4(machine: DuckDB, streams: Streams, d: int | None, where: str) -> None:
    """σc(S ⋈ᵈ S') ≡ (σcS) ⋈ᵈ S', if c is a condition on S."""
    w = band(d)
    for join in ("s.a = u.a", "TRUE"):
        columns = "SELECT s.n, s.a, s.b, m"
        same(
            machine,
            streams,
            f"SELECT * FROM ISTREAM ({columns} FROM s {w} JOIN u {w} ON {join}) AS s WHERE {where}",
            f"ISTREAM ({columns} FROM (SELECT * FROM s WHERE {where}) {w} AS s JOIN u {w} ON {join})",
        )


@examples(40)
@given(streams=random_streams(), w=windows, where=st.sampled_from(["r.a > 0", "r.m <> 1"]))
def test_corollary_4_of_relations(machine: DuckDB, streams: Streams, w: str, where: str) -> None:
    """σc(S ⋈ R) ≡ S ⋈ (σcR), if c is a condition on the relation R."""
    columns = "SELECT s.n, r.m, r.a"
    same(
        machine,
        streams,
        f"SELECT * FROM ISTREAM ({columns} FROM s [B] JOIN u [{w}] AS r ON s.a = r.a) AS r WHERE {where}",
        f"ISTREAM ({columns} FROM s [B] JOIN (SELECT * FROM u [{w}] AS r WHERE {where}) AS r ON s.a = r.a)",
    )


@examples(30)
@given(
    streams=random_streams(),
    w=st.sampled_from(["RANGE 3", "UNBOUNDED", "FIXED 3", "RANGE 4 SLIDE 2"]),
    v=windows,
    where=st.sampled_from(["s.a > 0", "s.b = 1"]),
)
def test_selections_move_below_windows_in_time(
    machine: DuckDB, streams: Streams, w: str, v: str, where: str
) -> None:
    """What remark 1 says of [B] is not so of windows in time (TODS, rule 13)."""
    columns = "SELECT s.n, s.a, s.b, u.m"
    same(
        machine,
        streams,
        f"SELECT * FROM ISTREAM ({columns} FROM s [{w}] JOIN u [{v}] ON s.a = u.a) AS s WHERE {where}",
        f"ISTREAM ({columns} FROM (SELECT * FROM s WHERE {where}) [{w}] AS s JOIN u [{v}] ON s.a = u.a)",
    )


@pytest.mark.parametrize("window", ["[B]", "[ROWS 1]", "[FROM j TO j ROWS EVERY 1 ROW]"])
def test_remark_1(window: str) -> None:
    """σc'(S ⋈ R) ≢ (σc'S) ⋈ R, if c' is a condition on the stream.

    S holds 1 at 2, 2 at 4 and 3 at 6; R holds 1 from 5 on. At 5 the last of S is the 2; the last
    of those that are 1 is the 1.
    """
    session = given_rows((1, 0, 2), (2, 0, 4), (3, 0, 6)).session
    session.sql("CREATE TABLE r (a INT, since INT) SOURCE rows((1, 5)) VALID FROM since")
    above = f"SELECT a FROM ISTREAM (SELECT s.a FROM s {window} JOIN r ON s.a = r.a) WHERE a = 1"
    below = (
        f"ISTREAM (SELECT s.a FROM (SELECT * FROM s WHERE a = 1) {window} AS s JOIN r ON s.a = r.a)"
    )
    assert not session.sql(above).timeline().instants()
    assert [at.t for at in session.sql(below).timeline().instants()] == [5, 6]


@examples(30)
@given(streams=random_streams(at_most=4), w=windows, v=windows, x=windows)
def test_property_5(machine: DuckDB, streams: Streams, w: str, v: str, x: str) -> None:
    """The cartesian product with the lexicographic order is associative: A × (B × C) = (A × B) × C."""
    a, b, c = f"SELECT n FROM s [{w}]", f"SELECT m FROM u [{v}]", f"SELECT o FROM w [{x}]"
    right = f"SELECT n, m, o FROM ({a}) CROSS JOIN (SELECT m, o FROM ({b}) CROSS JOIN ({c}))"
    left = f"SELECT n, m, o FROM (SELECT n, m FROM ({a}) CROSS JOIN ({b})) CROSS JOIN ({c})"
    same_states(streams, right, left)
    same(machine, streams, f"ISTREAM ({right})", f"ISTREAM ({left})")


@examples(30)
@given(streams=random_streams(at_most=4), w=windows, v=windows, x=windows)
def test_unions_are_associative(machine: DuckDB, streams: Streams, w: str, v: str, x: str) -> None:
    """So is the union that puts the tuples of the left side first (definition 14)."""
    a, b, c = f"SELECT n FROM s [{w}]", f"SELECT m FROM u [{v}]", f"SELECT o FROM w [{x}]"
    right = f"SELECT n FROM ({a}) UNION ALL (SELECT m FROM ({b}) UNION ALL ({c}))"
    left = f"(SELECT n FROM ({a}) UNION ALL ({b})) UNION ALL ({c})"
    same_states(streams, right, left)
    same(machine, streams, f"ISTREAM ({right})", f"ISTREAM ({left})")


def nested(d: int | None) -> tuple[str, str]:
    """S1 ⋈ᵈ (S2 ⋈ᵈ S3) and (S1 ⋈ᵈ S2) ⋈ᵈ S3."""
    w = band(d)
    right = f"ISTREAM (SELECT m, o FROM u {w} CROSS JOIN w {w})"
    left = f"ISTREAM (SELECT n, m FROM s {w} CROSS JOIN u {w})"
    return (
        f"ISTREAM (SELECT n, m, o FROM s {w} CROSS JOIN {right} {w} AS r)",
        f"ISTREAM (SELECT n, m, o FROM {left} {w} AS l CROSS JOIN w {w})",
    )


@examples(30)
@given(streams=random_streams(at_most=4), d=st.sampled_from([0, None]))
def test_corollary_5(machine: DuckDB, streams: Streams, d: int | None) -> None:
    """The band join is associative for d = 0 and d = ∞ with the lexicographic order:
    S1 ⋈ᵈ (S2 ⋈ᵈ S3) = (S1 ⋈ᵈ S2) ⋈ᵈ S3."""
    same(machine, streams, *nested(d))


def test_corollary_5_holds_for_no_other_width() -> None:
    """Pairs have the time of their later part: at 0, 1 and 2, with d = 1, it matters which are first."""
    rows: dict[str, list[Values]] = {
        "s": [(7, 0, 0, 0)],
        "u": [(8, 0, "x", 1)],
        "w": [(9, 0, 0, 2)],
    }
    right, left = map(Streams(rows, "", None).elements, nested(1))
    assert right == []
    assert left == [(Instant(2), (7, 8, 9))]
