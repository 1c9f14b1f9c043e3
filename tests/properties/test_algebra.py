"""Laws of the algebra, on random timelines and over random streams."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from drawing import examples
from hypothesis import assume, given
from hypothesis import strategies as st

from continua import Session
from continua.logical.anti_join import anti_join
from continua.logical.coalesce import coalesce
from continua.logical.difference import difference
from continua.logical.distinct import distinct
from continua.logical.evaluate import context_of, evaluate
from continua.logical.expr.aggregates import AGGREGATES, AggregateCall
from continua.logical.expr.nodes import Call, ColumnRef, Expression, Literal
from continua.logical.expr.operators import OPERATORS
from continua.logical.filter import Filter, filter_
from continua.logical.intersection import intersection
from continua.logical.map import Map
from continua.logical.max_union import max_union
from continua.logical.node import Context
from continua.logical.product import Product, product
from continua.logical.range_window import RangeWindow
from continua.logical.scan import Scan
from continua.logical.semi_join import semi_join
from continua.logical.split import split
from continua.logical.strict_difference import strict_difference
from continua.logical.theta_join import theta_join
from continua.logical.timeslice import timeslice
from continua.logical.transform import (
    logical_to_physical,
    physical_to_logical,
    raw_to_logical,
    raw_to_physical,
)
from continua.logical.union import Union, union
from continua.model.catalog import Relation, SourceCall
from continua.model.element import PhysicalElement, RawElement, SourceRow, Tuple
from continua.model.instant import BEGINNING, FOREVER, Instant, Interval
from continua.model.schema import INTEGER_TIME, Column
from continua.model.timeline import Timeline
from continua.model.types import BIGINT, BOOLEAN, DOUBLE, INT, STRING, Type, decimal

# Times with batches, and the two infinities.
instants = st.builds(Instant, st.integers(-4, 9), st.sampled_from([0, 0, 0, 1, 2]))
starts = instants | st.just(BEGINNING)
ends = instants | st.just(FOREVER)
tuples = st.builds(
    lambda a, b: Tuple((a, b)), st.sampled_from([1, 2, None]), st.sampled_from(["x", "y"])
)


@st.composite
def physical_streams(draw: Any, *, finite: bool = False) -> list[PhysicalElement]:
    found = []
    for _ in range(draw(st.integers(0, 8))):
        start, end = draw(instants if finite else starts), draw(instants if finite else ends)
        if start != end:
            found.append(PhysicalElement(draw(tuples), Interval(min(start, end), max(start, end))))
    return found


def timelines() -> st.SearchStrategy[Timeline]:
    return physical_streams().map(physical_to_logical)


def probes(*parts: Any) -> list[Instant]:
    """Instants of every kind around everything that can happen."""
    return [BEGINNING, *(Instant(t, i) for t in range(-6, 14) for i in (0, 1, 2, 3))]


def snapshot(stream: list[PhysicalElement], at: Instant) -> Counter[Tuple]:
    """By definition: a tuple as often as there are intervals that contain the instant."""
    return Counter(e for e, interval in stream if interval.start <= at < interval.end)


def multiplicities(line: Timeline, at: Instant) -> Counter[Tuple]:
    return Counter(line.at(at))


def same_snapshots(a: list[PhysicalElement], b: list[PhysicalElement]) -> None:
    for at in probes():
        assert snapshot(a, at) == snapshot(b, at), at


# Representations of a stream.


@examples(150)
@given(stream=physical_streams())
def test_the_logical_stream_has_the_snapshots_of_the_physical_one(
    stream: list[PhysicalElement],
) -> None:
    line = physical_to_logical(stream)
    for at in probes():
        assert multiplicities(line, at) == snapshot(stream, at)


@examples(150)
@given(stream=physical_streams())
def test_coalesce_keeps_snapshots_and_is_idempotent(stream: list[PhysicalElement]) -> None:
    merged = coalesce(stream)
    same_snapshots(merged, stream)
    assert coalesce(merged) == merged


@examples(150)
@given(stream=physical_streams(), data=st.data())
def test_the_canonical_form_is_unique(stream: list[PhysicalElement], data: st.DataObject) -> None:
    """However intervals are cut and ordered, the canonical form is the same."""
    pieces: list[PhysicalElement] = []
    for e, (start, end) in stream:
        cut = data.draw(instants)
        if start < cut < end:
            pieces += [
                PhysicalElement(e, Interval(start, cut)),
                PhysicalElement(e, Interval(cut, end)),
            ]
        else:
            pieces.append(PhysicalElement(e, Interval(start, end)))
    shuffled = data.draw(st.permutations(pieces))
    assert coalesce(shuffled) == coalesce(stream)


@examples(100)
@given(stream=physical_streams())
def test_in_the_canonical_form_nothing_could_be_merged(stream: list[PhysicalElement]) -> None:
    merged = coalesce(stream)
    for e, interval in merged:
        assert interval.start < interval.end
        assert not any(e == o and interval.end == other.start for o, other in merged)
    keys = [interval for _, interval in merged]
    assert keys == sorted(keys)
    # A tuple that ends is the one that has been open longest.
    for e, (start, end) in merged:
        for o, (other_start, other_end) in merged:
            if e == o and start < other_start < end:
                assert end <= other_end


@examples(100)
@given(stream=physical_streams(finite=True), length=st.integers(1, 4))
def test_split_keeps_snapshots_and_makes_short_pieces(
    stream: list[PhysicalElement], length: int
) -> None:
    pieces = split(stream, length)
    same_snapshots(pieces, stream)
    assert all(end <= Instant(start.t + length) for _, (start, end) in pieces)
    assert coalesce(pieces) == coalesce(stream)
    assert [p.interval for p in pieces] == sorted(p.interval for p in pieces)


raw_streams = st.lists(
    st.tuples(st.sampled_from([(1, "x"), (2, "x"), (None, "y")]), st.integers(-3, 6)), max_size=8
).map(
    lambda rows: [
        RawElement(values, Instant(t), phi)
        for phi, (values, t) in enumerate(sorted(rows, key=lambda r: r[1]))
    ]
)


@examples(100)
@given(raw=raw_streams)
def test_from_raw_to_logical_by_way_of_physical(raw: list[RawElement]) -> None:
    by_physical = physical_to_logical(raw_to_physical(raw)).without_identity()
    assert raw_to_logical(raw) == by_physical
    for at in probes():
        expected = Counter(Tuple(e.values) for e in raw if e.instant.t == at.t)
        assert multiplicities(by_physical, at) == expected


@examples(150)
@given(stream=physical_streams())
def test_from_logical_to_physical_and_back_is_the_identity(stream: list[PhysicalElement]) -> None:
    line = physical_to_logical(stream)
    assert physical_to_logical(logical_to_physical(line)) == line
    assert logical_to_physical(line) == coalesce(stream)


@examples(100)
@given(a=physical_streams(), b=physical_streams())
def test_timelines_are_equal_if_their_snapshots_are(
    a: list[PhysicalElement], b: list[PhysicalElement]
) -> None:
    equal = all(snapshot(a, at) == snapshot(b, at) for at in probes())
    assert (physical_to_logical(a) == physical_to_logical(b)) == equal


@examples(60)
@given(line=timelines(), t=st.integers(-6, 12))
def test_a_timeslice_is_taken_after_the_last_batch(line: Timeline, t: int) -> None:
    assert timeslice(line, t) == line.at(Instant(t, 99))


# Operators by their formulas on multiplicities.

FORMULAS: dict[str, tuple[Callable[[Timeline, Timeline], Timeline], Callable[[int, int], int]]] = {
    "union (8)": (union, lambda n, m: n + m),
    "difference (5)": (difference, lambda n, m: max(0, n - m)),
    "intersection (17)": (intersection, min),
    "max-union (18)": (max_union, max),
    "strict difference (19)": (strict_difference, lambda n, m: 0 if m else n),
}


@pytest.mark.parametrize("name", FORMULAS)
@examples(60)
@given(a=timelines(), b=timelines())
def test_set_operations_by_their_formulas(name: str, a: Timeline, b: Timeline) -> None:
    operator, formula = FORMULAS[name]
    result = operator(a, b)
    for at in probes():
        left, right = multiplicities(a, at), multiplicities(b, at)
        expected = {e: n for e in left | right if (n := formula(left[e], right[e]))}
        assert result.at(at) == expected


@examples(60)
@given(a=timelines(), b=timelines())
def test_distinct_product_and_joins_by_their_formulas(a: Timeline, b: Timeline) -> None:
    first_equal = equal(column(0, INT), column(2, INT))
    results = [
        distinct(a),
        product(a, b),
        theta_join(a, b, first_equal),
        semi_join(a, b, first_equal),
        anti_join(a, b, first_equal),
    ]
    for at in probes():
        left, right = multiplicities(a, at), multiplicities(b, at)
        pairs = {e.concat(o): n * m for e, n in left.items() for o, m in right.items()}
        has = {
            e
            for e in left
            if any(e.values[0] is not None and e.values[0] == o.values[0] for o in right)
        }
        joined = {
            e: n for e, n in pairs.items() if e.values[0] is not None and e.values[0] == e.values[2]
        }
        expected = [
            dict.fromkeys(left, 1),
            pairs,
            joined,
            {e: left[e] for e in has},
            {e: n for e, n in left.items() if e not in has},
        ]
        assert [r.at(at) for r in results] == expected


def column(index: int, type_: Type) -> ColumnRef:
    return ColumnRef(type_, index, f"c{index}")


def equal(a: Expression, b: Expression) -> Call:
    return Call(BOOLEAN, OPERATORS["="], (a, b))


@examples(60)
@given(a=timelines(), b=timelines(), c=timelines())
def test_union_is_a_commutative_monoid_and_what_distributes_over_it(
    a: Timeline, b: Timeline, c: Timeline
) -> None:
    nothing = Timeline({})
    assert union(a, b) == union(b, a)
    assert union(union(a, b), c) == union(a, union(b, c))
    assert union(a, nothing) == a
    predicate = equal(column(0, INT), Literal(INT, 1))
    assert filter_(union(a, b), predicate) == union(filter_(a, predicate), filter_(b, predicate))
    assert product(union(a, b), c) == union(product(a, c), product(b, c))
    assert distinct(union(a, b)) == distinct(max_union(a, b))
    assert difference(union(a, b), b) == a
    assert union(intersection(a, b), max_union(a, b)) == union(a, b)


@examples(60)
@given(a=timelines(), b=timelines())
def test_map_is_linear(a: Timeline, b: Timeline) -> None:
    scan = Scan(relation("s"))
    node = Map(scan, ("k",), (column(1, STRING),))
    nowhere = Context(lambda _relation: [], 0, 0)

    def mapped(line: Timeline) -> Timeline:
        return node.meaning([line], nowhere)

    assert mapped(union(a, b)) == union(mapped(a), mapped(b))
    for at in probes():
        expected: Counter[Tuple] = Counter()
        for e, n in a.at(at).items():
            expected[Tuple((e.values[1],))] += n
        assert multiplicities(mapped(a), at) == expected


# Rules of TODS §6.2 as equivalences of plans.


def relation(name: str) -> Relation:
    columns = (Column("v", INT), Column("k", STRING), Column("t", BIGINT))
    return Relation(name, columns, SourceCall("rows"), is_stream=True, time=INTEGER_TIME, start="t")


S, T = Scan(relation("s")), Scan(relation("t"))
streams = st.lists(
    st.tuples(
        st.sampled_from([1, 2, 3, None]), st.sampled_from(["x", "y", None]), st.integers(-3, 8)
    ),
    max_size=7,
)


def mean_the_same(a: Any, b: Any, **rows: list[tuple[object, ...]]) -> None:
    def read(source: Relation) -> list[SourceRow]:
        return [SourceRow(row, row[2], row[2] + 1, i) for i, row in enumerate(rows[source.name])]

    both = (
        evaluate(a, context_of(Product(a, b), read)),
        evaluate(b, context_of(Product(a, b), read)),
    )
    assert both[0] == both[1]


sizes = st.integers(1, 6)
big = Call(BOOLEAN, OPERATORS[">"], (column(0, INT), Literal(INT, 1)))
is_x = equal(column(1, STRING), Literal(STRING, "x"))


@examples(60)
@given(s=streams, w=sizes)
def test_rules_9_to_11_conventional_rules_hold_between_windows(s: Any, w: int) -> None:
    window = RangeWindow(S, w)
    both = Call(BOOLEAN, OPERATORS["and"], (big, is_x))
    mean_the_same(Filter(window, both), Filter(Filter(window, big), is_x), s=s)
    mean_the_same(Filter(Filter(window, big), is_x), Filter(Filter(window, is_x), big), s=s)
    key = Map(window, ("k",), (column(1, STRING),))
    mean_the_same(
        Filter(key, equal(column(0, STRING), Literal(STRING, "x"))),
        Map(Filter(window, is_x), ("k",), (column(1, STRING),)),
        s=s,
    )


@examples(60)
@given(s=streams, t=streams, w=sizes, u=sizes)
def test_rules_9_to_11_over_joins(s: Any, t: Any, w: int, u: int) -> None:
    left, right = RangeWindow(S, w), RangeWindow(T, u)
    mean_the_same(Filter(Product(left, right), big), Product(Filter(left, big), right), s=s, t=t)
    swapped = Map(
        Product(right, left),
        ("v", "k", "v", "k"),
        (column(2, INT), column(3, STRING), column(0, INT), column(1, STRING)),
    )
    mean_the_same(Product(left, right), swapped, s=s, t=t)


@examples(60)
@given(s=streams)
def test_rule_12_a_window_of_one_instant_is_the_identity(s: Any) -> None:
    mean_the_same(RangeWindow(S, 1), S, s=s)


@examples(80)
@given(s=streams, w=sizes, slide=st.none() | sizes)
def test_rule_13_a_filter_commutes_with_a_range_window(s: Any, w: int, slide: int | None) -> None:
    mean_the_same(Filter(RangeWindow(S, w, slide), big), RangeWindow(Filter(S, big), w, slide), s=s)


@examples(80)
@given(s=streams, w=sizes)
def test_rule_14_a_map_commutes_with_a_range_window(s: Any, w: int) -> None:

    def mapped(node: Any) -> Map:
        return Map(node, ("k",), (column(1, STRING),))

    mean_the_same(mapped(RangeWindow(S, w)), RangeWindow(mapped(S), w), s=s)


@examples(80)
@given(s=streams, t=streams, w=sizes)
def test_rule_15_union_commutes_with_a_range_window(s: Any, t: Any, w: int) -> None:
    mean_the_same(
        RangeWindow(Union(S, T), w), Union(RangeWindow(S, w), RangeWindow(T, w)), s=s, t=t
    )


@examples(60)
@given(s=streams, t=streams, w=sizes)
def test_the_same_rules_in_the_language(s: Any, t: Any, w: int) -> None:
    session = Session(engine="reference")
    for name, rows in (("s", s), ("t", t)):
        written = ", ".join(
            f"({', '.join('NULL' if v is None else repr(v) for v in row)})" for row in rows
        )
        source = f"SOURCE rows({written})" if rows else ""
        session.sql(f"CREATE STREAM {name} (v INT, k STRING, at INT) {source} ORDERED BY at")
    same = [
        ("SELECT * FROM s WINDOW(NOW)", "SELECT * FROM s"),
        (
            f"SELECT * FROM s WINDOW(RANGE {w}) WHERE v > 1",
            f"SELECT * FROM (SELECT * FROM s WHERE v > 1) WINDOW(RANGE {w})",
        ),
        (
            f"SELECT k FROM s WINDOW(RANGE {w}) UNION ALL SELECT k FROM t WINDOW(RANGE {w})",
            f"SELECT * FROM (SELECT k FROM s UNION ALL SELECT k FROM t) WINDOW(RANGE {w})",
        ),
    ]
    for a, b in same:
        assert session.sql(a).timeline() == session.sql(b).timeline(), a


# Aggregate functions.

VALUES: dict[str, tuple[Type, st.SearchStrategy[Any]]] = {
    "INT": (INT, st.integers(-5, 5)),
    "DECIMAL": (decimal(8, 2), st.integers(-500, 500).map(lambda n: Decimal(n) / 100)),
    "DOUBLE": (DOUBLE, st.sampled_from([0.1, 1e16, -1e16, 1.0, 2.5, -0.3, 1e-8, 3.0])),
}
TEXTS = (STRING, st.sampled_from(["a", "b", "", "ab"]))


def call_of(name: str, type_: Type, distinct_: bool = False) -> AggregateCall:
    function = AGGREGATES[name]
    _, result = function.resolve([type_])
    return AggregateCall(function, (column(0, type_),), result, distinct_)


def over(call: AggregateCall, values: list[object]) -> object:
    return call.over(Counter(Tuple((value,)) for value in values))


def equals(a: object, b: object) -> bool:
    """Partial aggregates are exact, so that results are equal to the last digit."""
    return a == b or (a != a and b != b)


@pytest.mark.parametrize("name", AGGREGATES)
@examples(60)
@given(data=st.data())
def test_an_aggregate_of_parts_is_that_of_the_whole(name: str, data: st.DataObject) -> None:
    kinds = [*VALUES.values()] + [TEXTS] * (name in ("count", "min", "max"))
    type_, strategy = data.draw(st.sampled_from(kinds))
    values = data.draw(st.lists(strategy, min_size=1, max_size=8))
    call = call_of(name, type_)
    function = call.function
    whole = over(call, values)
    # Any bracketing of init, merge and combine, in any order of the values.
    shuffled = data.draw(st.permutations(values))
    assert equals(over(call, shuffled), whole)
    partials = []
    rest = list(shuffled)
    while rest:
        size = data.draw(st.integers(1, len(rest)))
        part, rest = rest[:size], rest[size:]
        partial = function.init(part[0])
        for value in part[1:]:
            partial = function.merge(partial, value)
        partials.append(partial)
    while len(partials) > 1:
        at = data.draw(st.integers(0, len(partials) - 2))
        partials[at : at + 2] = [function.combine(partials[at], partials[at + 1])]
    assert equals(function.eval(call.type, partials[0]), whole)


@pytest.mark.parametrize("name", AGGREGATES)
@examples(40)
@given(values=st.lists(st.none() | st.integers(-5, 5), max_size=8))
def test_aggregates_by_their_definitions(name: str, values: list[int | None]) -> None:
    known = [v for v in values if v is not None]
    n = len(known)
    mean = Fraction(sum(known), n) if n else Fraction(0)
    squares = sum((v - mean) ** 2 for v in known)
    ordered = sorted(known)
    expected = {
        "count": lambda: n,
        "sum": lambda: sum(known) if n else None,
        "avg": lambda: float(mean) if n else None,
        "min": lambda: min(known, default=None),
        "max": lambda: max(known, default=None),
        "median": lambda: (ordered[(n - 1) // 2] + ordered[n // 2]) / 2 if n else None,
        "variance": lambda: float(squares / (n - 1)) if n > 1 else None,
        "var_pop": lambda: float(squares / n) if n else None,
        "stddev": lambda: math.sqrt(squares / (n - 1)) if n > 1 else None,
        "stddev_pop": lambda: math.sqrt(squares / n) if n else None,
    }[name]()
    found = over(call_of(name, INT), list(values))
    if isinstance(expected, float):
        assert isinstance(found, float)
        assert math.isclose(found, expected, rel_tol=1e-12, abs_tol=1e-12)
    else:
        assert found == expected


@pytest.mark.parametrize("name", AGGREGATES)
@examples(30)
@given(values=st.lists(st.none() | st.integers(-3, 3), max_size=8))
def test_a_distinct_aggregate_is_the_aggregate_of_the_distinct_values(
    name: str, values: list[int | None]
) -> None:
    known = list(dict.fromkeys(values))
    assert equals(
        over(call_of(name, INT, True), list(values)), over(call_of(name, INT), list(known))
    )


@examples(80)
@given(
    values=st.lists(st.floats(-1e6, 1e6), max_size=6),
    large=st.sampled_from([1e16, -1e16, 1e300, 3e200]),
)
def test_a_large_value_that_has_left_leaves_no_error(values: list[float], large: float) -> None:
    """While it is there the sum is rounded; once it has gone, the sum is that of the rest."""
    assume(values)
    session = Session(engine="reference")
    written = [
        f"({value!r}, {100 + i})" if "e" in repr(value) else f"({value!r}e0, {100 + i})"
        for i, value in enumerate(values)
    ]
    session.sql(
        f"CREATE STREAM s (x DOUBLE, t INT) SOURCE rows(({large!r}, 90), ({-large!r}, 94), {', '.join(written)}) ORDERED BY t"
    )
    line = session.sql("SELECT SUM(x) AS total, AVG(x) AS mean FROM s WINDOW(RANGE 20)").timeline()
    at = Instant(116)
    assert len(values) <= 6
    ((found, _),) = line.at(at).items()
    total = sum(map(Fraction, values), Fraction(0))
    assert found.values == (float(total), float(total) / len(values))
    ((early, _),) = line.at(Instant(90)).items()
    assert early.values == (large, large)
