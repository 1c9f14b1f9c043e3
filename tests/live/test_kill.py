"""Exactly once, shown by killing it: whatever the moment, nothing is lost and nothing comes twice.

`make kill` does it a hundred times.
"""

from __future__ import annotations

import json
import os
import random
import threading
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from pathlib import Path
from time import sleep, time

import pytest
from engine_process import EngineProcess

from continua import Session
from continua.runtime.live.checkpoint import MANIFESTS_KEPT

pytestmark = [pytest.mark.spark, pytest.mark.apart]

TIMES = int(os.environ.get("CONTINUA_KILLS", "5"))
SEED = int(os.environ.get("CONTINUA_SEED", "1"))
LONG = 30
"""Seconds in which a short moment may be missed until any other will do."""

STREAM = """
CREATE STREAM r (k STRING, v INT, t BIGINT) SOURCE json('{folder}/in') ORDERED BY t SLACK 2;
"""
QUERIES = {
    "sums": "SELECT k, SUM(v) AS s, COUNT(*) AS n FROM r WINDOW(RANGE 7) GROUP BY k",
    "pairs": "SELECT a.v AS x, b.v AS y FROM r WINDOW(RANGE 5) AS a "
    "JOIN r WINDOW(ROWS 2) AS b ON a.k = b.k",
}


def script(folder: Path) -> Path:
    parts = [STREAM.format(folder=folder)]
    for name, query in QUERIES.items():
        parts.append(
            f"CREATE SINK {name} USING json OPTIONS (path '{folder / name}') AS CHANGES;\n"
            f"INSERT INTO {name} {query};"
        )
    path = folder / "queries.sql"
    path.write_text("\n".join(parts))
    return path


class Dropping(threading.Thread):
    """Another process would drop files, one after the other; so does this."""

    def __init__(self, folder: Path, chance: random.Random) -> None:
        super().__init__(daemon=True)
        self._folder = folder
        self._chance = chance
        self.enough = threading.Event()

    def run(self) -> None:
        for number in count():
            drop(self._folder, number, self._chance)
            if self.enough.wait(self._chance.uniform(0.5, 2)):
                break


def drop(folder: Path, number: int, chance: random.Random) -> None:
    rows = [
        {
            "k": chance.choice("abc"),
            "v": chance.randrange(10),
            "t": 5 * number + chance.randrange(-2, 5),
        }
        for _ in range(chance.randrange(1, 9))
    ]
    partial = folder / "partial"
    partial.write_text("".join(json.dumps(row) + "\n" for row in rows))
    partial.rename(folder / "in" / f"{number:04}.json")


def moments(checkpoint: Path, chance: random.Random) -> Callable[[], bool]:
    """When to kill: some time after it has begun to commit slabs, or in the middle of a commit."""
    kind = chance.choice(["any", "writing", "committing", "published"])
    begun, slabs, delay = time(), chance.randrange(3), chance.uniform(0, 3)
    firsts: dict[str, float] = {}

    def new(folder: str) -> list[str]:
        """What has been made in a folder since; a slab that was lost is made again."""
        found = []
        for path in (checkpoint / folder).glob("*"):
            with suppress(FileNotFoundError):
                if path.stat().st_mtime > begun:
                    found.append(path.name)
        return found

    def now() -> bool:
        committed = [int(name[:8]) for name in new("manifests") if not name.startswith(".")]
        newest = max(committed, default=0)
        first = firsts.setdefault("slab", newest) if committed else newest
        if newest < first + slabs or not committed:
            sleep(0.02)  # there is no need to hurry yet
            return False
        waited = time() - firsts.setdefault("time", time())
        if kind == "writing" and waited < LONG:
            return f"{newest + 1:08}" in new("slabs")
        if kind == "committing" and waited < LONG:
            return any(name.startswith(".") for name in new("manifests"))
        return kind == "published" or waited > delay

    return now


def changes(folder: Path) -> Counter[tuple[tuple[str, object], ...]]:
    found: Counter[tuple[tuple[str, object], ...]] = Counter()
    for path in sorted(folder.glob("*.json")):
        for line in path.read_text().splitlines():
            found[tuple(json.loads(line).items())] += 1
    return found


def test_killed_at_any_moment_it_goes_on_as_if_nothing_had_happened(tmp_path: Path) -> None:
    chance = random.Random(SEED)
    (tmp_path / "in").mkdir()
    text, checkpoint = script(tmp_path), tmp_path / "checkpoint"
    dropping = Dropping(tmp_path, random.Random(SEED + 1))
    dropping.start()
    for _ in range(TIMES):
        killed = EngineProcess(text, checkpoint).kill(moments(checkpoint, chance), patience=300)
        assert killed, "no slab has been committed since the last time"
    dropping.enough.set()
    dropping.join()
    code, said = EngineProcess(text, checkpoint, "--finish").wait(200)
    assert code == 0, said

    reference = Session(engine="reference")
    reference.sql(STREAM.format(folder=tmp_path))
    for name, query in QUERIES.items():
        result = reference.sql(query).delivered("CHANGES")
        expected = Counter(tuple(zip(result.columns, row, strict=True)) for row in result)
        assert changes(tmp_path / name) == expected, name
    newest = max(int(path.stem) for path in (checkpoint / "manifests").iterdir())
    assert newest > TIMES, "slabs have been committed between the kills"
    # All is written anew in every slab: it is little.
    assert len(list((checkpoint / "slabs").iterdir())) <= MANIFESTS_KEPT, (
        "state directories are cleaned"
    )
    assert len(list((checkpoint / "manifests").iterdir())) <= MANIFESTS_KEPT
