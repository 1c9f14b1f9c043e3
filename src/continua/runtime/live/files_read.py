"""Files that change after they have been read.

Spark takes every file once. What is added to one later is not read, ever; it must not be lost
without a word. So the files that were read last are looked at again: their sizes, and when they
were last written to.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from threading import Lock

from continua.runtime.sources.live_source import Taken

MOST_FILES_WATCHED = 500
"""Files that are looked at with every slab; to look at so many takes a few milliseconds."""

_LOG = logging.getLogger("continua")


class FilesRead:
    """The files that were read last, of all streams."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._watched: dict[tuple[str, str], Taken] = {}
        self._changed: Counter[str] = Counter()

    def note(self, stream: str, files: Sequence[Taken]) -> None:
        with self._lock:
            for file in files:
                self._watched.pop((stream, file.path), None)
                self._watched[stream, file.path] = file
            for oldest in list(self._watched)[:-MOST_FILES_WATCHED]:
                del self._watched[oldest]

    def changed(self) -> Mapping[str, int]:
        """Looks at the files again: how many of each stream have changed. Warns of each once."""
        found: dict[str, list[str]] = {}
        with self._lock:
            for (stream, path), file in list(self._watched.items()):
                try:
                    if not file.changed:
                        continue
                    found.setdefault(stream, []).append(path)
                except OSError:
                    pass  # it is gone, and has been read
                del self._watched[stream, path]
            for stream, paths in found.items():
                self._changed[stream] += len(paths)
                _LOG.warning(_message(stream, paths))
            return dict(self._changed)


def _message(stream: str, paths: Sequence[str]) -> str:
    more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    return (
        f"warning: {paths[0]}{more} changed after it was read: what was added is not in {stream}\n"
        "hint: write a file elsewhere, and move it in when it is complete"
    )
