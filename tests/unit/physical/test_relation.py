"""Relations check themselves, are equal by structure, and are printed with as few names as can be."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from continua.model.schema import Column, Schema
from continua.model.types import STRING
from continua.physical.builder import Builder
from continua.physical.graph import graph_of
from continua.physical.instant import Instant
from continua.physical.operator import Operator, Outputs
from continua.physical.printing.duckdb_sql import duckdb_sql
from continua.physical.printing.spark_sql import spark_sql
from continua.physical.relation import EMPTY, IllFormed, View, Window, below, typed
from continua.physical.slab import Slab
from continua.physical.validity import END, OWN, START

S = View("view", "s", ("a", "start", "end"))


def test_a_column_that_is_not_there_is_refused() -> None:
    builder = Builder()
    for made in (
        lambda: builder.select("picked", S, [("b", "b")]),
        lambda: builder.select("renamed", S, [("c", "b")]),
        lambda: builder.windowed("beside", S, [("a", "a")], w=Window(("b",), "start")),
        lambda: builder.group("grouped", S, ["b"]),
        lambda: builder.exploded("each", S, "array(1)", "x", [("b", "b")]),
        lambda: builder.join("joined", "INNER", S, S, "l.a = r.a", [("b", "r.b")]),
        lambda: builder.moved("moved", S, ["b"]),
    ):
        with pytest.raises(IllFormed, match="no column b among a, start, end"):
            made()
    narrow = builder.select("narrow", S, [("a", "a")])
    with pytest.raises(IllFormed, match=r"both: parts have \('a', 'start', 'end'\) and \('a',\)"):
        builder.union("both", S, narrow)


def test_a_type_that_does_not_fit_is_refused() -> None:
    builder, text = Builder(), typed("a", "STRING")
    with pytest.raises(IllFormed, match="late: start is BIGINT, and a is STRING"):
        builder.select("late", S, [(START, text)])
    named = builder.select("named", S, [("a", text), ("start", START)])
    with pytest.raises(IllFormed, match="late: end is BIGINT, and a is STRING"):
        builder.group("late", builder.moved("moved", named, ["a"]), ["start"], [(END, "a")])
    with pytest.raises(IllFormed, match=r"late: at is BIGINT, and r\.a is STRING"):
        builder.join("late", "INNER", S, named, None, [(Instant("at"), "r.a")])
    number = builder.select("number", S, [("a", typed("1", "INT")), ("start", START)])
    with pytest.raises(IllFormed, match="both: a is STRING in one part and INT in one"):
        builder.union("both", named, number)
    assert builder.union("both", named, named).types == {"a": "STRING", "start": "BIGINT"}


class Wrong(Operator):
    label = "a wrong operator"

    def advance(self, builder: Builder, slab: Slab, *_: object) -> Outputs:
        return builder.select("picked", S, [("b", "b")]), {}


def test_the_operator_is_named() -> None:
    graph = graph_of([Wrong(schema=None, inputs=(), identified=False)])  # type: ignore[arg-type]
    with pytest.raises(IllFormed, match="a wrong operator: picked: there is no column b"):
        graph.advance(Builder(), Slab(), lambda relation: S, {})


@dataclass(frozen=True, eq=False)
class Other(Wrong):
    """Gives what it does not say it gives."""

    label = "another one"
    output: tuple[str, str]

    def advance(self, builder: Builder, slab: Slab, *_: object) -> Outputs:
        return builder.select("picked", S, [self.output, *OWN.outputs]), {}


@pytest.mark.parametrize(
    ("output", "message"),
    [
        (("c1", "a"), r"another one: it gives \('c0', 'start', 'end'\), and not \('c1', "),
        (("c0", typed("a", "INT")), "another one: c0 is STRING, and not INT"),
    ],
)
def test_an_output_is_what_the_operator_says(output: tuple[str, str], message: str) -> None:
    schema = Schema((Column("a", STRING),))
    graph = graph_of([Other(schema=schema, inputs=(), identified=False, output=output)])
    with pytest.raises(IllFormed, match=message):
        graph.advance(Builder(), Slab(), lambda relation: S, {})


def test_relations_are_equal_if_their_structure_is() -> None:
    def made(condition: str, hint: str = "some") -> object:
        builder = Builder()
        return builder.group("few", builder.where(hint, S, condition), ["a"])

    assert made("a > 1") == made("a > 1", "called otherwise")
    assert hash(made("a > 1")) == hash(made("a > 1"))
    assert made("a > 1") != made("a > 2")


def test_a_builder_makes_a_relation_once() -> None:
    builder = Builder()
    first, second = (builder.where("some", S, "a > 1") for _ in range(2))
    assert first is second
    assert builder.union("both", EMPTY, first) is first
    assert builder.select("none", EMPTY, [("a", "a")]) is EMPTY


def test_what_is_used_once_is_nested_and_what_is_used_twice_is_named() -> None:
    builder = Builder()
    some = builder.where("some", S, "a > 1")
    grouped = builder.group("counted", some, ["a"], [("n", "count(*)")])
    joined = builder.join(
        "pairs", "LEFT", grouped, grouped, "l.a < r.a", [("a", "l.a"), ("n", "r.n")]
    )
    assert spark_sql(joined) == (
        "WITH counted_0 AS (\n"
        "  SELECT a, count(*) AS n FROM (SELECT a, start, end FROM s t WHERE a > 1) t GROUP BY a)\n"
        "SELECT l.a AS a, r.n AS n FROM counted_0 l LEFT JOIN counted_0 r ON l.a < r.a"
    )
    assert spark_sql(joined, {grouped: "known"}) == (
        "SELECT l.a AS a, r.n AS n FROM known l LEFT JOIN known r ON l.a < r.a"
    )
    assert [node.hint for node in below([joined])] == ["view", "some", "counted", "pairs"]


def test_only_what_is_work_and_used_twice_is_shared() -> None:
    for one_task in (False, True):
        builder = Builder(one_task=one_task)
        read = builder.where("read", S, "a > 1")
        both = builder.union("both", read, S)
        last = builder.windowed(
            "last", both, [("a", "a"), ("next", "lead(a) OVER w")], w=Window(("a",), "start")
        )
        twice = builder.union("twice", last, builder.where("rest", last, "a < 9"))
        again = builder.join("again", "CROSS", twice, twice, None, [("a", "l.a")])
        assert [node.hint for node in builder.shared([again])] == ["last", "twice"][: 1 + one_task]


def test_duckdb_reads_the_same_relation_in_its_own_words() -> None:
    builder = Builder()
    bounds = "array(struct(start AS at, 1L AS n), struct(end AS at, -1L AS n))"
    rel = builder.exploded("bounds", S, bounds, "b", [("a", "a"), ("at", "b.at")], "b.at <=> 3L")
    assert spark_sql(rel) == (
        f"SELECT a, b.at AS at FROM s t LATERAL VIEW explode({bounds}) AS b WHERE b.at <=> 3L"
    )
    assert duckdb_sql(rel).startswith('SELECT "a", b."at" AS "at" FROM s t, unnest([')
    assert "IS NOT DISTINCT FROM" in duckdb_sql(rel)
    kept = builder.join("kept", "LEFT ANTI", S, rel, "l.a = r.a", [("a", "l.a")])
    assert " ANTI JOIN " in duckdb_sql(kept)
