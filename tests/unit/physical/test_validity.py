"""Instants, validity and boundaries as SQL give what they say; computed by DuckDB."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, product

import pyarrow as pa
import pytest
from on_duckdb import DuckDB

from continua.physical.boundaries import AT, BOUNDARY, LAST_OF_PEERS, boundaries, following
from continua.physical.builder import Builder
from continua.physical.instant import (
    BEGINNING,
    FOREVER,
    Instant,
    bucket_of,
    ceil_to,
    floor_to,
    greatest,
    instant,
    later,
    least,
    unknown,
)
from continua.physical.relation import Output, Rel, Window
from continua.physical.slab import Slab
from continua.physical.validity import END, OF_L, OF_R, OWN, START, Validity

TIMES = [BEGINNING, BEGINNING + 1, -(2**62), -7, -3, -1, 0, 1, 2, 6, 2**62, FOREVER - 1, FOREVER]
FINITE = TIMES[2:-2]
A, B = Instant("a"), Instant("b")


@pytest.fixture(scope="module")
def machine() -> DuckDB:
    return DuckDB()


def rows_of(machine: DuckDB, columns: Sequence[str], rows: Sequence[Sequence[int | None]]) -> Rel:
    arrays = [pa.array([row[i] for row in rows], pa.int64()) for i in range(len(columns))]
    return machine.view(columns, pa.table(arrays, names=list(columns)))


def computed(machine: DuckDB, builder: Builder, rel: Rel) -> list[tuple[object, ...]]:
    return [tuple(row) for row in machine.computed(builder, rel, [])[0]]


def over_pairs(
    machine: DuckDB, pairs: Sequence[tuple[int | None, int | None]], *expressions: str
) -> list[tuple[object, ...]]:
    """The expressions over instants `a` and `b`, for each pair of them."""
    builder, outputs = Builder(), [(f"e{i}", e) for i, e in enumerate(expressions)]
    rel = builder.select("found", rows_of(machine, ("a", "b"), pairs), outputs)
    return computed(machine, builder, rel)


def test_literals_are_the_instants_they_name(machine: DuckDB) -> None:
    (found,) = over_pairs(machine, [(0, 0)], *map(instant, TIMES), unknown())
    assert list(found) == [*TIMES, None]
    assert instant("a + 1L") == "a + 1L", "a time is that of its first instant"


def test_instants_compare_as_their_times_do(machine: DuckDB) -> None:
    pairs = list(product(TIMES, repeat=2))
    asked = (A.before(B), A.not_after(B), A.equals(B), A.not_before(B), A.after(B))
    found = over_pairs(machine, pairs, *asked, least(A, B), greatest(A, B))
    assert found == [(a < b, a <= b, a == b, a >= b, a > b, min(a, b), max(a, b)) for a, b in pairs]


def test_what_is_not_known(machine: DuckDB) -> None:
    asked = (A.known, A.unknown, A.differs_from(B), A.before(B), A.otherwise(B))
    assert over_pairs(machine, [(None, None), (None, 1), (1, 1)], *asked) == [
        (False, True, False, None, None),
        (False, True, True, None, 1),
        (True, False, False, False, 1),
    ]
    chosen = over_pairs(machine, [(1, 2), (2, 1)], A.when("a < b"), A.unless("a < b"))
    assert chosen == [(1, None), (None, 2)]
    builder = Builder()
    rel = rows_of(machine, ("a",), [(3,), (None,), (BEGINNING,), (FOREVER,)])
    ends = builder.group("ends", rel, (), [("first", A.earliest), ("last", A.latest)])
    assert computed(machine, builder, ends) == [(BEGINNING, FOREVER)]


def test_what_is_later_than_any_time_is_for_ever(machine: DuckDB) -> None:
    pairs = [(t, by) for t in TIMES[1:] for by in (0, 1, 5, 2**62, FOREVER - 1)]
    assert over_pairs(machine, pairs, A.later("b")) == [(min(t + b, FOREVER),) for t, b in pairs]
    for by in (1, 2**62):
        steps = [(t, by) for t in TIMES[1:]]
        assert over_pairs(machine, steps, A.later(by), later("a", by)) == [
            (min(t + by, FOREVER),) * 2 for t, _ in steps
        ]


@pytest.mark.parametrize("step", [1, 2, 3, 7, 2**40])
def test_multiples_are_exact_on_both_sides_of_the_epoch(machine: DuckDB, step: int) -> None:
    asked = (floor_to("a", step), ceil_to("a", step), bucket_of("a", step))
    assert over_pairs(machine, [(t, 0) for t in FINITE], *asked) == [
        (t // step * step, -(-t // step) * step, t // step) for t in FINITE
    ]


@pytest.mark.parametrize(("step", "offset"), [(2, 1), (7, 3), (7, 6), (2**40, 5), (2**62, 2**61)])
def test_multiples_may_be_moved(machine: DuckDB, step: int, offset: int) -> None:
    times = [t for t in FINITE if t - step >= BEGINNING]
    found = over_pairs(machine, [(t, 0) for t in times], floor_to("a", step, offset))
    assert found == [((t - offset) // step * step + offset,) for t in times]


SPAN = range(-3, 4)
SPANS = list(combinations(SPAN, 2))
"""All intervals of a few instants."""


def test_validity_is_a_set_of_instants(machine: DuckDB) -> None:
    builder = Builder()
    spans = rows_of(machine, OWN, SPANS)
    common = OF_L.common(OF_R)
    asked = [
        ("lasts", common.lasts),
        ("met", " AND ".join((OF_L.start.before(OF_R.end), OF_R.start.before(OF_L.end)))),
        ("held", " AND ".join(OF_L.holds(OF_R.start))),
    ]
    outputs = [(f"l{c}", f"l.{c}") for c in OWN] + [(f"r{c}", f"r.{c}") for c in OWN]
    pairs = builder.join("pairs", "CROSS", spans, spans, None, [*outputs, *common.outputs, *asked])
    found = computed(machine, builder, pairs)
    assert len(found) == len(SPANS) ** 2
    for a, b, c, d, start, end, lasts, met, held in found:
        both = set(range(a, b)) & set(range(c, d))
        assert set(range(start, end)) == both
        assert lasts == met == bool(both)
        assert held == (c in range(a, b))
    measured = builder.select("measured", spans, [("n", OWN.length), ("last", OWN.last_time)])
    assert computed(machine, builder, measured) == [(b - a, b - 1) for a, b in SPANS]


@pytest.mark.parametrize(
    "slab", [Slab(), Slab(end=0), Slab(-1, 2), Slab(1)], ids=["all", "first", "one", "last"]
)
def test_a_slab_takes_its_part(machine: DuckDB, slab: Slab) -> None:
    builder = Builder()
    everything = rows_of(machine, OWN, [*SPANS, (BEGINNING, FOREVER)])
    outputs = [*slab.clipped.outputs, ("inside", slab.starts_inside())]
    found = computed(machine, builder, builder.select("clipped", everything, outputs))
    assert found == [
        (max(start, slab.start), min(end, slab.end), start >= slab.start)
        for start, end in [*SPANS, (BEGINNING, FOREVER)]
    ]


def test_boundaries_in_their_order(machine: DuckDB) -> None:
    """Running sums over them say how many intervals hold an instant; of peers, the last knows."""
    builder = Builder()
    open_ended = [*SPANS, (2, None)]
    ends = {AT: OWN, "n": ("1L", "-1L")}
    rel = boundaries(builder, rows_of(machine, OWN, open_ended), [], ends, BOUNDARY.known)
    outputs: list[Output] = [(AT, AT), ("n", "sum(n) OVER w"), following("w")]
    summed = builder.windowed("summed", rel, outputs, w=Window((), AT))
    last = builder.select("last", summed, [(AT, AT), ("n", "n")], LAST_OF_PEERS)
    assert sorted(computed(machine, builder, last)) == [
        (at, sum(a <= at and (b is None or at < b) for a, b in open_ended)) for at in SPAN
    ]


def test_any_validity_is_put_out_in_the_same_columns() -> None:
    opened = instant("opened")
    assert Validity(opened, opened.later(5)).outputs == [(START, opened), (END, opened.later(5))]
    assert OWN.outputs == [(name, name) for name in OWN]
