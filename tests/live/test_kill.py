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
from pathlib import Path
from time import time

import pytest
from engine_process import EngineProcess

from continua import Session
from continua.runtime.live.checkpoint import KEPT

pytestmark = pytest.mark.spark

TIMES = int(os.environ.get("CONTINUA_KILLS", "5"))
SEED = int(os.environ.get("CONTINUA_SEED", "1"))
FILES = 4 * TIMES

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
    """Another process would drop files now and then; so does this."""

    def __init__(self, folder: Path, chance: random.Random) -> None:
        super().__init__(daemon=True)
        self._folder = folder
        self._chance = chance
        self.enough = threading.Event()

    def run(self) -> None:
        for number in range(FILES):
            drop(self._folder, number, self._chance)
            self.enough.wait(self._chance.uniform(0.2, 1.5))


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
    """When to kill: at any time, or in the middle of a commit."""
    kind = chance.choice(["any", "writing", "committing", "published"])
    slabs, manifests = checkpoint / "slabs", checkpoint / "manifests"
    begun, delay = time(), chance.uniform(4, 10)

    def new(folder: Path) -> list[str]:
        """What has been made in a folder since; a slab that was lost is made again."""
        try:
            return [path.name for path in folder.iterdir() if path.stat().st_mtime > begun]
        except FileNotFoundError:
            return []

    def now() -> bool:
        if kind == "writing":
            return bool(new(slabs))
        if kind == "committing":
            return any(name.startswith(".") for name in new(manifests))
        if kind == "published":
            return any(
                name.endswith(".json") and not name.startswith(".") for name in new(manifests)
            )
        return time() - begun > delay

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
        EngineProcess(text, checkpoint).kill(moments(checkpoint, chance), patience=20)
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
    # All is written anew in every slab: it is little.
    assert len(list((checkpoint / "slabs").iterdir())) <= KEPT, "state directories are cleaned"
    assert len(list((checkpoint / "manifests").iterdir())) <= KEPT
