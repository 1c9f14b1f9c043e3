"""What is kept lies in the files of slabs as segments: each slab that has changed it adds one."""

from __future__ import annotations

from dataclasses import dataclass, replace

from continua.physical.instant import BEGINNING, FOREVER

MOST_ROWS_REWRITTEN = 10_000
"""Rows that are written anew in less time than it takes to find them in another slab."""


def folder_of(slab: int, part: int | None = None) -> str:
    """The folder of a slab, or of a part of it."""
    return f"{slab:08}" if part is None else f"{slab:08}/{part:04}"


@dataclass(frozen=True)
class Segment:
    """The rows of a relation that one slab has written.

    latest: the greatest time in the column that says when they end, if there is one.
    part: the number of the folder that is theirs alone; without it they are in the slab's table.
    """

    slab: int
    rows: int
    bytes: int
    latest: int = FOREVER
    part: int | None = None

    @property
    def folder(self) -> str:
        """Where their files are, among those of all slabs."""
        return folder_of(self.slab, self.part)


@dataclass(frozen=True)
class Stored:
    """A relation in the files of slabs: the rows that some of them have written.

    Only those rows are still needed whose `column`, a time, is not less than `since`; without a
    column all are. With `keys`, a newer segment replaces all that older ones have of the keys in
    it.
    """

    columns: tuple[str, ...]
    segments: tuple[Segment, ...]
    column: str | None = None
    since: int = BEGINNING
    keys: tuple[str, ...] = ()

    @property
    def rows(self) -> int:
        return sum(segment.rows for segment in self.segments)

    @property
    def bytes(self) -> int:
        return sum(segment.bytes for segment in self.segments)

    def alive(self, column: str, since: int) -> Stored:
        """The relation at a later time, without segments of which nothing is needed any more."""
        segments = tuple(segment for segment in self.segments if segment.latest >= since)
        return replace(self, segments=segments, column=column, since=since)


def by_age(stored: Stored) -> tuple[Stored, Stored]:
    """A relation in two parts: the older segments that stay, and those to be written anew.

    Those are written anew that are not much larger than what is newer. So there are few.
    """
    number, newer = len(stored.segments), 0
    while number and stored.segments[number - 1].rows <= max(MOST_ROWS_REWRITTEN, newer):
        number -= 1
        newer += stored.segments[number].rows
    older, young = stored.segments[:number], stored.segments[number:]
    return replace(stored, segments=older), replace(stored, segments=young)


def with_segments(older: Stored | None, new: Stored | None) -> Stored | None:
    """A relation of which there was something, and of which a slab has written more."""
    parts = [stored for stored in (older, new) if stored is not None]
    segments = tuple(segment for stored in parts for segment in stored.segments)
    return replace(parts[0], segments=segments) if segments else None
