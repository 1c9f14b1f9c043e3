"""What a streaming query of Spark has noted in the folder of its checkpoint.

Relies on the files there:

    offsets/12                 batch 12 as it was planned: for each source, where in its log it ends
    commits/12                 batch 12 is done; without, Spark runs it again
    offsets/.12.crc            the checksum of a file; the same for commits
    sources/<name>/12          the files that a source has found, as entry 12 of its own log
    sources/<name>/99.compact  those of all entries up to 99

Of a source of files, Spark hands over only those that were not empty when it found them, and never
looks at any of them again; which they were it says nowhere else. Nor has it another way to run a
batch again that it has committed. Tried with Spark 4.3.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote


class Found(NamedTuple):
    """A file, and when it had been written to last, in milliseconds."""

    path: str
    modified: int


class SparkLog:
    """The log of a streaming query, in the folder of its checkpoint."""

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder)

    def of_batch(self, source: str, batch: int) -> list[Found]:
        """The files that were found for a batch of the query."""
        first, last = self._offset(source, batch - 1) + 1, self._offset(source, batch)
        return [found for n in range(first, last + 1) for found in self._noted(source, n)]

    def up_to(self, source: str, batch: int, most: int) -> list[Found]:
        """The files that were found last, up to a batch of the query, at most so many."""
        found: deque[Found] = deque(maxlen=most)
        number = self._offset(source, batch)
        while number >= 0 and len(found) < most:
            compact = self._path(source, number, ".compact")
            if compact.exists():
                with compact.open(encoding="utf-8") as lines:
                    entries = list(_entries(iter(deque(lines, most))))
            else:
                entries = list(self._noted(source, number))
            found.extendleft(reversed(entries[-(most - len(found)) :]))
            number = -1 if compact.exists() else number - 1
        return list(found)

    @property
    def committed(self) -> int:
        """The last batch that is done, or -1."""
        return max((number for number, _ in self._files("commits")), default=-1)

    def take_back(self, batch: int) -> None:
        """Has Spark run the last batch that is done again, as it was planned.

        Spark may have gone on, and have planned the batch after it: it plans that anew.
        """
        for name, first in (("commits", batch), ("offsets", batch + 1)):
            for number, path in self._files(name):
                if number >= first:
                    path.unlink()

    def _files(self, name: str) -> list[tuple[int, Path]]:
        """The files of a log, and those of their checksums, by batches."""
        folder = self._folder / name
        found = sorted(folder.iterdir()) if folder.exists() else []
        named = ((path.name.strip(".").removesuffix(".crc"), path) for path in found)
        return [(int(number), path) for number, path in named if number.isdigit()]

    def _offset(self, source: str, batch: int) -> int:
        """The number in the source's own log with which a batch of the query ends."""
        try:
            text = (self._folder / "offsets" / str(batch)).read_text(encoding="utf-8")
        except FileNotFoundError:
            return -1
        noted = re.search(rf'^{re.escape(source)}:\{{"logOffset":(\d+)\}}', text, re.MULTILINE)
        return int(noted[1]) if noted else -1

    def _noted(self, source: str, number: int) -> Iterator[Found]:
        """The files of a number in the source's own log."""
        path = self._path(source, number)
        if not path.exists():
            # From time to time, what was noted so far is put together.
            path = self._path(source, number, ".compact")
        if path.exists():
            end = f'"batchId":{number}}}'
            with path.open(encoding="utf-8") as lines:
                yield from _entries(line for line in lines if line.rstrip().endswith(end))

    def _path(self, source: str, number: int, suffix: str = "") -> Path:
        return self._folder / "sources" / source / f"{number}{suffix}"


def _entries(lines: Iterator[str]) -> Iterator[Found]:
    for line in lines:
        # The first line is the version of the log.
        if line.startswith("{"):
            entry = json.loads(line)
            yield Found(unquote(entry["path"].removeprefix("file://")), entry["timestamp"])
