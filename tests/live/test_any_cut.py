"""The cut does not matter: a live run gives what the reference gives over the same files."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from both_engines import session_of
from compared import check_same, few
from flow import Flow
from hypothesis import Phase, assume, event, given, settings
from hypothesis import strategies as st
from queries import Case, batched_cases, cases
from streams import Clock, Source

from continua import ContinuaError, Session
from continua.logical.split import Split
from continua.model.instant import Instant
from continua.model.timeline import Timeline
from continua.physical.instant import FOREVER
from continua.runtime.live import advance, segments

pytestmark = pytest.mark.spark

LONGEST = 250
"""Characters of a query: every step of a live run plans it anew."""

short = (cases() | cases() | batched_cases()).filter(
    lambda case: len(case.query.ours) + sum(map(len, case.views)) < LONGEST
)

DELIVERIES = {
    "stream": ["INSERTS", "INTERVALS"],
    "relation": ["CHANGES", "INTERVALS", "INSERTS"],
}
NEVER = 2**63
File = tuple[str, list[tuple[object, ...]]]
"""The name of a stream, and rows of it."""


@st.composite
def arrivals(draw: Any, case: Case) -> tuple[int, list[File]]:
    """A slack, and the files in the order they come: streams in turn, rows as late as allowed."""
    slack = draw(st.sampled_from([0, 0, 1, 3]))
    streams = [draw(files_of(case, source, slack)) for source in case.sources if source.times]
    order: list[File] = []
    while any(streams):
        order.append(draw(st.sampled_from([files for files in streams if files])).pop(0))
    return slack, order


@st.composite
def files_of(draw: Any, case: Case, source: Source, slack: int) -> list[File]:
    rows = case.rows[source.name]
    late = draw(st.lists(st.integers(0, slack), min_size=len(rows), max_size=len(rows)))
    position = [name for name, _ in source.all_columns].index(source.times[0])
    numbers = sorted(range(len(rows)), key=lambda i: seconds(rows[i][position]) + late[i])
    bounds = [0, *sorted(draw(st.lists(st.integers(0, len(rows)), max_size=2))), len(rows)]
    return [(source.name, [rows[i] for i in numbers[a:b]]) for a, b in pairwise(bounds)]


def seconds(t: object) -> int:
    """A time as the generator counts it."""
    if isinstance(t, datetime):
        return round((t - datetime(1970, 1, 1)).total_seconds())
    assert isinstance(t, int)
    return t


def declared(source: Source, case: Case, folder: Path, slack: int) -> str:
    if not source.times:
        return source.declare(case.rows[source.name])
    length = f"{slack} SECONDS" if source.clock is Clock.TIMESTAMP else str(slack)
    head, order = source.declare([]).split(" ORDERED BY ")
    return f"{head} SOURCE json('{folder / source.name}') ORDERED BY {order} SLACK {length}"


def declarations(case: Case, folder: Path, slack: int) -> list[str]:
    declarations = [declared(source, case, folder, slack) for source in case.sources]
    return ["SET unbounded_state = 'allow'", *declarations, *case.views]


def named(case: Case, files: Sequence[File]) -> Iterator[tuple[str, list[dict[str, object]]]]:
    """The rows of the files with the names of their columns."""
    columns = {source.name: [name for name, _ in source.all_columns] for source in case.sources}
    for stream, rows in files:
        yield stream, [dict(zip(columns[stream], row, strict=True)) for row in rows]


def result(case: Case, flow: Flow, delivery: str | None = None) -> Timeline | str:
    """What the reference makes of the files that a run has read, or the code of its error.

    INSERTS are those of a stream, or of a relation.
    """
    session = Session(engine="reference")
    for statement in flow.statements:
        session.sql(statement)
    query = session.query(case.query.ours)
    if delivery == "INSERTS":
        if not query.plan.streaming:
            return Timeline({})  # what is there from the beginning is not inserted
        query = session.query(f"ISTREAM ({case.query.ours})")
    try:
        found: Timeline = query.timeline()
    except ContinuaError as error:
        return error.code
    return found


# To shrink a live run would take longer than to read it.
@settings(few(10), phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(case=short, data=st.data())
def test_any_cut_gives_what_the_reference_gives(
    live: Callable[[], Session],
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    case: Case,
    data: Any,
) -> None:
    slack, files = data.draw(arrivals(case))
    names = data.draw(st.permutations(range(len(files))))
    then = data.draw(st.lists(st.sampled_from(["step", "restart", "wait"]), min_size=len(files)))
    kind = session_of(case).sql(case.query.ours).kind
    delivery = data.draw(st.sampled_from(DELIVERIES[kind]))
    # A slab that is not small is computed by several tasks, and a long log is written in pieces.
    small, few_rows = data.draw(st.sampled_from([(50_000, 10_000), (50_000, 1), (0, 1)]))
    monkeypatch.setattr(advance, "MOST_ROWS_FOR_ONE_TASK", small)
    monkeypatch.setattr(advance, "MOST_ROWS_IN_MEMORY", 10 * small)
    monkeypatch.setattr(segments, "MOST_ROWS_REWRITTEN", few_rows)
    folder = tmp_path_factory.mktemp("flow")
    flow = Flow(folder, live, declarations(case, folder, slack), case.query.ours, delivery)
    for source in case.sources:
        if source.times:
            flow.drop(source.name, "empty", [])
    try:
        steps = zip(named(case, files), names, then, strict=False)
        for (stream, listed), number, action in steps:
            flow.drop(stream, f"{number:03}", listed)
            if action != "wait":
                flow.step()
            if action == "restart":
                flow.restart()
        found: Timeline | str = flow.finish()
    except ContinuaError as error:
        found = error.code
    expected = result(case, flow, delivery)
    event(f"{delivery} of a {kind}")
    event(expected if isinstance(expected, str) else f"{len(flow.slabs)} slabs with results")
    if isinstance(found, str) or isinstance(expected, str):
        assert found == expected
    else:
        check_same(found, expected)
    shutil.rmtree(folder)


def test_a_query_that_joins_gives_what_a_fresh_run_gives(
    live: Callable[[], Session], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """An equal query runs already; what it has seen must not be seen by the one that joins."""
    outcomes: Counter[str] = Counter()

    @settings(few(6), phases=[Phase.explicit, Phase.reuse, Phase.generate])
    @given(case=short, data=st.data())
    def joined(case: Case, data: Any) -> None:
        slack, files = data.draw(arrivals(case))
        joins = data.draw(st.integers(0, len(files) - 1))
        folder, fresh = tmp_path_factory.mktemp("flow"), tmp_path_factory.mktemp("fresh")
        flow = Flow(folder, live, declarations(case, folder, slack), case.query.ours)
        later = Flow(fresh, live, declarations(case, fresh, slack), case.query.ours)
        assume(not samples(case, later))
        for source in case.sources:
            if source.times:
                flow.drop(source.name, "empty", [])
                later.drop(source.name, "empty", [])
        origin = NEVER
        found: Timeline | str
        try:
            for number, (stream, listed) in enumerate(named(case, files)):
                if number == joins:
                    origin = flow.step().progress.watermark
                    assume(origin != FOREVER)
                    flow.add("later", case.query.ours)
                flow.drop(stream, f"{number:03}", listed)
                flow.step()
            found = flow.finish("later")
        except ContinuaError as error:
            found = error.code
            assert found == result(case, flow)
        for number, (stream, listed) in enumerate(named(case, files)):
            start = {source.name: source.times for source in case.sources}[stream][0]
            valid = [row for row in listed if seconds(row[start]) * case.unit >= origin]
            later.drop(stream, f"{number:03}", valid)
        expected = result(case, later)
        if isinstance(found, str) or isinstance(expected, str):
            # The query that ran already may have failed over rows from before.
            outcomes["not compared"] += 1
        else:
            outcomes["compared"] += 1
            check_same(found, _from_then_on(expected, Instant(origin)))
        shutil.rmtree(folder)
        shutil.rmtree(fresh)

    joined()
    assert outcomes["not compared"] <= outcomes["compared"] / 4, outcomes


def samples(case: Case, flow: Flow) -> bool:
    """Whether the query samples: where that begins depends on rows from before its origin."""
    session = Session(engine="reference")
    for statement in flow.statements:
        session.sql(statement)
    return any(isinstance(node, Split) for node in session.sql(case.query.ours).plan.walk())


def _from_then_on(timeline: Timeline, origin: Instant) -> Timeline:
    steps = {}
    for element, found in timeline.steps():
        before = [n for at, n in found if at <= origin]
        steps[element] = [(origin, before[-1] if before else 0)]
        steps[element] += [(at, n) for at, n in found if at > origin]
    return Timeline(steps)
