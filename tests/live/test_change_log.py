"""A table that is made of changes which come while queries run."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from flow import Flow

from continua import ContinuaError, Session

pytestmark = pytest.mark.spark

Live = Callable[[], Session]
Row = dict[str, object]


def changes(*rows: tuple[int, str | None, str, int]) -> list[Row]:
    return [dict(zip(("id", "v", "op", "t"), row, strict=True)) for row in rows]


def elements(*rows: tuple[int, int]) -> list[Row]:
    return [dict(zip(("id", "t"), row, strict=True)) for row in rows]


def declared(folder: Path, options: str = "") -> list[str]:
    return [
        f"CREATE TABLE r (id INT, v STRING, op STRING, t BIGINT, PRIMARY KEY (id)) "
        f"SOURCE json('{folder}/r') CHANGES ORDERED BY t OPERATION op {options}",
        f"CREATE STREAM s (id INT, t BIGINT) SOURCE json('{folder}/s') ORDERED BY t",
        f"CREATE STREAM q (id INT, t BIGINT) SOURCE json('{folder}/q') ORDERED BY t",
    ]


VERSION = "SELECT s.id, v FROM s LEFT JOIN r FOR SYSTEM_TIME AS OF s.t ON s.id = r.id"


def found(run: Flow) -> list[tuple[object, ...]]:
    return [row for slab in sorted(run.slabs) for row in run.slabs[slab]]


def test_a_table_holds_progress_back(live: Live, tmp_path: Path) -> None:
    """An element meets what is valid at its time; nobody knows that before the table has come so
    far."""
    run = Flow(tmp_path, live, declared(tmp_path), VERSION, "INSERTS")
    run.drop("s", "1", elements((1, 3), (1, 6)))
    run.drop("r", "1", changes((1, "a", "insert", 2)))
    run.step()
    assert found(run) == []
    run.drop("r", "2", changes((1, "b", "update", 4)))
    run.step()
    assert found(run) == [(1, "a", 3)]
    run.restart()
    run.drop("r", "3", changes((1, None, "delete", 6), (2, "c", "insert", 7)))
    run.drop("s", "2", elements((2, 9)))
    run.step()
    assert found(run) == [(1, "a", 3), (1, None, 6)]
    run.end()
    assert found(run) == [(1, "a", 3), (1, None, 6), (2, "c", 9)]


def test_a_silent_table_is_not_waited_for_if_it_says_so(live: Live, tmp_path: Path) -> None:
    run = Flow(tmp_path, live, declared(tmp_path, "IDLE AFTER 1 SECOND"), VERSION, "INSERTS")
    run.drop("r", "1", changes((1, "a", "insert", 2)))
    run.drop("s", "1", elements((1, 3), (1, 6)))
    running = run.step()
    assert found(run) == []
    running.run()
    for _ in range(60):
        if found(run):
            break
        running.wait(0.5)
    assert found(run) == [(1, "a", 3)]
    running.stop()


def test_late_changes(live: Live, tmp_path: Path) -> None:
    """Changes out of order are put in order as far as SLACK goes; later ones are late rows."""
    run = Flow(tmp_path, live, declared(tmp_path, "SLACK 2 LATE DROP"), "SELECT id, v FROM r")
    run.drop("r", "1", changes((1, "b", "update", 5), (1, "a", "insert", 4)))
    run.step()
    run.drop("r", "2", changes((2, "x", "insert", 4), (2, "y", "update", 9), (3, "z", "r", 1)))
    running = run.step()
    assert running.progress.sources["r"].late == 1
    run.end()
    expected = [
        *[(1, "a", "+", 4), (1, "a", "-", 5), (1, "b", "+", 5)],
        *[(2, "x", "+", 4), (2, "x", "-", 9), (2, "y", "+", 9)],
    ]
    assert sorted(found(run), key=str) == sorted(expected, key=str)


def test_late_changes_that_are_an_error(live: Live, tmp_path: Path) -> None:
    run = Flow(tmp_path, live, declared(tmp_path, "LATE FAIL"), "SELECT id, v FROM r")
    run.drop("r", "1", changes((1, "a", "insert", 4)))
    run.step()
    run.drop("r", "2", changes((2, "x", "insert", 3)))
    with pytest.raises(ContinuaError) as caught:
        run.step()
    assert caught.value.code == "LATE_ROWS"
    run.restart()


def test_a_change_that_does_not_fit_ends_the_run(live: Live, tmp_path: Path) -> None:
    """Also one that is known to be wrong by what came long before; a delete is remembered too."""
    run = Flow(tmp_path, live, declared(tmp_path), "SELECT id, v FROM r")
    run.drop("r", "1", changes((1, "a", "insert", 1), (1, None, "delete", 2)))
    run.step()
    run.drop("r", "2", changes((1, "b", "insert", 4), (2, "c", "insert", 5)))
    run.step()
    run.restart()
    run.drop("r", "3", changes((1, "d", "insert", 7), (2, "c", "update", 9)))
    with pytest.raises(ContinuaError) as caught:
        run.step()
    assert caught.value.code == "BAD_ROW"
    assert caught.value.message == "r at 7: an insert of a row that is there already"
    run.restart()


@pytest.mark.parametrize("seed", range(4))
def test_any_cut_of_a_log(live: Live, tmp_path: Path, seed: int) -> None:
    """Random changes, most of which fit; the run is begun anew now and then."""
    draw = random.Random(seed)
    folder = tmp_path
    statements = declared(folder, "ON ERROR DROP SLACK 2")
    queries = [
        "SELECT id, v FROM r",
        VERSION,
        "SELECT s.id, q.id AS other FROM s ASOF LEFT JOIN q MATCH_CONDITION (s.t > q.t) "
        "ON s.id = q.id",
        "ISTREAM (SELECT s.id, v FROM s [BATCH] JOIN r ON s.id = r.id)",
    ]
    run = Flow(folder, live, statements, queries[0])
    for number, query in enumerate(queries[1:], 1):
        run.beside(f"q{number}", query)
    for step in range(4):
        first = 10 * step
        log = [
            (draw.choice([1, 2, 3]), draw.choice("ab"), draw.choice("iuuudr"), first + t)
            for t in sorted(draw.choices(range(10), k=8))
        ]
        run.drop("r", str(step), changes(*_shuffled(draw, log)))
        for name in "sq":
            times = sorted(draw.choices(range(first, first + 10), k=5))
            run.drop(name, str(step), elements(*((draw.choice([1, 2, 3]), t) for t in times)))
        run.step()
        if draw.random() < 0.4:
            run.restart()
    run.end()
    expected = Session(engine="reference")
    for statement in statements:
        expected.sql(statement)
    for number, query in enumerate(queries):
        found = run.result(f"q{number}" if number else None)
        assert found == expected.query(query).timeline(), query


def _shuffled(
    draw: random.Random, log: Sequence[tuple[int, str, str, int]]
) -> list[tuple[int, str, str, int]]:
    """The rows out of order, none of them later than the slack allows."""
    return sorted(log, key=lambda row: row[3] + draw.choice([0, 0, 1, 2]))
