"""Windows against a twin that asks, instant by instant, which tuples are inside.

The twins are written from what a window means in words: they get the tuples and an instant, and
look at every tuple. None of them computes when a tuple leaves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from drawing import examples
from hypothesis import given
from hypothesis import strategies as st

from continua import Session
from continua.logical.evaluate import context_of, evaluate
from continua.logical.scan import Scan
from continua.logical.sequence_window import Linear, SequenceWindow
from continua.model.catalog import Relation, SourceCall
from continua.model.element import SourceRow
from continua.model.instant import Instant
from continua.model.schema import INTEGER_TIME, Column, from_micros
from continua.model.timeline import Timeline
from continua.model.types import BIGINT, INT, STRING

INSTANTS = range(-16, 45)
SECOND = 1_000_000


class Arrived(NamedTuple):
    """A tuple of the stream: its values, its time, and its position."""

    values: tuple[object, ...]
    t: int
    position: int


Rows = list[tuple[int | None, str | None, int]]
Inside = list[tuple[object, ...]]
Twin = Callable[[list[Arrived], int], Inside]

rows_of_streams = st.lists(
    st.tuples(
        st.sampled_from([1, 2, 3, None]),
        st.sampled_from(["a", "b", None]),
        st.sampled_from([0, 1, 2, 3, 4, 5, 6, 8, 11, -1, -2, -5]),
    ),
    max_size=9,
)


def arrived(rows: Rows) -> list[Arrived]:
    """The tuples in the order of their arrival: by time, and by position where times are equal."""
    numbered = [Arrived((v, k), t, position) for position, (v, k, t) in enumerate(rows)]
    return sorted(numbered, key=lambda row: (row.t, row.position))


def text(value: object) -> str:
    return "NULL" if value is None else repr(value)


def declared(rows: Rows, options: str = "") -> Session:
    session = Session(engine="reference")
    written = ", ".join(f"({text(v)}, {text(k)}, {t})" for v, k, t in rows)
    source = f"SOURCE rows({written})" if rows else ""
    session.sql(f"CREATE STREAM s (v INT, k STRING, t BIGINT) {source} ORDERED BY t {options}")
    return session


def declared_of_timestamps(rows: Rows, unit: int, options: str = "") -> Session:
    session = Session(engine="reference")
    written = ", ".join(
        f"({text(v)}, {text(k)}, TIMESTAMP '{from_micros(t * unit)}')" for v, k, t in rows
    )
    source = f"SOURCE rows({written})" if rows else ""
    session.sql(f"CREATE STREAM s (v INT, k STRING, t TIMESTAMP) {source} ORDERED BY t {options}")
    return session


def agree(found: Timeline, rows: list[Arrived], twin: Twin, instants: range = INSTANTS) -> None:
    for instant in instants:
        snapshot = {e.values: n for e, n in found.at(Instant(instant)).items()}
        assert snapshot == Counter(twin(rows, instant)), f"at {instant}"


# What is inside, in words.


def now(rows: list[Arrived], at: int) -> Inside:
    """What comes at this very instant."""
    return [row.values for row in rows if row.t == at]


def within(w: int) -> Twin:
    """What has come within the last w units of time, this one included."""
    return lambda rows, at: [row.values for row in rows if row.t in range(at - w + 1, at + 1)]


def so_far(rows: list[Arrived], at: int) -> Inside:
    """What has come so far."""
    return [row.values for row in rows if row.t <= at]


def within_moving(w: int, s: int) -> Twin:
    """What was within the last w units when the window moved last: at a multiple of s."""

    def inside(rows: list[Arrived], at: int) -> Inside:
        moved = at
        while moved % s:
            moved -= 1
        return within(w)(rows, moved)

    return inside


def section(w: int) -> Twin:
    """What has come so far in the section of w units that runs now."""

    def inside(rows: list[Arrived], at: int) -> Inside:
        begun = at
        while begun % w:
            begun -= 1
        return [row.values for row in rows if begun <= row.t <= at]

    return inside


def last(n: int) -> Twin:
    """The last n that have come."""
    return lambda rows, at: so_far(rows, at)[-n:]


def last_moving(n: int, m: int) -> Twin:
    """The last n as of when the window moved last: whenever m or more have come since it moved."""

    def inside(rows: list[Arrived], at: int) -> Inside:
        state: Inside = []
        waiting = 0
        for time in sorted({row.t for row in rows if row.t <= at}):
            waiting += sum(row.t == time for row in rows)
            if waiting >= m:
                state, waiting = last(n)(rows, time), 0
        return state

    return inside


def last_at_multiples(n: int, s: int) -> Twin:
    """The last n as of the last multiple of s."""
    return lambda rows, at: last(n)(rows, at - at % s)


def partitioned(twin: Twin, key: int = 1) -> Twin:
    """Every partition is a stream by itself."""

    def inside(rows: list[Arrived], at: int) -> Inside:
        parts = {row.values[key] for row in rows}
        return [
            values
            for part in parts
            for values in twin([r for r in rows if r.values[key] == part], at)
        ]

    return inside


def batch(rows: list[Arrived], at: int) -> Inside:
    """What came last, all of it."""
    times = [row.t for row in rows if row.t <= at]
    return [row.values for row in rows if times and row.t == max(times)]


def hopping(slide: int, size: int, offset: int = 0) -> Twin:
    """The windows that have become complete within the last slide, with everything in them.

    One of them starts at the offset, and from there there is one each slide, both ways.
    """

    def inside(rows: list[Arrived], at: int) -> Inside:
        found = []
        for start in range(offset - 60 * slide, offset + 60 * slide, slide):
            end = start + size
            if end <= at < end + slide:
                found += [(*row.values, start, end) for row in rows if start <= row.t < end]
        return found

    return inside


def session(gap: int, lasting: int = 1) -> Twin:
    """The sessions that are over by now, and were not a granule ago."""

    def inside(rows: list[Arrived], at: int) -> Inside:
        found = []
        for row in rows:
            # The session of a tuple: spread out while there is a tuple at most the gap away.
            times = {row.t}
            while more := {o.t for o in rows if any(abs(o.t - t) <= gap for t in times)} - times:
                times |= more
            if max(times) + gap <= at < max(times) + gap + lasting:
                found.append((*row.values, min(times), max(times) + gap))
        return found

    return inside


# Simple windows.

sizes = st.sampled_from([1, 2, 3, 4, 5, 7])


offsets = st.sampled_from([1, -1, 2, -3, 5, -7, 12, 0])


@st.composite
def windows(draw: Any) -> tuple[str, Twin]:
    """A window's text, with `{u}` for a unit of time, and its twin."""
    w, s, n, m = draw(sizes), draw(sizes), draw(sizes), draw(sizes)
    key = draw(st.sampled_from([("v", 0), ("k", 1)]))
    return draw(
        st.sampled_from(
            [
                (f"RANGE {w}{{u}}", within(w)),
                ("RANGE UNBOUNDED", so_far),
                ("UNBOUNDED", so_far),
                ("ROWS UNBOUNDED", so_far),
                (f"RANGE {w}{{u}} SLIDE {s}{{u}}", within_moving(w, s)),
                (f"FIXED {w}{{u}}", section(w)),
                (f"ROWS {n}", last(n)),
                (f"ROWS {n} SLIDE {m}", last_moving(n, m)),
                (f"PARTITION BY {key[0]} ROWS {n}", partitioned(last(n), key[1])),
                (
                    f"PARTITION BY {key[0]} ROWS {n} SLIDE {m}",
                    partitioned(last_moving(n, m), key[1]),
                ),
                (f"PARTITION BY {key[0]} RANGE {w}{{u}}", partitioned(within(w), key[1])),
                (
                    f"PARTITION BY {key[0]} RANGE {w}{{u}} SLIDE {s}{{u}}",
                    partitioned(within_moving(w, s), key[1]),
                ),
                ("BATCH", batch),
            ]
        )
    )


@st.composite
def table_functions(draw: Any) -> tuple[str, Twin]:
    size, slide, offset = draw(sizes), draw(sizes), draw(offsets)
    key = draw(st.sampled_from([("v", 0), ("k", 1)]))
    return draw(
        st.sampled_from(
            [
                (f"TUMBLE(s, {size}{{u}})", hopping(size, size)),
                (f"HOP(s, {slide}{{u}}, {size}{{u}})", hopping(slide, size)),
                (f"TUMBLE(s, {size}{{u}}, {offset}{{u}})", hopping(size, size, offset)),
                (
                    f"HOP(s, {slide}{{u}}, {size}{{u}}, {offset}{{u}})",
                    hopping(slide, size, offset),
                ),
                (f"SESSION(s, {size}{{u}})", session(size)),
                (f"SESSION(s, {size}{{u}}, {key[0]})", partitioned(session(size), key[1])),
            ]
        )
    )


brackets = st.sampled_from(["WINDOW({})", "[{}]"])


@examples(50)
@given(rows=rows_of_streams, written=st.sampled_from(["", "WINDOW(NOW)", "[NOW]"]))
def test_now(rows: Rows, written: str) -> None:
    agree(declared(rows).sql(f"SELECT * FROM s {written}").timeline(), arrived(rows), now)


@examples(500)
@given(rows=rows_of_streams, window=windows(), style=brackets)
def test_window_clauses(rows: Rows, window: tuple[str, Twin], style: str) -> None:
    clause, twin = window
    query = f"SELECT * FROM s {style.format(clause.format(u=''))}"
    agree(declared(rows).sql(query).timeline(), arrived(rows), twin)


@examples(80)
@given(rows=rows_of_streams, n=sizes, s=sizes, by=st.booleans())
def test_last_rows_at_multiples(rows: Rows, n: int, s: int, by: bool) -> None:
    """In integer time the unit of a step is TIME, as bare numbers count rows."""
    clause = "PARTITION BY k " * by + f"ROWS {n} SLIDE {s} {{}}"
    twin = partitioned(last_at_multiples(n, s)) if by else last_at_multiples(n, s)
    query = f"SELECT * FROM s [{clause}]"
    found = declared(rows).sql(query.format("TIME")).timeline()
    agree(found, arrived(rows), twin)
    of = declared_of_timestamps(rows, SECOND)
    assert of.sql(query.format("SECONDS")).timeline() == scaled(found, SECOND)


@examples(250)
@given(rows=rows_of_streams, window=table_functions())
def test_table_functions(rows: Rows, window: tuple[str, Twin]) -> None:
    call, twin = window
    agree(declared(rows).sql(f"SELECT * FROM {call.format(u='')}").timeline(), arrived(rows), twin)


@examples(60)
@given(rows=rows_of_streams, gap=sizes, granule=sizes)
def test_a_session_is_visible_for_a_granule(rows: Rows, gap: int, granule: int) -> None:
    found = declared(rows, f"GRANULE {granule}").sql(f"SELECT * FROM SESSION(s, {gap})").timeline()
    agree(found, arrived(rows), session(gap, granule))


@examples(60)
@given(rows=rows_of_streams, window=windows())
def test_a_time_attribute_in_the_tuple_changes_no_window(
    rows: Rows, window: tuple[str, Twin]
) -> None:
    clause, twin = window
    found = declared(rows).sql(f"SELECT v, k, t FROM s WINDOW({clause.format(u='')})").timeline()
    with_time = [row._replace(values=(*row.values, row.t)) for row in arrived(rows)]
    agree(found, with_time, twin)


@examples(60)
@given(rows=rows_of_streams, window=windows())
def test_a_window_stands_on_a_filtered_stream_as_on_any_stream(
    rows: Rows, window: tuple[str, Twin]
) -> None:
    """Filter, map and union of instants are streams of instants: nothing is sampled."""
    clause, twin = window
    query = f"SELECT * FROM (SELECT v, k FROM s WHERE v > 1) WINDOW({clause.format(u='')})"
    kept = [row for row in arrived(rows) if row.values[0] is not None and row.values[0] > 1]
    agree(declared(rows).sql(query).timeline(), kept, twin)


# Sequences of windows.


def sequence(lower: Linear, upper: Linear, every: int, every_in_rows: bool) -> Twin:
    """Of the windows that have been evaluated by now, the last; of it, what has come by now.

    Window 0 is evaluated when its upper bound is reached; the next one, so much time or so many
    tuples later.
    """

    def evaluated(rows: list[Arrived], j: int) -> int | None:
        if upper.in_rows:
            if upper.at(0) >= len(rows):
                return None
            first = rows[upper.at(0)].t
        else:
            first = upper.at(0)
        if not every_in_rows:
            return first + j * every
        if j == 0:
            return first
        seen = upper.at(0) + 1 if upper.in_rows else sum(row.t <= first for row in rows)
        later = rows[seen:][j * every - 1 :]
        return later[0].t if later else None

    def inside(rows: list[Arrived], at: int) -> Inside:
        j = -1
        while (when := evaluated(rows, j + 1)) is not None and when <= at:
            j += 1
        if j < 0:
            return []
        found = []
        for position, row in enumerate(rows):
            above = position >= lower.at(j) if lower.in_rows else row.t > lower.at(j)
            below = position <= upper.at(j) if upper.in_rows else row.t <= upper.at(j)
            if above and below and row.t <= at:
                found.append(row.values)
        return found

    return inside


@st.composite
def sequences(draw: Any) -> tuple[Linear, Linear, int, bool]:
    in_rows = st.booleans()
    lower = Linear(draw(st.integers(0, 3)), draw(st.integers(-3, 4)), draw(in_rows))
    upper_in_rows = draw(in_rows)
    upper = Linear(
        draw(st.integers(0, 3)), draw(st.integers(0 if upper_in_rows else -3, 5)), upper_in_rows
    )
    every, every_in_rows = draw(st.integers(1, 4)), draw(in_rows)
    if lower.in_rows == upper.in_rows:
        # The beginning may not come after the end.
        lower = Linear(
            min(lower.slope, upper.slope), min(lower.offset, upper.offset), lower.in_rows
        )
    if upper.in_rows == every_in_rows:
        # The end may not run ahead of the evaluation.
        every = max(every, upper.slope)
    return lower, upper, every, every_in_rows


RELATION = Relation(
    "s",
    (Column("v", INT), Column("k", STRING), Column("t", BIGINT)),
    SourceCall("rows"),
    is_stream=True,
    time=INTEGER_TIME,
    start="t",
)


def means(node: Any, rows: list[Arrived]) -> Timeline:
    source = [SourceRow((*row.values, row.t), row.t, row.t + 1, row.position) for row in rows]
    return evaluate(node, context_of(node, lambda _relation: source))


@examples(600)
@given(rows=rows_of_streams, window=sequences())
def test_sequences(rows: Rows, window: tuple[Linear, Linear, int, bool]) -> None:
    ordered = arrived(rows)
    node = SequenceWindow(Scan(RELATION), *window)
    agree(means(node, ordered), ordered, sequence(*window))


@examples(150)
@given(rows=rows_of_streams, window=sequences(), style=brackets)
def test_sequences_in_text(
    rows: Rows, window: tuple[Linear, Linear, int, bool], style: str
) -> None:
    lower, upper, every, every_in_rows = window
    if upper.in_rows and not lower.in_rows:
        # Without a unit, the beginning has the unit of the end.
        lower = Linear(min(lower.slope, upper.slope), min(lower.offset, upper.offset), True)
    unit = {True: " ROWS", False: ""}
    clause = (
        f"FROM {lower.slope}*j {'-' if lower.offset < 0 else '+'} {abs(lower.offset)}{unit[lower.in_rows]} "
        f"TO {upper.slope}*j {'-' if upper.offset < 0 else '+'} {abs(upper.offset)}{unit[upper.in_rows]} "
        f"EVERY {every}{unit[every_in_rows]}"
    )
    found = declared(rows).sql(f"SELECT * FROM s {style.format(clause)}").timeline()
    agree(found, arrived(rows), sequence(lower, upper, every, every_in_rows))


EVERY_WINDOW = [
    *(
        "NOW",
        "UNBOUNDED",
        "RANGE UNBOUNDED",
        "RANGE 3",
        "RANGE 3 SLIDE 2",
        "FIXED 4",
        "ROWS 2",
        "BATCH",
    ),
    *(
        "ROWS 3 SLIDE 2",
        "PARTITION BY k ROWS 2",
        "PARTITION BY k ROWS 2 SLIDE 2",
        "PARTITION BY k RANGE 3",
    ),
    *("FROM 2*j TO 2*j+2 EVERY 2", "FROM j TO 2*j ROWS EVERY 2 ROWS", "FROM 0 TO j ROWS EVERY 1"),
]


@pytest.mark.parametrize("window", EVERY_WINDOW)
def test_a_window_over_no_tuples_is_empty(window: str) -> None:
    assert declared([]).sql(f"SELECT * FROM s WINDOW({window})").timeline() == Timeline({})


@pytest.mark.parametrize(
    "call", ["TUMBLE(s, 3)", "HOP(s, 2, 3)", "SESSION(s, 3)", "SESSION(s, 3, k)"]
)
def test_a_table_function_over_no_tuples_is_empty(call: str) -> None:
    assert declared([]).sql(f"SELECT * FROM {call}").timeline() == Timeline({})


# Windows over derived streams.


def sampled(
    rows: list[Arrived], input_: Callable[[int], list[Arrived]], granule: int
) -> list[Arrived]:
    """TODS (5): what is valid in the input at the multiples of the granule, up to the last time."""
    if not rows:
        return []
    times = range(min(row.t for row in rows), max(row.t for row in rows) + 1)
    return [
        Arrived(row.values, time, row.position)
        for time in times
        if time % granule == 0
        for row in input_(time)
    ]


def valid_in(twin: Twin, rows: list[Arrived]) -> Callable[[int], list[Arrived]]:
    """The tuples of a window at an instant, with their positions: the twin of tagged tuples."""
    tagged = [row._replace(values=(*row.values, row.position)) for row in rows]

    def at(time: int) -> list[Arrived]:
        return sorted(
            (Arrived(tuple(values[:2]), time, int(values[2])) for values in twin(tagged, time)),  # type: ignore[call-overload]
            key=lambda row: row.position,
        )

    return at


outer_windows = windows() | st.just(("NOW", now))


@examples(250)
@given(
    rows=rows_of_streams,
    inner=windows(),
    outer=outer_windows,
    granule=st.sampled_from([1, 1, 2, 3]),
)
def test_windows_over_windows(
    rows: Rows, inner: tuple[str, Twin], outer: tuple[str, Twin], granule: int
) -> None:
    ordered = arrived(rows)
    options = f"GRANULE {granule}" if granule > 1 else ""
    query = (
        f"SELECT * FROM (SELECT * FROM s WINDOW({inner[0].format(u='')})) "
        f"WINDOW({outer[0].format(u='')})"
    )
    found = declared(rows, options).sql(query).timeline()
    agree(found, sampled(ordered, valid_in(inner[1], ordered), granule), outer[1])


@examples(80)
@given(rows=rows_of_streams, w=sizes, outer=outer_windows, granule=st.sampled_from([1, 2, 3, 4]))
def test_a_granule_may_be_declared_for_a_derived_stream(
    rows: Rows, w: int, outer: tuple[str, Twin], granule: int
) -> None:
    ordered = arrived(rows)
    of = declared(rows)
    of.sql(f"CREATE STREAM d GRANULE {granule} AS SELECT v, k FROM s WINDOW(RANGE {w})")
    found = of.sql(f"SELECT * FROM d WINDOW({outer[0].format(u='')})").timeline()
    agree(found, sampled(ordered, valid_in(within(w), ordered), granule), outer[1])


@examples(80)
@given(
    rows=st.lists(
        st.tuples(st.integers(1, 3), st.sampled_from("ab"), st.integers(-4, 8), st.integers(1, 6)),
        max_size=6,
    ),
    window=outer_windows,
)
def test_windows_over_tuples_with_their_own_validity(
    rows: list[tuple[int, str, int, int]], window: tuple[str, Twin]
) -> None:
    session_ = Session(engine="reference")
    written = ", ".join(f"({v}, '{k}', {t}, {t + length})" for v, k, t, length in rows)
    source = f"SOURCE rows({written})" if rows else ""
    session_.sql(f"CREATE STREAM s (v INT, k STRING, t INT, e INT) {source} ORDERED BY t UNTIL e")
    found = session_.sql(f"SELECT * FROM s WINDOW({window[0].format(u='')})").timeline()
    starts = [Arrived((v, k), t, i) for i, (v, k, t, _) in enumerate(rows)]

    def valid(time: int) -> list[Arrived]:
        ends = {i: t + length for i, (_, _, t, length) in enumerate(rows)}
        return [row for row in starts if row.t <= time < ends[row.position]]

    agree(found, sampled(starts, valid, 1), window[1])


# Timestamps.


def scaled(line: Timeline, unit: int) -> Timeline:
    """A timeline of integer time as one of timestamps: every time, also in tuples, times a unit."""

    def value(v: object, bound: bool) -> object:
        return from_micros(v * unit) if bound and isinstance(v, int) else v

    return Timeline(
        {
            e._replace(values=tuple(value(v, i > 1) for i, v in enumerate(e.values))): [
                (Instant(at.t * unit if abs(at.t) != float("inf") else at.t), n) for at, n in steps
            ]
            for e, steps in line.steps()
        }
    )


@examples(150)
@given(
    rows=rows_of_streams,
    window=windows() | table_functions(),
    unit=st.sampled_from([("MICROSECONDS", 1), ("SECONDS", SECOND), ("HOURS", 3600 * SECOND)]),
)
def test_timestamps_are_integers_of_another_unit(
    rows: Rows, window: tuple[str, Twin], unit: tuple[str, int]
) -> None:
    clause, _ = window
    name, micros = unit
    item = "{}" if clause.endswith(")") else "s WINDOW({})"
    query = f"SELECT * FROM {item.format(clause)}"
    integers = declared(rows).sql(query.format(u="")).timeline()
    of = declared_of_timestamps(rows, micros, f"GRANULE 1 {name}")
    assert of.sql(query.format(u=f" {name}")).timeline() == scaled(integers, micros)


@examples(30)
@given(rows=rows_of_streams, w=sizes, outer=windows())
def test_windows_over_windows_of_timestamps(rows: Rows, w: int, outer: tuple[str, Twin]) -> None:
    query = f"SELECT * FROM (SELECT * FROM s WINDOW(RANGE {w}{{u}})) WINDOW({outer[0]})"
    integers = declared(rows).sql(query.format(u="")).timeline()
    of = declared_of_timestamps(rows, SECOND, "GRANULE 1 SECOND")
    assert of.sql(query.format(u=" SECONDS")).timeline() == scaled(integers, SECOND)
