"""Files that change after they were read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from continua.runtime.live import files_read
from continua.runtime.live.files_read import FilesRead, Taken


def taken(path: Path) -> Taken:
    status = path.stat()
    return Taken(str(path), status.st_size, status.st_mtime_ns // 1_000_000)


def test_a_file_that_grows_is_told_of_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    files, paths = FilesRead(), [tmp_path / name for name in "abcd"]
    for path in paths:
        path.write_text("1\n")
    files.note("s", [taken(path) for path in paths])
    assert files.changed() == {}
    now = os.stat(paths[0])
    with paths[0].open("a") as stream:
        stream.write("2\n")
    os.utime(paths[0], ns=(now.st_atime_ns, now.st_mtime_ns))  # as if within a millisecond
    os.utime(paths[1], (now.st_atime + 5, now.st_mtime + 5))  # written over, of the same size
    paths[2].unlink()
    assert files.changed() == files.changed() == {"s": 2}
    (warning,) = caplog.messages
    assert warning.startswith(f"warning: {paths[0]} and 1 more changed after it was read")
    assert warning.endswith("hint: write a file elsewhere, and move it in when it is complete")


def test_only_the_last_files_are_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files_read, "MOST_FILES_WATCHED", 2)
    files, paths = FilesRead(), [tmp_path / name for name in "abc"]
    for path in paths:
        path.write_text("1")
        files.note("s", [taken(path)])
    for path in paths:
        path.write_text("12")
    assert files.changed() == {"s": 2}
