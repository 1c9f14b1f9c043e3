"""Instants as pairs `(t, i)`, where a time may have several batches; computed by DuckDB."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import pyarrow as pa
import pytest
from on_duckdb import DuckDB

from continua import Session
from continua.physical.builder import Builder
from continua.physical.explain import explain
from continua.physical.instant import (
    FOREVER,
    PAIR,
    TIME,
    Instant,
    batch_of,
    greatest,
    instant,
    instants,
    least,
    unknown,
)
from continua.physical.operator import Operator
from continua.physical.plan import result_plan
from continua.physical.relation import Output
from continua.physical.slab import Slab
from continua.physical.validity import OWN, Validity

INSTANTS = [(t, i) for t in (-3, 0, 1, 4, 2**62) for i in (0, 1, 3)] + [(FOREVER, 0)]
A, B = Instant("a"), Instant("b")


@pytest.fixture(scope="module")
def machine() -> DuckDB:
    return DuckDB()


@pytest.fixture(autouse=True)
def pairs() -> Iterator[None]:
    with instants(True):
        yield


def over_pairs(machine: DuckDB, *expressions: str) -> list[tuple[object, ...]]:
    """The expressions over every two instants, `a` and `b`."""
    type_ = pa.struct([("t", pa.int64()), ("i", pa.int32())])
    rows = list(product(INSTANTS, repeat=2))
    arrays = [
        pa.array([dict(zip("ti", row[n], strict=True)) for row in rows], type_) for n in (0, 1)
    ]
    rel = machine.view(("a", "b"), pa.table(arrays, names=["a", "b"]))
    builder = Builder()
    outputs: list[Output] = [(f"e{i}", e) for i, e in enumerate(expressions)]
    found = machine.computed(builder, builder.select("found", rel, outputs), [])[0]
    return [tuple(map(_value, row)) for row in found]


def _value(found: object) -> object:
    return (found["t"], found["i"]) if isinstance(found, dict) else found


def test_pairs_compare_by_time_then_by_batch(machine: DuckDB) -> None:
    asked = (A.before(B), A.not_after(B), A.equals(B), A.not_before(B), A.after(B))
    found = over_pairs(machine, *asked, least(A, B), greatest(A, B), A.differs_from(B))
    assert found == [
        (a < b, a <= b, a == b, a >= b, a > b, min(a, b), max(a, b), a != b)
        for a, b in product(INSTANTS, repeat=2)
    ]


def test_what_follows_an_instant(machine: DuckDB) -> None:
    finite = f"{A.t} < {FOREVER}L"
    asked = (A.t, A.i, A.next.when(finite), A.following.when(finite), A.last_time_before)
    found = over_pairs(machine, *asked)
    for (t, i), row in zip((a for a, _ in product(INSTANTS, repeat=2)), found, strict=True):
        after = None if t == FOREVER else (t + 1, 0)
        assert row == (t, i, after, after and (t, i + 1), t if i else t - 1)


@pytest.mark.parametrize("step", [1, 2, 3])
def test_windows_that_slide_begin_in_the_batch_or_at_a_later_time(
    machine: DuckDB, step: int
) -> None:
    found = over_pairs(machine, A.up_to_multiple(step), A.later(step))
    for ((t, i), _), row in zip(product(INSTANTS, repeat=2), found, strict=True):
        moved = min(-(-t // step) * step, FOREVER)
        later = min(t + step, FOREVER)
        assert row == ((t, i) if t % step == 0 else (moved, 0), (later, 0))


def test_literals_and_what_is_not_known(machine: DuckDB) -> None:
    nothing = Instant(f"IF(TRUE, {unknown()}, NULL)")
    slab = Slab(-1, 4)
    asked = (instant(7), batch_of("2L", "3"), nothing, unknown().known, nothing.otherwise(A))
    held = " AND ".join(Validity(slab.since, slab.until).holds(A))
    for (a, _), row in zip(
        product(INSTANTS, repeat=2), over_pairs(machine, *asked, held), strict=True
    ):
        assert row == ((7, 0), (2, 3), None, False, a, (-1, 0) <= a < (4, 0))


def test_no_time_is_no_instant(machine: DuckDB) -> None:
    (found, *_) = over_pairs(machine, instant("try_add(CAST(NULL AS BIGINT), 1L)"))
    assert found == (None,)


def test_the_type_is_that_of_the_plan() -> None:
    assert A.type == OWN.end.type == PAIR
    with instants(False):
        assert A.type == OWN.end.type == TIME


def test_plans_carry_pairs_from_where_batches_are_made() -> None:
    session = Session(engine="reference")
    session.sql("CREATE STREAM s (a INT, t INT) ORDERED BY t; CREATE TABLE r (a INT)")
    plain = session.query(
        "SELECT s.a, COUNT(*) AS n FROM s [RANGE 5] JOIN r ON s.a = r.a GROUP BY s.a"
    )
    assert not any(operator.batched for operator in _operators(result_plan(plain.plan)))
    assert "batches" not in explain(result_plan(plain.plan))

    session.sql("SPREAD s ON a INTO b; SPREAD ALL b ON t INTO c")
    joined = result_plan(session.query("SELECT b.a FROM b [RANGE 5] JOIN r ON b.a = r.a").plan)
    labels = {operator.label: operator.batched for operator in _operators(joined)}
    assert {label for label, batched in labels.items() if not batched} == {
        "stream s(a INT)",
        "table r(a INT)",
    }
    assert {"show batches", "first batches", "spread on a, stream 1 of 1"} <= labels.keys()

    forgotten = result_plan(session.query("SELECT a FROM c [RANGE 5]").plan)
    assert not forgotten.batched


def _operators(root: Operator) -> Iterator[Operator]:
    yield root
    for below in root.inputs:
        yield from _operators(below)
